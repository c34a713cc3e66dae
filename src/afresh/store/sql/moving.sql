-- The statements that take what belongs to a resource out of its bucket, to be put into another: PostgreSQL's rows have one.

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
