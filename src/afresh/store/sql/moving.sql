-- The statements for the addresses that a resource had.

-- name: address_of
-- Where a resource is now.
SELECT url FROM resource WHERE {bucket = :bucket AND} id = :id;

-- name: note_former_address
-- The resource was here.
INSERT INTO former_address (url_key, resource_id, url) VALUES (:url_key, :id, :url)
ON CONFLICT (url_key, resource_id) DO UPDATE SET url = excluded.url;

-- name: forget_former_address
-- A resource is here now.
DELETE FROM former_address WHERE url_key = :url_key AND url = :url;

-- name: has_former_addresses
-- Whether any resource has ever moved.
SELECT EXISTS (SELECT 1 FROM former_address) AS "any";

-- name: former_addresses
-- Resources that were at a URL with one of these keys, the newest last; the caller compares the URL itself.
SELECT resource_id, url FROM former_address WHERE url_key IN (SELECT value FROM json_each(:keys)) ORDER BY resource_id;

-- name: former_addresses/postgres
-- The set as an array.
SELECT resource_id, url FROM former_address
WHERE url_key = ANY ((SELECT translate(:keys, '[]', '{}')::bigint[])::bigint[]) ORDER BY resource_id;
