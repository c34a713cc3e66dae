-- The SQLite store, schema version 2. The truth for new databases; old ones get here by migrations/NNNN_*.sql.
-- All times are seconds since 1970 UTC, all spans are seconds, unless a comment says otherwise.
-- A column added later goes to the end of its table, here as in its migration.

-- The unit of politeness. One row a site; it stays when its last resource goes, so that its delay is remembered.
CREATE TABLE site (
    id              INTEGER PRIMARY KEY,
    name            TEXT NOT NULL UNIQUE,           -- host, registrable domain or service; written by add
    delay           REAL,                           -- between requests; written by the operator; NULL: the settings' minimum
    next_allowed    REAL NOT NULL DEFAULT 0,        -- no request before this; written by record
    retry_after     REAL,                           -- until when the server wants to be left alone; by record; NULL: it did not ask
    ready           REAL,                           -- max(lease expiry, next_allowed, earliest due of its active resources);
                                                    -- by every statement that changes one of them; NULL: nothing to visit
    resources       INTEGER NOT NULL DEFAULT 0,     -- how many it has; written by triggers
    requests        INTEGER NOT NULL DEFAULT 0,     -- how many were made; written by record
    failures        INTEGER NOT NULL DEFAULT 0,     -- in a row, over all its resources; written by record
    lease           INTEGER,                        -- number of the open lease; by lease, release, record; NULL: free
    leased_resource INTEGER,                        -- the resource handed out; NULL with lease
    leased_by       TEXT,                           -- the fetcher that has it; NULL with lease
    leased_until    REAL                            -- when the lease may be handed out again; NULL with lease
) STRICT;

CREATE INDEX site_by_ready ON site (ready) WHERE ready IS NOT NULL;         -- the queue of sites
CREATE UNIQUE INDEX site_by_lease ON site (lease) WHERE lease IS NOT NULL;  -- finds what a report is about

