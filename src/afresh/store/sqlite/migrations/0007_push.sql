-- Subscriptions with WebSub hubs.
CREATE TABLE subscription (
    resource_id     INTEGER PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
    hub             TEXT NOT NULL,                  -- whom we asked
    topic           TEXT NOT NULL,                  -- what for: the feed as it calls itself
    token           TEXT NOT NULL UNIQUE,           -- the secret part of our callback's address
    secret          TEXT NOT NULL,                  -- what the hub signs with
    state           TEXT NOT NULL,                  -- asked, live, refused or failed
    asked           REAL NOT NULL,                  -- when the hub was last asked
    expires         REAL,                           -- NULL: not verified yet
    next_try        REAL NOT NULL,                  -- when the hub is asked again; infinity: never
    failures        INTEGER NOT NULL,               -- in a row
    pings           INTEGER NOT NULL,               -- contents told and rightly signed
    last_ping       REAL,                           -- NULL: none yet
    misses          INTEGER NOT NULL,               -- polls since the last ping that found what had not been told
    error           TEXT NOT NULL                   -- '': none
) STRICT;

CREATE INDEX subscription_by_turn ON subscription (next_try);
