-- Query feeds: statements, their sources, what they took, and how far matching has come.

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

-- What was found before there were queries need not be matched when the daemon starts.
INSERT INTO tally (name, value) SELECT 'query/cursor', coalesce(max(seq), 0) FROM entry;
