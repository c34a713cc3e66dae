-- What lists say of a resource, what had to be repaired to read it, and what entries say of themselves.
ALTER TABLE resource ADD COLUMN note text NOT NULL DEFAULT '', ADD COLUMN saved double precision,
    ADD COLUMN repaired text NOT NULL DEFAULT '';
CREATE INDEX resource_repaired ON resource (id) WHERE repaired <> '';
ALTER TABLE visit ADD COLUMN repaired text NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN language text NOT NULL DEFAULT '', ADD COLUMN enclosures text NOT NULL DEFAULT '';

-- A view has the columns its table had when it was made.
DROP VIEW offered_entry;
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title
FROM entry JOIN resource ON resource.id = entry.resource_id AND resource.site_id = entry.site_id;
