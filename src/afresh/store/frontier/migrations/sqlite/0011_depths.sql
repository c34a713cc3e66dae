-- How many links a page is away from where its crawl began; only of pages that were found while that has a limit.
CREATE TABLE page_depth (
    id INTEGER PRIMARY KEY,
    depth INTEGER NOT NULL,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);
