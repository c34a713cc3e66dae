-- The daemons that share a store, and what all of them may still spend.
-- The daemons that share this store (one, on SQLite).
CREATE TABLE daemon (
    name            TEXT PRIMARY KEY,               -- machine and process
    since           REAL NOT NULL,                  -- when it began
    seen            REAL NOT NULL,                  -- when it last said that it is there; by beat
    requests        INTEGER NOT NULL,               -- in the hour before
    leads_since     REAL                            -- NULL: it follows
) STRICT, WITHOUT ROWID;

-- Buckets that all daemons draw from: 'requests' and 'bytes'.
CREATE TABLE allowance (
    name            TEXT PRIMARY KEY,
    tokens          REAL NOT NULL,                  -- negative: owed
    at              REAL NOT NULL                   -- when that was true
) STRICT, WITHOUT ROWID;
