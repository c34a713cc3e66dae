-- What triggers did the statements do now.
DROP TRIGGER entry_in_order ON entry;
DROP TRIGGER entry_removed ON entry;
DROP TRIGGER site_added ON site;
DROP TRIGGER site_removed ON site;
DROP TRIGGER resource_added ON resource;
DROP TRIGGER resource_removed ON resource;
DROP TRIGGER resource_changed ON resource;
DROP FUNCTION entries_in_order();
DROP FUNCTION entries_removed();
DROP FUNCTION count_sites();
DROP FUNCTION resources_added();
DROP FUNCTION resources_removed();
DROP FUNCTION resources_changed();
DROP FUNCTION count_up(text[], bigint[]);

-- The words that SQLite has, and entries as readers want them: one text for both databases.
ALTER FUNCTION larger(double precision, double precision) RENAME TO max;
ALTER FUNCTION smaller(double precision, double precision) RENAME TO min;
CREATE FUNCTION instr(whole text, part text) RETURNS integer
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$ SELECT strpos(whole, part) $$;
CREATE FUNCTION has_tag(tags text, tag text) RETURNS boolean
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$ SELECT tags::jsonb ? tag $$;

-- Entries with what readers and queries want to know of their resource.
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title
FROM entry JOIN resource ON resource.id = entry.resource_id AND resource.site_id = entry.site_id;  -- one partition, not all
