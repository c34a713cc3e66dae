-- Pages visited by the revisit engine: places in the order of their sites, what sites and signals proved worth.

ALTER TABLE site ADD COLUMN crawl_delay REAL;
ALTER TABLE site ADD COLUMN answer REAL NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN price REAL NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN frequency REAL NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN turn REAL NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN next_turn REAL;

ALTER TABLE resource ADD COLUMN turn REAL;
ALTER TABLE resource ADD COLUMN frequency REAL NOT NULL DEFAULT 0;
ALTER TABLE resource ADD COLUMN announced TEXT NOT NULL DEFAULT '';

-- Full index: the queue by due has no turn, the queue by turn has one, and listings by site use it too.
DROP INDEX resource_by_site;
CREATE INDEX resource_by_site ON resource (site_id, status, turn, due);

-- What signals that a page has changed (sitemaps, feeds, pings) proved worth at a site. Written by record, announce.
CREATE TABLE signal (
    site_id         INTEGER NOT NULL REFERENCES site (id) ON DELETE CASCADE,
    kind            TEXT NOT NULL,                  -- see core.revisits.values.Signal
    announced_changes REAL NOT NULL DEFAULT 0,      -- visits that found a change that had been announced
    silent_changes  REAL NOT NULL DEFAULT 0,        -- visits that found one that had not
    false_alarms    REAL NOT NULL DEFAULT 0,        -- announcements of changes that were not there
    watched         REAL NOT NULL DEFAULT 0,        -- seconds between the visits counted
    PRIMARY KEY (site_id, kind)
) STRICT, WITHOUT ROWID;
