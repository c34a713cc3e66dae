-- How many links a page is away from where its crawl began; only of pages that were found while that has a limit.
CREATE TABLE frontier.page_depth (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    depth integer NOT NULL,
    links bytea,
    open smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, site, id)
);
CREATE INDEX page_depth_open ON frontier.page_depth (depth) WHERE open = 1;
