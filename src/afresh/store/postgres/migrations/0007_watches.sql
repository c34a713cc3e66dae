-- What is watched of pages, what they showed last, and versions packed as what differs.
CREATE TABLE watch (
    scope           text COLLATE "C" PRIMARY KEY,
    resource_id     bigint,
    parts           text NOT NULL
);

CREATE INDEX watch_of_resource ON watch (resource_id);

CREATE TABLE page_memory (
    resource_id     bigint PRIMARY KEY,
    watch           text NOT NULL,
    lines           bytea NOT NULL,
    told            bytea,
    restless        text NOT NULL,
    remark          text NOT NULL
);

ALTER TABLE snapshot ADD COLUMN base_id bigint REFERENCES snapshot (id);

CREATE INDEX snapshot_on_base ON snapshot (base_id) WHERE base_id IS NOT NULL;

-- Entries are also selected by the kind of what they are of.
DROP VIEW offered_entry;
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title, resource.kind AS kind
FROM entry JOIN resource ON resource.id = entry.resource_id AND resource.site_id = entry.site_id;
