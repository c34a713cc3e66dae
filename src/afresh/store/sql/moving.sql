-- The statements that take what belongs to a resource out of its bucket, to be put into another: PostgreSQL's rows have one;
-- and those for the addresses it had.

-- name: carry_resource
-- The resource itself.
;  -- nothing: numbers are enough to find them

-- name: carry_resource/postgres
-- Says what it takes.
DELETE FROM resource WHERE bucket = :bucket AND id = :id RETURNING *;

-- name: carry_visit
-- Its rows of `visit`.
;  -- nothing: numbers are enough to find them

-- name: carry_visit/postgres
-- Says what it takes.
DELETE FROM visit WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_entry
-- Its rows of `entry`.
;  -- nothing: numbers are enough to find them

-- name: carry_entry/postgres
-- Says what it takes.
DELETE FROM entry WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_document
-- Its rows of `document`.
;  -- nothing: numbers are enough to find them

-- name: carry_document/postgres
-- Says what it takes.
DELETE FROM document WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_picture
-- Its rows of `picture`.
;  -- nothing: numbers are enough to find them

-- name: carry_picture/postgres
-- Says what it takes.
DELETE FROM picture WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_snapshot
-- Its rows of `snapshot`.
;  -- nothing: numbers are enough to find them

-- name: carry_snapshot/postgres
-- Says what it takes.
DELETE FROM snapshot WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_link
-- Its rows of `link`.
;  -- nothing: numbers are enough to find them

-- name: carry_link/postgres
-- Says what it takes.
DELETE FROM link WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_link_check
-- Its rows of `link_check`.
;  -- nothing: numbers are enough to find them

-- name: carry_link_check/postgres
-- Says what it takes.
DELETE FROM link_check WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_subscription
-- Its rows of `subscription`.
;  -- nothing: numbers are enough to find them

-- name: carry_subscription/postgres
-- Says what it takes.
DELETE FROM subscription WHERE bucket = :bucket AND resource_id = :id RETURNING *;

-- name: carry_page_memory
-- Its rows of `page_memory`.
;  -- nothing: numbers are enough to find them

-- name: carry_page_memory/postgres
-- Says what it takes.
DELETE FROM page_memory WHERE bucket = :bucket AND resource_id = :id RETURNING *;

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
