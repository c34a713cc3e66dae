-- What robots.txt said is kept for the day it holds: a restart and commands beside the daemon need not ask again.
CREATE TABLE robots (
    address         TEXT PRIMARY KEY,
    read            REAL NOT NULL,
    status          INTEGER NOT NULL,
    body            BLOB NOT NULL
) STRICT;

CREATE INDEX robots_by_read ON robots (read);
