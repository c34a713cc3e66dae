-- Versions are counted by resource, from 1: version 3 of a page is its third.
ALTER TABLE snapshot ADD COLUMN number bigint NOT NULL DEFAULT 0;
UPDATE snapshot SET number = counted.number FROM (
    SELECT bucket, id, row_number() OVER (PARTITION BY bucket, resource_id ORDER BY at, id) AS number FROM snapshot
    WHERE resource_id IS NOT NULL
) AS counted WHERE counted.bucket = snapshot.bucket AND counted.id = snapshot.id;
