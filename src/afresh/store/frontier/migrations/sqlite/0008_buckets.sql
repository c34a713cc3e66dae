-- Buckets: the number of a site tells where it is, and so do those of its pages. Every site gets a new number; numbers of lists stay.
CREATE TEMP TABLE moved (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
INSERT INTO moved (old, new) SELECT id, 64 * row_number() OVER (PARTITION BY hash % 64 ORDER BY id) + hash % 64 FROM site;
ALTER TABLE site RENAME TO old_site;
CREATE TABLE site (
    id INTEGER PRIMARY KEY,
    ready REAL NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    rank REAL NOT NULL DEFAULT 0,
    next_allowed REAL NOT NULL DEFAULT 0,
    blocked REAL NOT NULL DEFAULT 0,
    next_due REAL NOT NULL,
    lease INTEGER NOT NULL DEFAULT 0,
    until REAL NOT NULL DEFAULT 0,
    delay REAL,
    urls INTEGER NOT NULL DEFAULT 0,
    visited INTEGER NOT NULL DEFAULT 0,
    sum_visited REAL NOT NULL DEFAULT 0,
    sum_rate REAL NOT NULL DEFAULT 0,
    sum_pagerank REAL NOT NULL DEFAULT 0,
    sum_in_degree INTEGER NOT NULL DEFAULT 0,
    cash REAL NOT NULL DEFAULT 0,
    discovered REAL,
    errors INTEGER NOT NULL DEFAULT 0,
    slow REAL NOT NULL DEFAULT 0,
    soft_404 INTEGER NOT NULL DEFAULT 0,
    backlog INTEGER NOT NULL DEFAULT 0,
    referrals INTEGER NOT NULL DEFAULT 0,
    price REAL NOT NULL DEFAULT 0,
    big INTEGER NOT NULL DEFAULT 0,
    crawl INTEGER NOT NULL DEFAULT 1,
    completed INTEGER NOT NULL DEFAULT 0,
    crawl_limit INTEGER NOT NULL DEFAULT 0,
    served REAL NOT NULL DEFAULT 0,
    locked REAL NOT NULL DEFAULT 0,
    dated REAL NOT NULL DEFAULT 0,
    hash INTEGER NOT NULL,
    tld TEXT NOT NULL,
    name TEXT NOT NULL,
    home TEXT NOT NULL DEFAULT '',
    ipv4 TEXT NOT NULL DEFAULT '',
    ipv6 TEXT NOT NULL DEFAULT '',
    blocked_at REAL NOT NULL DEFAULT 0,
    bucket INTEGER GENERATED ALWAYS AS (id % 64) VIRTUAL,
    UNIQUE (crawl, name)
);
INSERT INTO site (id, ready, state, rank, next_allowed, blocked, next_due, lease, until, delay, urls, visited, sum_visited, sum_rate, sum_pagerank, sum_in_degree, cash, discovered, errors, slow, soft_404, backlog, referrals, price, big, crawl, completed, crawl_limit, served, locked, dated, hash, tld, name, home, ipv4, ipv6, blocked_at)
SELECT moved.new, old_site.ready, old_site.state, old_site.rank, old_site.next_allowed, old_site.blocked, old_site.next_due, old_site.lease, old_site.until, old_site.delay, old_site.urls, old_site.visited, old_site.sum_visited, old_site.sum_rate, old_site.sum_pagerank, old_site.sum_in_degree, old_site.cash, old_site.discovered, old_site.errors, old_site.slow, old_site.soft_404, old_site.backlog, old_site.referrals, old_site.price, old_site.big, old_site.crawl, old_site.completed, old_site.crawl_limit, old_site.served, old_site.locked, old_site.dated, old_site.hash, old_site.tld, old_site.name, old_site.home, old_site.ipv4, old_site.ipv6, old_site.blocked_at
FROM old_site JOIN moved ON moved.old = old_site.id ORDER BY moved.new;
DROP TABLE old_site;
CREATE INDEX site_waiting ON site (crawl, ready) WHERE state = 0;
CREATE INDEX site_available ON site (crawl, rank) WHERE state = 1;
ALTER TABLE page RENAME TO old_page;
CREATE TABLE page (
    id INTEGER PRIMARY KEY,
    due REAL NOT NULL,
    visited REAL,
    status INTEGER NOT NULL DEFAULT 0,
    big INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    looks INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    span REAL NOT NULL DEFAULT 0,
    rate REAL NOT NULL DEFAULT 0,
    content TEXT NOT NULL DEFAULT '',
    spare BLOB DEFAULT x'00000000000000000000000000000000',
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % 64) VIRTUAL
);
INSERT INTO page (id, due, visited, status, big, failures, looks, changes, span, rate, content, spare)
SELECT (moved.new << 36) | (old_page.id & 68719476735), old_page.due, old_page.visited, old_page.status, old_page.big, old_page.failures, old_page.looks, old_page.changes, old_page.span, old_page.rate, old_page.content, old_page.spare
FROM old_page JOIN moved ON moved.old = old_page.id >> 36 ORDER BY 1;
DROP TABLE old_page;
CREATE INDEX page_due ON page (id >> 36, due) WHERE big = 1;
ALTER TABLE address RENAME TO old_address;
CREATE TABLE address (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    discovered REAL,
    pagerank REAL NOT NULL DEFAULT 0,
    in_degree INTEGER NOT NULL DEFAULT 0,
    cash REAL NOT NULL DEFAULT 0,
    history REAL NOT NULL DEFAULT 0,
    etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % 64) VIRTUAL
);
INSERT INTO address (id, url, discovered, pagerank, in_degree, cash, history, etag, last_modified)
SELECT (moved.new << 36) | (old_address.id & 68719476735), old_address.url, old_address.discovered, old_address.pagerank, old_address.in_degree, old_address.cash, old_address.history, old_address.etag, old_address.last_modified
FROM old_address JOIN moved ON moved.old = old_address.id >> 36 ORDER BY 1;
DROP TABLE old_address;
ALTER TABLE page_lock RENAME TO old_page_lock;
CREATE TABLE page_lock (
    id INTEGER PRIMARY KEY,
    until REAL NOT NULL,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % 64) VIRTUAL
);
INSERT INTO page_lock (id, until)
SELECT (moved.new << 36) | (old_page_lock.id & 68719476735), old_page_lock.until
FROM old_page_lock JOIN moved ON moved.old = old_page_lock.id >> 36 ORDER BY 1;
DROP TABLE old_page_lock;
ALTER TABLE page_metadata RENAME TO old_page_metadata;
CREATE TABLE page_metadata (
    id INTEGER PRIMARY KEY,
    metadata TEXT NOT NULL,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % 64) VIRTUAL
);
INSERT INTO page_metadata (id, metadata)
SELECT (moved.new << 36) | (old_page_metadata.id & 68719476735), old_page_metadata.metadata
FROM old_page_metadata JOIN moved ON moved.old = old_page_metadata.id >> 36 ORDER BY 1;
DROP TABLE old_page_metadata;
ALTER TABLE lease RENAME TO old_lease;
CREATE TABLE lease (
    number INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    fetcher TEXT NOT NULL,
    at REAL NOT NULL,
    until REAL NOT NULL,
    delay REAL NOT NULL,
    release INTEGER NOT NULL,
    full INTEGER NOT NULL,
    pages BLOB NOT NULL,
    bucket INTEGER GENERATED ALWAYS AS (site % 64) VIRTUAL
);
INSERT INTO lease (number, site, fetcher, at, until, delay, release, "full", pages)
SELECT old_lease.number, coalesce(moved.new, 0), old_lease.fetcher, old_lease.at, old_lease.until, old_lease.delay, old_lease.release, old_lease.full, moved_pages(old_lease.pages, coalesce(moved.new, 0))
FROM old_lease LEFT JOIN moved ON moved.old = old_lease.site;
DROP TABLE old_lease;
UPDATE set_aside SET id = CASE part
    WHEN 'site' THEN (SELECT CAST(new AS TEXT) FROM moved WHERE old = CAST(id AS INTEGER))
    ELSE (SELECT CAST((new << 36) | (CAST(id AS INTEGER) & 68719476735) AS TEXT) FROM moved WHERE old = CAST(id AS INTEGER) >> 36) END
