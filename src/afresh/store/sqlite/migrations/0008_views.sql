-- Entries as readers want them, under a name that both databases know.
-- Entries with what readers and queries want to know of their resource.
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title
FROM entry JOIN resource ON resource.id = entry.resource_id;
