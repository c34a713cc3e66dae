-- Buckets: the number of a site tells where it is, and so do those of its pages. Every site gets a new number; numbers of lists stay.
-- Every table gets another key, so all are made anew. `receipt_bucket` was filled before: hashing is not the database's business.
ALTER SCHEMA frontier RENAME TO frontier_before;

CREATE SCHEMA frontier;

CREATE FUNCTION frontier.max(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION frontier.max(float8, float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2, $3)';
CREATE FUNCTION frontier.min(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';

CREATE TABLE frontier.crawl (
    id integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

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
    PRIMARY KEY (bucket, id),
    UNIQUE (crawl, name, bucket)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX site_waiting ON frontier.site (crawl, ready) WHERE state = 0;
CREATE INDEX site_available ON frontier.site (crawl, rank) WHERE state = 1;

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
    pages bytea NOT NULL,
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

CREATE TABLE frontier.result (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number bigint,
    at float8 NOT NULL,
    size integer NOT NULL,
    pages bytea NOT NULL
);
CREATE INDEX result_number ON frontier.result (number);

CREATE TABLE frontier.edge (
    bucket integer NOT NULL,
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
INSERT INTO frontier.setting (key, value) VALUES ('buckets', '64');

CREATE TABLE frontier.last_site (bucket integer PRIMARY KEY, n integer NOT NULL DEFAULT 0);

CREATE TABLE frontier.total (
    bucket integer PRIMARY KEY,
    sites bigint NOT NULL DEFAULT 0,
    urls bigint NOT NULL DEFAULT 0,
    visited bigint NOT NULL DEFAULT 0,
    sum_visited float8 NOT NULL DEFAULT 0,
    visits bigint NOT NULL DEFAULT 0,
    edges bigint NOT NULL DEFAULT 0,
    backlog bigint NOT NULL DEFAULT 0,
    cash float8 NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
INSERT INTO frontier.total (bucket) SELECT generate_series(0, 64 - 1);

CREATE TEMP TABLE moved (old integer PRIMARY KEY, bucket integer NOT NULL, new integer NOT NULL);
INSERT INTO moved (old, bucket, new)
SELECT id, hash % 64, 64 * row_number() OVER (PARTITION BY hash % 64 ORDER BY id) + hash % 64 FROM frontier_before.site;
ANALYZE moved;

CREATE FUNCTION pg_temp.moved_pages(pages bytea, site integer) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    FOR place IN 0..length(pages) / 8 - 1 LOOP
        pages := set_byte(pages, 8 * place + 4, (get_byte(pages, 8 * place + 4) & 15) | ((site & 15) << 4));
        pages := set_byte(pages, 8 * place + 5, (site >> 4) & 255);
        pages := set_byte(pages, 8 * place + 6, (site >> 12) & 255);
        pages := set_byte(pages, 8 * place + 7, (site >> 20) & 255);
    END LOOP;
    RETURN pages;
END $$;

INSERT INTO frontier.crawl SELECT * FROM frontier_before.crawl;
INSERT INTO frontier.site (bucket, id, ready, state, rank, next_allowed, blocked, next_due, lease, until, delay, urls, visited, sum_visited, sum_rate, sum_pagerank, sum_in_degree, cash, discovered, errors, slow, soft_404, backlog, referrals, price, big, crawl, completed, crawl_limit, served, locked, dated, hash, tld, name, home, ipv4, ipv6, blocked_at)
SELECT moved.bucket, moved.new, old.ready, old.state, old.rank, old.next_allowed, old.blocked, old.next_due, old.lease, old.until, old.delay, old.urls, old.visited, old.sum_visited, old.sum_rate, old.sum_pagerank, old.sum_in_degree, old.cash, old.discovered, old.errors, old.slow, old.soft_404, old.backlog, old.referrals, old.price, old.big, old.crawl, old.completed, old.crawl_limit, old.served, old.locked, old.dated, old.hash, old.tld, old.name, old.home, old.ipv4, old.ipv6, old.blocked_at
FROM frontier_before.site AS old JOIN moved ON moved.old = old.id ORDER BY moved.new;
INSERT INTO frontier.page (bucket, site, id, due, visited, status, failures, looks, changes, span, rate, content)
SELECT moved.bucket, moved.new, ((moved.new::bigint << 36) | (old.id & 68719476735)), old.due, old.visited, old.status, old.failures, old.looks, old.changes, old.span, old.rate, old.content
FROM frontier_before.page AS old JOIN moved ON moved.old = old.site ORDER BY moved.new, old.id;
INSERT INTO frontier.big_page (bucket, site, id, due)
SELECT moved.bucket, moved.new, ((moved.new::bigint << 36) | (old.id & 68719476735)), old.due
FROM frontier_before.big_page AS old JOIN moved ON moved.old = old.site ORDER BY moved.new, old.id;
INSERT INTO frontier.address (bucket, site, id, url, discovered, pagerank, in_degree, cash, history, etag, last_modified)
SELECT moved.bucket, moved.new, ((moved.new::bigint << 36) | (old.id & 68719476735)), old.url, old.discovered, old.pagerank, old.in_degree, old.cash, old.history, old.etag, old.last_modified
FROM frontier_before.address AS old JOIN moved ON moved.old = old.site ORDER BY moved.new, old.id;
INSERT INTO frontier.page_metadata (bucket, site, id, metadata)
SELECT moved.bucket, moved.new, ((moved.new::bigint << 36) | (old.id & 68719476735)), old.metadata
FROM frontier_before.page_metadata AS old JOIN moved ON moved.old = old.site ORDER BY moved.new, old.id;
INSERT INTO frontier.page_lock (bucket, site, id, until)
SELECT moved.bucket, moved.new, ((moved.new::bigint << 36) | (old.id & 68719476735)), old.until
FROM frontier_before.page_lock AS old JOIN moved ON moved.old = old.site ORDER BY moved.new, old.id;
INSERT INTO frontier.lease (bucket, number, site, fetcher, at, until, delay, release, "full", pages)
SELECT moved.bucket, old.number, moved.new, old.fetcher, old.at, old.until, old.delay, old.release, old."full", pg_temp.moved_pages(old.pages, moved.new)
FROM frontier_before.lease AS old JOIN moved ON moved.old = old.site;
SELECT setval('frontier.lease_number', last_value, is_called) FROM frontier_before.lease_number;
INSERT INTO frontier.fetcher SELECT * FROM frontier_before.fetcher;
INSERT INTO frontier.receipt (bucket, fetcher, key, at, answer)
SELECT receipt_bucket.bucket, old.fetcher, old.key, old.at, old.answer
FROM frontier_before.receipt AS old JOIN receipt_bucket ON receipt_bucket.fetcher = old.fetcher;
INSERT INTO frontier.result (id, number, at, size, pages) OVERRIDING SYSTEM VALUE SELECT id, number, at, size, pages FROM frontier_before.result;
SELECT setval(pg_get_serial_sequence('frontier.result', 'id'), last_value, is_called) FROM frontier_before.result_id_seq;
INSERT INTO frontier.edge (bucket, source, target)
SELECT one.bucket, (one.new::bigint << 36) | (old.source & 68719476735), (other.new::bigint << 36) | (old.target & 68719476735)
FROM frontier_before.edge AS old JOIN moved AS one ON one.old = (old.source >> 36)::integer JOIN moved AS other ON other.old = (old.target >> 36)::integer;
INSERT INTO frontier.round_trip (bucket, site, fetcher, at, seconds)
SELECT moved.bucket, moved.new, old.fetcher, old.at, old.seconds
FROM frontier_before.round_trip AS old JOIN moved ON moved.old = old.site;
INSERT INTO frontier.set_aside (part, id, name, wrong, lost, blocked)
SELECT part, CASE part WHEN 'site' THEN moved.new::text ELSE ((moved.new::bigint << 36) | (old.id::bigint & 68719476735))::text END, name, wrong, lost, blocked
FROM frontier_before.set_aside AS old JOIN moved ON moved.old = (old.id::bigint >> CASE part WHEN 'site' THEN 0 ELSE 36 END)::integer
WHERE part IN ('site', 'page');
INSERT INTO frontier.setting SELECT * FROM frontier_before.setting;
INSERT INTO frontier.last_site (bucket, n)
SELECT every, (SELECT count(*) FROM moved WHERE moved.bucket = every) FROM generate_series(0, 63) AS every;
UPDATE frontier.total SET sites = old.sites, urls = old.urls, visited = old.visited, sum_visited = old.sum_visited, visits = old.visits,
    edges = old.edges, backlog = old.backlog, cash = old.cash FROM frontier_before.total AS old WHERE old.id = total.bucket;
DROP TABLE moved, receipt_bucket;
DROP SCHEMA frontier_before CASCADE;
