-- What is watched of pages, what they showed last, and versions packed as what differs.
-- What is watched of pages, where that is not usual: by page, by site or by tag.
CREATE TABLE watch (
    scope           TEXT PRIMARY KEY,               -- 'page:17', 'site:example.org' or 'tag:prices'
    resource_id     INTEGER REFERENCES resource (id) ON DELETE CASCADE,  -- of 'page:…'; NULL: of more than one
    parts           TEXT NOT NULL                   -- JSON, see base.records.watches
) STRICT;

CREATE INDEX watch_of_resource ON watch (resource_id);

-- What the last visits of a page showed.
CREATE TABLE page_memory (
    resource_id     INTEGER PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
    watch           TEXT NOT NULL,                  -- what was watched then, as in watch.parts
    lines           BLOB NOT NULL,                  -- zstd; what the visit before showed, a line a line
    told            BLOB,                           -- zstd; what was shown when a change was told last; NULL: the same
    restless        TEXT NOT NULL,                  -- JSON: parts that change at every visit
    remark          TEXT NOT NULL                   -- what it shows instead of itself; '': itself
) STRICT;

ALTER TABLE snapshot ADD COLUMN base_id INTEGER REFERENCES snapshot (id);  -- packed as what differs from this one; NULL: by itself

CREATE INDEX snapshot_on_base ON snapshot (base_id) WHERE base_id IS NOT NULL;

-- Entries are also selected by the kind of what they are of.
DROP VIEW offered_entry;
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title, resource.kind AS kind
FROM entry JOIN resource ON resource.id = entry.resource_id;
