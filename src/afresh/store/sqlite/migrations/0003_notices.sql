-- Notices and pushes: what must be told to whom, and which hubs will tell us.

-- Notices: which events are told to which target. AUTOINCREMENT: the number of a dropped notice is never given again.
CREATE TABLE notice (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    topic           TEXT NOT NULL,                  -- query, tag, failing or broken
    subject         TEXT NOT NULL,                  -- name of a query feed, or a tag; '': the topic has none
    query_id        INTEGER REFERENCES query (id) ON DELETE CASCADE,  -- of topic query; NULL: another topic
    target          TEXT NOT NULL,                  -- http(s): a signed webhook; else a URL of apprise. May hold passwords
    secret          TEXT NOT NULL,                  -- of a webhook's signature; '': none
    digest          REAL NOT NULL,                  -- seconds events are gathered; 0: sent at once
    quiet           TEXT NOT NULL,                  -- hours without notices; '': none
    cursor          REAL NOT NULL,                  -- place, entry, visit or time that was looked at last; by put_events
    created         REAL NOT NULL
) STRICT;

CREATE INDEX notice_of_query ON notice (query_id) WHERE query_id IS NOT NULL;

-- Events that go to a target together. Made before the first try: after a crash the same mark is tried again.
CREATE TABLE delivery (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    notice_id       INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    mark            TEXT NOT NULL,                  -- by which the other side knows it
    created         REAL NOT NULL,
    attempts        INTEGER NOT NULL DEFAULT 0,     -- so far; by settle_delivery
    next_try        REAL,                           -- NULL: settled, taken or given up
    sent            REAL,                           -- when the target took it; NULL: it did not
    error           TEXT NOT NULL DEFAULT ''        -- of the last try; '': none
) STRICT;

CREATE INDEX delivery_of_notice ON delivery (notice_id, sent);
CREATE INDEX delivery_open ON delivery (notice_id, id) WHERE next_try IS NOT NULL;

-- The outbox: events that wait, and those told lately, for an event is told once a notice.
CREATE TABLE outbox (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    notice_id       INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    key             TEXT NOT NULL,                  -- identity of the event
    kind            TEXT NOT NULL,                  -- entry, failing_feed, broken_link or test
    at              REAL NOT NULL,                  -- when it happened
    title           TEXT NOT NULL,                  -- as received: hostile
    link            TEXT NOT NULL,                  -- as received: hostile
    detail          TEXT NOT NULL,
    source          TEXT NOT NULL,                  -- title or URL of its feed
    created         REAL NOT NULL,                  -- when it was put here
    delivery_id     INTEGER REFERENCES delivery (id) ON DELETE CASCADE  -- NULL: waits
) STRICT;

CREATE UNIQUE INDEX outbox_once ON outbox (notice_id, key);
CREATE INDEX outbox_waiting ON outbox (notice_id, id) WHERE delivery_id IS NULL;
CREATE INDEX outbox_of_delivery ON outbox (delivery_id) WHERE delivery_id IS NOT NULL;
