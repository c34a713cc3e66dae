-- What fetchers reported, kept for sinks until every one of them has taken it; empty where there is no sink.
CREATE TABLE result (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- one writer at a time: a number is visible before any later one is
    at REAL NOT NULL,                         -- when it was reported
    size INTEGER NOT NULL,                    -- pages in it
    pages BLOB NOT NULL                       -- see store/frontier/results.py
);