-- Everything known about one URL between two visits. AUTOINCREMENT: the number of a removed resource is never
-- given to another. Wide columns come last: reading those in front then does not walk overflow pages.
CREATE TABLE resource (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id         INTEGER NOT NULL REFERENCES site (id),  -- by add; by record when the URL moves
    url_key         INTEGER NOT NULL,               -- first 64 bits of BLAKE2b(url), signed; equal keys are compared in full
    kind            TEXT NOT NULL,                  -- feed, page or link; by add, record
    status          TEXT NOT NULL,                  -- active, paused, gone or blocked; by the operator, record
    due             REAL NOT NULL,                  -- next visit; by add, the operator, record; infinity: never
    last_visit      REAL,                           -- any visit; by record; NULL: none yet
    last_ok         REAL,                           -- last successful visit; by record; NULL: none yet
    last_interval   REAL,                           -- the interval decided last; by record; NULL: none yet
    added           REAL NOT NULL,                  -- by add
    weight          REAL NOT NULL,                  -- importance; by the operator
    predictor       TEXT,                           -- rule by name; by the operator; NULL: the settings' default
    pinned          REAL,                           -- interval fixed by the operator; NULL: predicted
    alpha           REAL,                           -- shortest interval; by the operator; NULL: the settings'
    beta            REAL,                           -- longest interval; by the operator; NULL: the settings'
    eta             REAL,                           -- interval where none can be computed; by the operator; NULL: the settings'
    max_age         REAL,                           -- Cache-Control of the last answer; by record; NULL: none given
    clock_offset    REAL NOT NULL DEFAULT 0,        -- our clock minus the server's; by record
    capacity        INTEGER NOT NULL DEFAULT 0,     -- largest window seen, entries; by record
    ok              INTEGER NOT NULL DEFAULT 0,     -- successful visits; this and the next seven by record
    not_modified    INTEGER NOT NULL DEFAULT 0,     -- of these, answered 304
    unreachable     INTEGER NOT NULL DEFAULT 0,     -- network failures and HTTP errors
    unparsable      INTEGER NOT NULL DEFAULT 0,     -- documents that could not be read
    misses          INTEGER NOT NULL DEFAULT 0,     -- windows that did not overlap the one before
    entries         INTEGER NOT NULL DEFAULT 0,     -- found so far
    failures        INTEGER NOT NULL DEFAULT 0,     -- in a row; 0: the last visit went well
    bytes           INTEGER NOT NULL DEFAULT 0,     -- received so far
    moving_days     INTEGER NOT NULL DEFAULT 0,     -- different days on which moving_target was seen; by record
    moving_last_day INTEGER NOT NULL DEFAULT -1,    -- days since 1970; by record; -1: never
    pattern         TEXT NOT NULL DEFAULT '',       -- update-pattern class; by record; '': not known yet
    last_result     TEXT,                           -- of the last visit; by record; NULL: none yet
    url             TEXT NOT NULL,                  -- canonical; by add, record (a confirmed permanent redirect)
    title           TEXT NOT NULL DEFAULT '',       -- by add, the operator; by record only while it is ''
    folder          TEXT NOT NULL DEFAULT '',       -- by add, the operator; '': none
    tags            TEXT NOT NULL DEFAULT '[]',     -- JSON array of strings; by add, the operator
    state_of        TEXT NOT NULL DEFAULT '',       -- the rule that state belongs to; by record; '': none
    etag            TEXT NOT NULL DEFAULT '',       -- as received; by record; '': none
    last_modified   TEXT NOT NULL DEFAULT '',       -- as received; by record; '': none
    moving_target   TEXT NOT NULL DEFAULT '',       -- where permanent redirects point; by record; '': nowhere
    error           TEXT NOT NULL DEFAULT '',       -- of the last visit; by record; '': none
    reason          TEXT NOT NULL DEFAULT '',       -- why due is when it is; by record
    facts           TEXT NOT NULL DEFAULT '',       -- FeedFacts as JSON; by record; '': never parsed
    state           BLOB NOT NULL DEFAULT x'',      -- float64s, little endian; by record
    window          BLOB NOT NULL DEFAULT x''       -- n identities of 20 bytes, then n times as float64, little endian; by record
) STRICT;

CREATE INDEX resource_by_key ON resource (url_key);                                    -- is this URL known?
-- Full indexes with the status inside: over a partial one SQLite would still fetch the row to look at its status.
CREATE INDEX resource_by_site ON resource (site_id, status, due);                      -- the queue inside a site
CREATE INDEX resource_by_due ON resource (status, due);                                -- how much is overdue
CREATE INDEX resource_failing ON resource (failures) WHERE failures > 0;

-- The log: one row a recorded visit.
CREATE TABLE visit (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    started         REAL NOT NULL,
    finished        REAL NOT NULL,
    result          TEXT NOT NULL,                  -- what it came to, see core.models.Result
    status          INTEGER,                        -- HTTP; NULL: no answer came
    bytes           INTEGER NOT NULL,               -- received
    etag            TEXT NOT NULL,                  -- '': none
    last_modified   TEXT NOT NULL,                  -- '': none
    date            REAL,                           -- the server's clock; NULL: not given
    expires         REAL,                           -- NULL: not given
    max_age         REAL,                           -- NULL: not given
    window_size     INTEGER,                        -- entries in the document; NULL: no document
    new             INTEGER NOT NULL,               -- entries not seen in the window before
    missed          INTEGER NOT NULL,               -- 1: the windows did not overlap
    next_due        REAL NOT NULL,                  -- what was decided
    reason          TEXT NOT NULL,                  -- and why
    error           TEXT NOT NULL                   -- '': none
) STRICT;

CREATE INDEX visit_of_resource ON visit (resource_id);
CREATE INDEX visit_by_time ON visit (finished);                                        -- pruning

