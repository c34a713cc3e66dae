-- The frontier in SQLite. Times are seconds since 1970 UTC; Infinity in a time means never.
--
-- A page's number holds its site's: site * 2^36 + 36 bits of the URL's hash (the next free number if two URLs of a site
-- share them). Rows of a site are neighbours, the number finds a URL without an index, and nothing else has to be kept
-- in order when a page is visited. See docs/decisions/0008-frontier-store.md.
--
-- A site's number holds its bucket: n * {buckets} + hash % {buckets}, n counted by bucket. So the number of a page tells its bucket, too, and
-- is the whole key; `bucket` shows it where a statement says that it stays within one. See docs/decisions/0014-buckets.md.

-- Crawls: tenants of one frontier, each with sites of its own. They are made by the first URL and stay as names.
CREATE TABLE crawl (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO crawl (id, name) VALUES (1, 'DEFAULT');

-- Sites (queues, to clients of URLFrontier), with their place in the queue and the sums over their pages.
CREATE TABLE site (
    id INTEGER PRIMARY KEY,                   -- see above; up to 2^27 - 1
    ready REAL NOT NULL,                      -- when it may be handed out; Infinity: nothing to fetch
    state INTEGER NOT NULL DEFAULT 0,         -- 0 waits for `ready`; 1 is available, ordered by `rank` (unless the order is `due`)
    rank REAL NOT NULL DEFAULT 0,             -- place among the available, smallest first; by the site order that is set
    next_allowed REAL NOT NULL DEFAULT 0,     -- no request before: the crawl delay after all pages handed out
    blocked REAL NOT NULL DEFAULT 0,          -- no list before: said by an operator
    next_due REAL NOT NULL,                   -- not after the earliest due of the pages that are not handed out
    lease INTEGER NOT NULL DEFAULT 0,         -- the list it is leased with; 0: free
    until REAL NOT NULL DEFAULT 0,            -- when that expires
    delay REAL,                               -- crawl delay in seconds; NULL: not known
    urls INTEGER NOT NULL DEFAULT 0,          -- pages known, whatever their status
    visited INTEGER NOT NULL DEFAULT 0,       -- of these, visited at least once
    sum_visited REAL NOT NULL DEFAULT 0,      -- sum of the last visits' times
    sum_rate REAL NOT NULL DEFAULT 0,         -- sum of change rates, per second
    sum_pagerank REAL NOT NULL DEFAULT 0,
    sum_in_degree INTEGER NOT NULL DEFAULT 0,
    cash REAL NOT NULL DEFAULT 0,             -- OPIC cash of its pages
    discovered REAL,                          -- when its first page was found; NULL: not known
    errors INTEGER NOT NULL DEFAULT 0,        -- pages in a row that failed
    slow REAL NOT NULL DEFAULT 0,             -- smoothed seconds an answer takes
    soft_404 INTEGER NOT NULL DEFAULT 0,      -- visits that found an error page behind a 200
    backlog INTEGER NOT NULL DEFAULT 0,       -- pages over the budget
    referrals INTEGER NOT NULL DEFAULT 0,     -- links from other sites to pages of this one; the budget grows with them
    price REAL NOT NULL DEFAULT 0,            -- of a visit, in seconds of staleness; 0: not learnt yet
    big INTEGER NOT NULL DEFAULT 0,           -- 1: its pages are in the index `page_due`
    crawl INTEGER NOT NULL DEFAULT 1,         -- whose it is
    completed INTEGER NOT NULL DEFAULT 0,     -- pages that are not to be fetched again, as a client said
    crawl_limit INTEGER NOT NULL DEFAULT 0,   -- completed pages after which nothing more is handed out; 0: none
    served REAL NOT NULL DEFAULT 0,           -- when pages were last locked for a client; 0: never, or leased since
    locked REAL NOT NULL DEFAULT 0,           -- when the last lock on one of its pages ends
    dated REAL NOT NULL DEFAULT 0,            -- the latest time to fetch one of its pages again that a client gave
    hash INTEGER NOT NULL,                    -- 63 bits, the same everywhere
    tld TEXT NOT NULL,
    name TEXT NOT NULL,                       -- its host, or a key that a client chose
    home TEXT NOT NULL DEFAULT '',            -- UUID of the fetcher it is assigned to; '': nobody
    ipv4 TEXT NOT NULL DEFAULT '',
    ipv6 TEXT NOT NULL DEFAULT '',
    blocked_at REAL NOT NULL DEFAULT 0,       -- when `blocked` was said
    trouble INTEGER NOT NULL DEFAULT 0,       -- number of its last page of which nothing came (see `failure`); 0: something came of a later one
    well INTEGER NOT NULL DEFAULT 0,          -- pages of which something came at their last try
    failed INTEGER NOT NULL DEFAULT 0,        -- pages of which nothing came at their last try; the others wait for their first
    left_out INTEGER NOT NULL DEFAULT 0,      -- pages that robots.txt forbids
    bucket INTEGER GENERATED ALWAYS AS (id % {buckets}) VIRTUAL,
    UNIQUE (crawl, name)
);
CREATE INDEX site_waiting ON site (crawl, ready) WHERE state = 0;
CREATE INDEX site_available ON site (crawl, rank) WHERE state = 1;

-- What changes at each visit: small rows, so that a site's are on one or two pages of the file.
CREATE TABLE page (
    id INTEGER PRIMARY KEY,                   -- the page's number, see above
    due REAL NOT NULL,                        -- when to fetch it; Infinity: not at all (see status)
    visited REAL,                             -- last visit; NULL: never
    status INTEGER NOT NULL DEFAULT 0,        -- 0 to fetch, 1 excluded by robots.txt, 2 gone, 3 failing, 4 refused, 5 backlog, 6 completed, 7 set aside
    big INTEGER NOT NULL DEFAULT 0,           -- its site's
    failures INTEGER NOT NULL DEFAULT 0,      -- in a row
    looks INTEGER NOT NULL DEFAULT 0,         -- visits that could tell whether it had changed since the one before
    changes INTEGER NOT NULL DEFAULT 0,       -- of these, those that said yes
    span REAL NOT NULL DEFAULT 0,             -- seconds between the visits that were compared, in all
    rate REAL NOT NULL DEFAULT 0,             -- changes a second, estimated from the three
    content TEXT NOT NULL DEFAULT '',         -- hash of what the last visit found, as the fetcher wrote it
    -- Room for `due` and `visited`, which take 8 bytes each only once they are times: given up at the first visit. A row that grew
    -- then would split the pages of the file, which an import has filled to the brim.
    spare BLOB DEFAULT x'00000000000000000000000000000000',
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);
-- Only big sites pay for an index; the pages of the others are quicker looked through.
CREATE INDEX page_due ON page (id >> 36, due) WHERE big = 1;

-- What rarely changes.
CREATE TABLE address (
    id INTEGER PRIMARY KEY,                   -- the page's number
    url TEXT NOT NULL,
    discovered REAL,                          -- NULL: not known
    pagerank REAL NOT NULL DEFAULT 0,
    in_degree INTEGER NOT NULL DEFAULT 0,     -- links to it, if links are kept
    cash REAL NOT NULL DEFAULT 0,             -- OPIC: waiting to be passed on at the next visit
    history REAL NOT NULL DEFAULT 0,          -- OPIC: passed on so far
    etag TEXT NOT NULL DEFAULT '',
    last_modified TEXT NOT NULL DEFAULT '',
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);

-- Pages that a client has been given one by one (the site itself stays free), until it says what became of them.
CREATE TABLE page_lock (
    id INTEGER PRIMARY KEY,                   -- the page's number
    until REAL NOT NULL,
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);

-- What a client keeps with a page; no row: nothing.
CREATE TABLE page_metadata (
    id INTEGER PRIMARY KEY,                   -- the page's number
    metadata TEXT NOT NULL,                   -- a JSON object of lists of texts
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);

-- How many links a page is away from where its crawl began; only of pages that were found while that has a limit.
CREATE TABLE page_depth (
    id INTEGER PRIMARY KEY,                   -- the page's number
    depth INTEGER NOT NULL,                   -- on the shortest way that was found; no row: 0, or it was not counted
    links BLOB,                               -- what it leads to, as ``depths.packed``; NULL: it was not visited, or has none
    open INTEGER NOT NULL DEFAULT 0,          -- 1: these were not followed, or from a place that was farther away
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);
CREATE INDEX page_depth_open ON page_depth (depth) WHERE open = 1;

-- Pages of which nothing came at their last try, and why. A page that is well has no row: its visits write nothing here.
CREATE TABLE failure (
    id INTEGER PRIMARY KEY,                   -- the page's number
    at REAL NOT NULL,                         -- when it was reported
    result TEXT NOT NULL,                     -- as reported; 'fetched': an error page behind a 200; 'skipped': its site could not be asked
    why TEXT NOT NULL,                        -- as the fetcher says; '': it does not
    fetcher TEXT NOT NULL,                    -- its UUID
    site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL,
    bucket INTEGER GENERATED ALWAYS AS ((id >> 36) % {buckets}) VIRTUAL
);
CREATE INDEX failure_at ON failure (at) WHERE result NOT IN ('excluded', 'skipped');
CREATE INDEX failure_skipped ON failure (at) WHERE result = 'skipped';

-- Lists that were handed out and not reported yet; after their end they stay for a while, to tell a late report from a false one.
CREATE TABLE lease (
    number INTEGER PRIMARY KEY,               -- only grows
    site INTEGER NOT NULL,
    fetcher TEXT NOT NULL,
    at REAL NOT NULL,
    until REAL NOT NULL,
    delay REAL NOT NULL,                      -- seconds between two requests, as handed out
    release INTEGER NOT NULL,                 -- 1: a report ends it
    full INTEGER NOT NULL,                    -- 1: more pages were due than it holds
    pages BLOB NOT NULL,                      -- their numbers, 8 bytes each, as this machine writes them
    bucket INTEGER GENERATED ALWAYS AS (site % {buckets}) VIRTUAL
);

CREATE TABLE fetcher (
    uuid TEXT PRIMARY KEY,
    contact TEXT NOT NULL,
    name TEXT NOT NULL,
    registered REAL NOT NULL,
    token_digest TEXT NOT NULL,
    location TEXT NOT NULL,
    tld_preference TEXT NOT NULL,
    address TEXT NOT NULL,
    last_seen REAL,
    UNIQUE (contact, name)
) WITHOUT ROWID;

-- Reports that were taken over, by their key: the same again gets the same answer.
CREATE TABLE receipt (
    bucket INTEGER NOT NULL,                  -- the fetcher's: its UUID is hashed like the name of a site
    fetcher TEXT NOT NULL,
    key TEXT NOT NULL,
    at REAL NOT NULL,
    answer TEXT NOT NULL,                     -- JSON
    PRIMARY KEY (bucket, fetcher, key)
) WITHOUT ROWID;
CREATE INDEX receipt_at ON receipt (at);

-- What fetchers reported, kept for sinks until every one of them has taken it; empty where there is no sink.
CREATE TABLE result (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- one writer at a time: a number is visible before any later one is
    at REAL NOT NULL,                         -- when it was reported
    size INTEGER NOT NULL,                    -- pages in it
    pages BLOB NOT NULL                       -- see store/frontier/results.py
);

-- Links between pages, if they are kept.
CREATE TABLE edge (
    source INTEGER NOT NULL,                  -- page numbers
    target INTEGER NOT NULL,
    bucket INTEGER GENERATED ALWAYS AS ((source >> 36) % {buckets}) VIRTUAL,
    PRIMARY KEY (source, target)
) WITHOUT ROWID;

-- How long fetchers waited for sites: the newest measurements of each pair.
CREATE TABLE round_trip (
    site INTEGER NOT NULL,
    fetcher TEXT NOT NULL,
    at REAL NOT NULL,
    seconds REAL NOT NULL,
    bucket INTEGER GENERATED ALWAYS AS (site % {buckets}) VIRTUAL,
    PRIMARY KEY (site, fetcher, at)
) WITHOUT ROWID;
CREATE INDEX round_trip_at ON round_trip (at);

CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO setting (key, value) VALUES ('buckets', '{buckets}'); -- for ever: numbers are made of it

-- Rows that could not be read: made readable, and handed out to nobody until somebody has looked at them.
CREATE TABLE set_aside (
    part TEXT NOT NULL,                       -- the table
    id TEXT NOT NULL,                         -- number or UUID of the row
    name TEXT NOT NULL,                       -- what a person knows it by
    wrong TEXT NOT NULL,                      -- JSON: column, what is wrong with it
    lost INTEGER NOT NULL,                    -- 1: nothing can stand in for what is lost
    blocked REAL NOT NULL DEFAULT 0,          -- a site's block before
    PRIMARY KEY (part, id)
) WITHOUT ROWID;

-- How many numbers of sites were given in each bucket; a cleared site's is not used again.
CREATE TABLE last_site (
    bucket INTEGER PRIMARY KEY,
    n INTEGER NOT NULL DEFAULT 0
);
WITH RECURSIVE every (bucket) AS (VALUES (0) UNION ALL SELECT bucket + 1 FROM every WHERE bucket + 1 < {buckets})
INSERT INTO last_site (bucket) SELECT bucket FROM every;

-- Totals, kept with every transaction: the sum over all rows. One row is enough where one transaction writes at a time.
CREATE TABLE total (
    bucket INTEGER PRIMARY KEY,
    lease INTEGER NOT NULL DEFAULT 0,         -- last number given
    sites INTEGER NOT NULL DEFAULT 0,
    urls INTEGER NOT NULL DEFAULT 0,
    visited INTEGER NOT NULL DEFAULT 0,
    sum_visited REAL NOT NULL DEFAULT 0,
    visits INTEGER NOT NULL DEFAULT 0,        -- counted for ever
    edges INTEGER NOT NULL DEFAULT 0,
    backlog INTEGER NOT NULL DEFAULT 0,
    cash REAL NOT NULL DEFAULT 0,             -- OPIC: passed on by all visits so far
    well INTEGER NOT NULL DEFAULT 0,          -- as those of the sites
    failed INTEGER NOT NULL DEFAULT 0,
    left_out INTEGER NOT NULL DEFAULT 0
);
INSERT INTO total (bucket) VALUES (0);
