-- Versions are counted by resource, from 1: version 3 of a page is its third.
ALTER TABLE snapshot ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE snapshot SET number = (
    SELECT count(*) FROM snapshot AS earlier WHERE earlier.resource_id = snapshot.resource_id
        AND (earlier.at < snapshot.at OR (earlier.at = snapshot.at AND earlier.id <= snapshot.id))
) WHERE resource_id IS NOT NULL;