-- Entries found, in one sequence for all readers. AUTOINCREMENT and one writer at a time: a number is visible before
-- any later one is, so reading on from the last seen skips nothing. An entry that left the window and came back
-- is new again (Reichert §3.5.2), hence no uniqueness over (resource, uid); record drops doubles within one visit.
CREATE TABLE entry (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    uid             BLOB NOT NULL,                  -- identity, SHA-1
    published       REAL NOT NULL,                  -- corrected
    published_raw   REAL,                           -- as published; NULL: no usable date
    found           REAL NOT NULL,                  -- time of the visit that found it
    initial         INTEGER NOT NULL,               -- 1: was in the first window, its delay means nothing
    after_gap       INTEGER NOT NULL,               -- 1: entries before it may have been missed
    updated         REAL,                           -- as published; NULL: not given
    date_source     TEXT NOT NULL,                  -- the element the date came from; '': none
    native_id       TEXT NOT NULL,                  -- Atom id, RSS guid, JSON Feed id; '': none
    title           TEXT NOT NULL,
    link            TEXT NOT NULL,
    author          TEXT NOT NULL,
    categories      TEXT NOT NULL,                  -- JSON array of strings
    summary         TEXT NOT NULL,                  -- as received: hostile until shown safely
    content         TEXT NOT NULL                   -- as received: hostile until shown safely
) STRICT;

CREATE INDEX entry_of_resource ON entry (resource_id);
CREATE INDEX entry_by_publication ON entry (resource_id, published);                   -- counts of the last days
CREATE INDEX entry_by_time ON entry (found);                                           -- pruning

-- Raw answers kept for study, oldest dropped first (record keeps the table within its limits).
CREATE TABLE document (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    at              REAL NOT NULL,                  -- when it arrived
    why             TEXT NOT NULL,                  -- unparsable or news
    stored          INTEGER NOT NULL,               -- bytes of body as kept here
    headers         TEXT NOT NULL,
    body            BLOB NOT NULL                   -- zlib
) STRICT;

CREATE INDEX document_of_resource ON document (resource_id);

-- What visits came to, minute by minute for the last two days; written by record. Minute -1 is the sum of all time.
CREATE TABLE activity (
    minute          INTEGER PRIMARY KEY,            -- of visit.finished, since 1970
    new             INTEGER NOT NULL DEFAULT 0,     -- visits by result: this and the next nine
    same            INTEGER NOT NULL DEFAULT 0,
    not_modified    INTEGER NOT NULL DEFAULT 0,
    unparsable      INTEGER NOT NULL DEFAULT 0,
    throttled       INTEGER NOT NULL DEFAULT 0,
    http_error      INTEGER NOT NULL DEFAULT 0,
    gone            INTEGER NOT NULL DEFAULT 0,
    unreachable     INTEGER NOT NULL DEFAULT 0,
    refused         INTEGER NOT NULL DEFAULT 0,
    offline         INTEGER NOT NULL DEFAULT 0,
    entries         INTEGER NOT NULL DEFAULT 0,     -- entries found
    delayed         INTEGER NOT NULL DEFAULT 0,     -- of these, not initial: those with a delay
    delay           REAL NOT NULL DEFAULT 0,        -- sum of their delays
    missed          INTEGER NOT NULL DEFAULT 0,     -- visits whose window did not overlap the one before
    bytes           INTEGER NOT NULL DEFAULT 0      -- received
) STRICT;

