-- What triggers did the statements do now.
DROP TRIGGER site_added;
DROP TRIGGER site_removed;
DROP TRIGGER resource_added;
DROP TRIGGER resource_removed;
DROP TRIGGER resource_reclassified;
DROP TRIGGER resource_moved;
DROP TRIGGER resource_versions;

-- Entries as readers want them, under a name that both databases know.
-- Entries with what readers and queries want to know of their resource.
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title
FROM entry JOIN resource ON resource.id = entry.resource_id;
