-- Pages of which nothing came at their last try, and why.
CREATE TABLE frontier.failure (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    at float8 NOT NULL,
    result text NOT NULL,
    why text NOT NULL,
    fetcher text NOT NULL,
    PRIMARY KEY (bucket, site, id)
);
CREATE INDEX failure_at ON frontier.failure (at) WHERE result NOT IN ('excluded', 'skipped');
CREATE INDEX failure_skipped ON frontier.failure (at) WHERE result = 'skipped';
ALTER TABLE frontier.site ADD COLUMN trouble bigint NOT NULL DEFAULT 0;
