-- The frontier in PostgreSQL, in a schema of its own. Times are seconds since 1970 UTC; Infinity means never.
-- Columns mean what they mean in the SQLite schema (schema_sqlite.sql); here is what differs. `bucket` is a column, and the first of
-- the key of every table that grows, so that a database of several servers knows where a row is.

CREATE SCHEMA frontier;

-- The largest and smallest of several numbers under SQLite's names, so that a statement is the same for both.
CREATE FUNCTION frontier.max(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION frontier.max(float8, float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2, $3)';
CREATE FUNCTION frontier.min(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';

CREATE TABLE frontier.crawl (
    id integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);
INSERT INTO frontier.crawl (id, name) VALUES (1, 'DEFAULT');

CREATE TABLE frontier.site (
    bucket integer NOT NULL,
    id integer NOT NULL,
    ready float8 NOT NULL DEFAULT 'Infinity',
    state smallint NOT NULL DEFAULT 0,
    rank float8 NOT NULL DEFAULT 0,
    next_allowed float8 NOT NULL DEFAULT 0,
    blocked float8 NOT NULL DEFAULT 0,
    next_due float8 NOT NULL DEFAULT 'Infinity',
    lease bigint NOT NULL DEFAULT 0,
    until float8 NOT NULL DEFAULT 0,
    delay float8,
    urls integer NOT NULL DEFAULT 0,
    visited integer NOT NULL DEFAULT 0,
    sum_visited float8 NOT NULL DEFAULT 0,
    sum_rate float8 NOT NULL DEFAULT 0,
    sum_pagerank float8 NOT NULL DEFAULT 0,
    sum_in_degree bigint NOT NULL DEFAULT 0,
    cash float8 NOT NULL DEFAULT 0,
    discovered float8,
    errors integer NOT NULL DEFAULT 0,
    slow float8 NOT NULL DEFAULT 0,
    soft_404 integer NOT NULL DEFAULT 0,
    backlog integer NOT NULL DEFAULT 0,
    referrals bigint NOT NULL DEFAULT 0,
    price float8 NOT NULL DEFAULT 0,
    big smallint NOT NULL DEFAULT 0,
    crawl integer NOT NULL DEFAULT 1,
    completed integer NOT NULL DEFAULT 0,
    crawl_limit integer NOT NULL DEFAULT 0,
    served float8 NOT NULL DEFAULT 0,
    locked float8 NOT NULL DEFAULT 0,
    dated float8 NOT NULL DEFAULT 0,
    hash bigint NOT NULL,
    tld text NOT NULL,
    name text COLLATE "C" NOT NULL,
    home text NOT NULL DEFAULT '',
    ipv4 text NOT NULL DEFAULT '',
    ipv6 text NOT NULL DEFAULT '',
    blocked_at float8 NOT NULL DEFAULT 0,
    trouble bigint NOT NULL DEFAULT 0,
    well integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    left_out integer NOT NULL DEFAULT 0,
    PRIMARY KEY (bucket, id),
    UNIQUE (crawl, name, bucket)              -- the name tells the bucket; first, since sites are listed by name
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX site_waiting ON frontier.site (crawl, ready) WHERE state = 0;
CREATE INDEX site_available ON frontier.site (crawl, rank) WHERE state = 1;

-- Hash-partitioned by bucket. No index but the key: an update then stays on its page of the file and touches no index.
CREATE TABLE frontier.page (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    due float8 NOT NULL,
    visited float8,
    status smallint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    looks integer NOT NULL DEFAULT 0,
    changes integer NOT NULL DEFAULT 0,
    span float8 NOT NULL DEFAULT 0,
    rate float8 NOT NULL DEFAULT 0,
    content text NOT NULL DEFAULT '',
    PRIMARY KEY (bucket, site, id)
) PARTITION BY HASH (bucket);

-- Pages of big sites by due time; the pages of the others are quicker looked through.
CREATE TABLE frontier.big_page (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    due float8 NOT NULL,
    PRIMARY KEY (bucket, site, id)
);
CREATE INDEX big_page_due ON frontier.big_page (bucket, site, due);

CREATE TABLE frontier.address (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    url text NOT NULL,
    discovered float8,
    pagerank float8 NOT NULL DEFAULT 0,
    in_degree integer NOT NULL DEFAULT 0,
    cash float8 NOT NULL DEFAULT 0,
    history float8 NOT NULL DEFAULT 0,
    etag text NOT NULL DEFAULT '',
    last_modified text NOT NULL DEFAULT '',
    PRIMARY KEY (bucket, site, id)
) PARTITION BY HASH (bucket);

CREATE TABLE frontier.page_metadata (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    metadata text NOT NULL,
    PRIMARY KEY (bucket, site, id)
) PARTITION BY HASH (bucket);

CREATE TABLE frontier.page_lock (
    bucket integer NOT NULL,
    site integer NOT NULL,
    id bigint NOT NULL,
    until float8 NOT NULL,
    PRIMARY KEY (bucket, site, id)
);

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

DO $$
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE format('CREATE TABLE frontier.page_%s PARTITION OF frontier.page FOR VALUES WITH (MODULUS 8, REMAINDER %s)'
            ' WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.1)', part, part);
        EXECUTE format('CREATE TABLE frontier.address_%s PARTITION OF frontier.address FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
            part, part);
        EXECUTE format('CREATE TABLE frontier.page_metadata_%s PARTITION OF frontier.page_metadata'
            ' FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
    END LOOP;
END $$;

CREATE SEQUENCE frontier.lease_number CACHE 1;
CREATE TABLE frontier.lease (
    bucket integer NOT NULL,
    number bigint NOT NULL,
    site integer NOT NULL,
    fetcher text NOT NULL,
    at float8 NOT NULL,
    until float8 NOT NULL,
    delay float8 NOT NULL,
    release smallint NOT NULL,
    "full" smallint NOT NULL,
    pages bytea NOT NULL,                     -- numbers, 8 bytes each, little end first
    PRIMARY KEY (bucket, number)
);

CREATE TABLE frontier.fetcher (
    uuid text COLLATE "C" PRIMARY KEY,
    contact text NOT NULL,
    name text NOT NULL,
    registered float8 NOT NULL,
    token_digest text NOT NULL,
    location text NOT NULL,
    tld_preference text NOT NULL,
    address text NOT NULL,
    last_seen float8,
    UNIQUE (contact, name)
) WITH (fillfactor = 50);

CREATE TABLE frontier.receipt (
    bucket integer NOT NULL,
    fetcher text NOT NULL,
    key text NOT NULL,
    at float8 NOT NULL,
    answer text NOT NULL,
    PRIMARY KEY (bucket, fetcher, key)
);
CREATE INDEX receipt_at ON frontier.receipt (at);

-- What fetchers reported, kept for sinks until every one of them has taken it; empty where there is no sink.
CREATE TABLE frontier.result (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number bigint,                            -- given to committed rows by one hand; NULL: not yet
    at float8 NOT NULL,
    size integer NOT NULL,
    pages bytea NOT NULL
);
CREATE INDEX result_number ON frontier.result (number);

-- Links of visited pages that lead to a server which did not answer: added when it is back. Empty on a single server.
CREATE TABLE frontier.late_link (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    crawl integer NOT NULL,
    at float8 NOT NULL,
    links bytea NOT NULL                      -- JSON, compressed: pages, each with all it links to
);

CREATE TABLE frontier.edge (
    bucket integer NOT NULL,                  -- the source's
    source bigint NOT NULL,
    target bigint NOT NULL,
    PRIMARY KEY (bucket, source, target)
);

CREATE TABLE frontier.round_trip (
    bucket integer NOT NULL,
    site integer NOT NULL,
    fetcher text NOT NULL,
    at float8 NOT NULL,
    seconds float8 NOT NULL,
    PRIMARY KEY (bucket, site, fetcher, at)
);
CREATE INDEX round_trip_at ON frontier.round_trip (at);

CREATE TABLE frontier.set_aside (
    part text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    wrong text NOT NULL,
    lost smallint NOT NULL,
    blocked float8 NOT NULL DEFAULT 0,
    PRIMARY KEY (part, id)
);

CREATE TABLE frontier.setting (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO frontier.setting (key, value) VALUES ('buckets', '{buckets}');

CREATE TABLE frontier.last_site (bucket integer PRIMARY KEY, n integer NOT NULL DEFAULT 0);
INSERT INTO frontier.last_site (bucket) SELECT generate_series(0, {buckets} - 1);

-- Totals: the sum over all rows. A connection writes to one of them, so that few ever wait for another.
CREATE TABLE frontier.total (
    bucket integer PRIMARY KEY,
    sites bigint NOT NULL DEFAULT 0,
    urls bigint NOT NULL DEFAULT 0,
    visited bigint NOT NULL DEFAULT 0,
    sum_visited float8 NOT NULL DEFAULT 0,
    visits bigint NOT NULL DEFAULT 0,
    edges bigint NOT NULL DEFAULT 0,
    backlog bigint NOT NULL DEFAULT 0,
    cash float8 NOT NULL DEFAULT 0,
    well bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    left_out bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
INSERT INTO frontier.total (bucket) SELECT generate_series(0, {buckets} - 1);