-- Small totals: 'lease' (last number given), 'sites', 'resources/KIND/STATUS' (both by triggers), 'query/generation' (changes of
-- queries so far), 'query/cursor' (entries up to this number were matched with the queries).
CREATE TABLE tally (
    name            TEXT PRIMARY KEY,
    value           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER site_added AFTER INSERT ON site BEGIN
    INSERT INTO tally (name, value) VALUES ('sites', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER site_removed AFTER DELETE ON site BEGIN
    UPDATE tally SET value = value - 1 WHERE name = 'sites';
END;

CREATE TRIGGER resource_added AFTER INSERT ON resource BEGIN
    UPDATE site SET resources = resources + 1 WHERE id = new.site_id;
    INSERT INTO tally (name, value) VALUES ('resources/' || new.kind || '/' || new.status, 1)
        ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER resource_removed AFTER DELETE ON resource BEGIN
    UPDATE site SET resources = resources - 1 WHERE id = old.site_id;
    UPDATE tally SET value = value - 1 WHERE name = 'resources/' || old.kind || '/' || old.status;
END;

CREATE TRIGGER resource_reclassified AFTER UPDATE OF kind, status ON resource
WHEN old.kind <> new.kind OR old.status <> new.status BEGIN
    UPDATE tally SET value = value - 1 WHERE name = 'resources/' || old.kind || '/' || old.status;
    INSERT INTO tally (name, value) VALUES ('resources/' || new.kind || '/' || new.status, 1)
        ON CONFLICT (name) DO UPDATE SET value = value + 1;
END;

CREATE TRIGGER resource_moved AFTER UPDATE OF site_id ON resource WHEN old.site_id <> new.site_id BEGIN
    UPDATE site SET resources = resources - 1 WHERE id = old.site_id;
    UPDATE site SET resources = resources + 1 WHERE id = new.site_id;
END;

-- What the daemon remembers between runs: the price, learnt parameters.
CREATE TABLE setting (
    key             TEXT PRIMARY KEY,
    value           TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Query feeds: new feeds composed from old ones. AUTOINCREMENT: the number of a dropped query is never given again.
CREATE TABLE query (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL UNIQUE,           -- part of its address; by put_query
    title           TEXT NOT NULL,                  -- of its feed; '': the name
    text            TEXT NOT NULL,                  -- the statement as written
    version         INTEGER NOT NULL,               -- generation (see tally) in which it was last written
    created         REAL NOT NULL,
    modified        REAL NOT NULL,                  -- when its feed last changed; by put_query, record_matches
    places          INTEGER NOT NULL DEFAULT 0      -- entries ever taken; by put_query, record_matches
) STRICT;

-- The sources of a query in the order they were written.
CREATE TABLE query_source (
    query_id        INTEGER NOT NULL REFERENCES query (id) ON DELETE CASCADE,
    branch          INTEGER NOT NULL,               -- from 0
    selector        TEXT NOT NULL,                  -- what selects its entries, see core.queries.index
    label           TEXT NOT NULL,                  -- as written
    resource_id     INTEGER REFERENCES resource (id) ON DELETE SET NULL,  -- of 'resource:N'; NULL: another kind, or gone
    source_query_id INTEGER REFERENCES query (id),  -- of 'query:N'; NULL: another kind
    seen_before     INTEGER NOT NULL,               -- query_seen.seen of its selector when the query was made
    seen_backlog    INTEGER NOT NULL,               -- entries older than the query that were tested when it was made
    matched         INTEGER NOT NULL DEFAULT 0,     -- entries that passed; by put_query, record_matches
    PRIMARY KEY (query_id, branch)
) STRICT, WITHOUT ROWID;

CREATE INDEX query_source_of_resource ON query_source (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX query_source_of_query ON query_source (source_query_id) WHERE source_query_id IS NOT NULL;

-- Entries offered under each selector in use; one row serves all queries over it. Written by record_matches.
CREATE TABLE query_seen (
    selector        TEXT PRIMARY KEY,
    seen            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The archive of each query feed. Places are dense and never given again; a removed entry leaves a hole.
CREATE TABLE query_entry (
    query_id        INTEGER NOT NULL REFERENCES query (id) ON DELETE CASCADE,
    place           INTEGER NOT NULL,               -- from 1, in the order of taking
    seq             INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    identity        BLOB NOT NULL,                  -- 16 bytes; an entry is published once a query
    score           REAL NOT NULL,                  -- how well it answers the query
    taken           REAL NOT NULL,                  -- when
    PRIMARY KEY (query_id, place)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX query_entry_identity ON query_entry (query_id, identity);
CREATE INDEX query_entry_of_entry ON query_entry (seq);                                -- removing entries
