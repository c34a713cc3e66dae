-- Rows that could not be read: made readable, and handed out to nobody until somebody has looked at them.
CREATE TABLE set_aside (
    part TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    wrong TEXT NOT NULL,
    lost INTEGER NOT NULL,
    blocked REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (part, id)
) WITHOUT ROWID;
