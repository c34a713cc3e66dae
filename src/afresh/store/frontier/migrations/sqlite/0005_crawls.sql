-- Several crawls in one frontier, queues with a client's keys, locks on single pages, what clients keep with pages. What is there is the crawl DEFAULT.
CREATE TABLE crawl (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO crawl (id, name) VALUES (1, 'DEFAULT');
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
    UNIQUE (crawl, name)
);
INSERT INTO site (
    id, ready, state, rank, next_allowed, blocked, next_due, lease, until, delay, urls, visited, sum_visited, sum_rate,
    sum_pagerank, sum_in_degree, cash, discovered, errors, slow, soft_404, backlog, referrals, price, big, hash, tld, name, home,
    ipv4, ipv6, blocked_at)
SELECT
    id, ready, state, rank, next_allowed, blocked, next_due, lease, until, delay, urls, visited, sum_visited, sum_rate,
    sum_pagerank, sum_in_degree, cash, discovered, errors, slow, soft_404, backlog, referrals, price, big, hash, tld, name, home,
    ipv4, ipv6, blocked_at FROM old_site;
DROP TABLE old_site;
CREATE INDEX site_waiting ON site (crawl, ready) WHERE state = 0;
CREATE INDEX site_available ON site (crawl, rank) WHERE state = 1;
CREATE TABLE page_lock (
    id INTEGER PRIMARY KEY,
    until REAL NOT NULL,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL
);
CREATE TABLE page_metadata (
    id INTEGER PRIMARY KEY,
    metadata TEXT NOT NULL,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL
);