WHERE part IN ('site', 'page') AND CAST(id AS INTEGER) >> CASE part WHEN 'site' THEN 0 ELSE 36 END IN (SELECT old FROM moved);
ALTER TABLE edge RENAME TO old_edge;
CREATE TABLE edge (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    bucket INTEGER GENERATED ALWAYS AS ((source >> 36) % 64) VIRTUAL,
    PRIMARY KEY (source, target)
) WITHOUT ROWID;
INSERT INTO edge (source, target)
SELECT (one.new << 36) | (source & 68719476735), (other.new << 36) | (target & 68719476735)
FROM old_edge JOIN moved AS one ON one.old = source >> 36 JOIN moved AS other ON other.old = target >> 36;
DROP TABLE old_edge;
ALTER TABLE round_trip RENAME TO old_round_trip;
CREATE TABLE round_trip (
    site INTEGER NOT NULL,
    fetcher TEXT NOT NULL,
    at REAL NOT NULL,
    seconds REAL NOT NULL,
    bucket INTEGER GENERATED ALWAYS AS (site % 64) VIRTUAL,
    PRIMARY KEY (site, fetcher, at)
) WITHOUT ROWID;
INSERT INTO round_trip (site, fetcher, at, seconds)
SELECT moved.new, old_round_trip.fetcher, old_round_trip.at, old_round_trip.seconds
FROM old_round_trip JOIN moved ON moved.old = old_round_trip.site;
DROP TABLE old_round_trip;
CREATE INDEX round_trip_at ON round_trip (at);
ALTER TABLE receipt RENAME TO old_receipt;
CREATE TABLE receipt (
    bucket INTEGER NOT NULL,
    fetcher TEXT NOT NULL,
    key TEXT NOT NULL,
    at REAL NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (bucket, fetcher, key)
) WITHOUT ROWID;
INSERT INTO receipt (bucket, fetcher, key, at, answer)
SELECT bucket_of(old_receipt.fetcher), old_receipt.fetcher, old_receipt.key, old_receipt.at, old_receipt.answer
FROM old_receipt ;
DROP TABLE old_receipt;
CREATE INDEX receipt_at ON receipt (at);
CREATE TABLE last_site (
    bucket INTEGER PRIMARY KEY,
    n INTEGER NOT NULL DEFAULT 0
);
INSERT INTO last_site (bucket, n)
WITH RECURSIVE every (bucket) AS (VALUES (0) UNION ALL SELECT bucket + 1 FROM every WHERE bucket < 63)
SELECT bucket, (SELECT count(*) FROM moved WHERE new % 64 = bucket) FROM every;
ALTER TABLE total RENAME TO old_total;
CREATE TABLE total (
    bucket INTEGER PRIMARY KEY,
    lease INTEGER NOT NULL DEFAULT 0,
    sites INTEGER NOT NULL DEFAULT 0,
    urls INTEGER NOT NULL DEFAULT 0,
    visited INTEGER NOT NULL DEFAULT 0,
    sum_visited REAL NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,
    edges INTEGER NOT NULL DEFAULT 0,
    backlog INTEGER NOT NULL DEFAULT 0,
    cash REAL NOT NULL DEFAULT 0
);
INSERT INTO total (bucket, lease, sites, urls, visited, sum_visited, visits, edges, backlog, cash)
SELECT 0, lease, sites, urls, visited, sum_visited, visits, edges, backlog, cash
FROM old_total;
DROP TABLE old_total;
INSERT INTO setting (key, value) VALUES ('buckets', '64');
DROP TABLE moved;
