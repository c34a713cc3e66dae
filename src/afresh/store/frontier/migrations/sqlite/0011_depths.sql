-- How many links a page is away from where its crawl began; only of pages that were found while that has a limit.
CREATE TABLE page_depth (
    id INTEGER PRIMARY KEY,
    depth INTEGER NOT NULL,
    links BLOB,
    open INTEGER NOT NULL DEFAULT 0,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);
CREATE INDEX page_depth_open ON page_depth (depth) WHERE open = 1;
