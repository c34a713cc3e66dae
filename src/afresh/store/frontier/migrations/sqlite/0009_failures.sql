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
ALTER TABLE site ADD COLUMN trouble INTEGER NOT NULL DEFAULT 0;
