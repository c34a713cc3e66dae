-- The statements about what visits found: entries, the log, kept answers.

-- name: entries_after
-- Entries in the order they were found.
SELECT * FROM offered_entry
WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: entries_after_newest
-- The latest entries, newest first.
SELECT * FROM offered_entry
WHERE seq > :after ORDER BY seq DESC LIMIT :limit;

-- name: entries_of_resource
-- Entries of one resource in the order they were found.
SELECT * FROM offered_entry
WHERE resource_id = :resource AND seq > :after ORDER BY seq LIMIT :limit;

-- name: entries_of_resource_newest
-- The latest entries of one resource, newest first.
SELECT * FROM offered_entry
WHERE resource_id = :resource AND seq > :after ORDER BY seq DESC LIMIT :limit;

-- name: entry_counts
-- How many entries of a resource were published since then, and when the oldest of them was.
SELECT count(*), min(published) FROM entry WHERE resource_id = :resource AND published >= :since {here_entry};

-- name: visits
-- The log, newest first.
SELECT * FROM visit WHERE id < :before ORDER BY id DESC LIMIT :limit;

-- name: visits_of_resource
-- The log of one resource, newest first.
SELECT * FROM visit WHERE resource_id = :resource AND id < :before {here_visit} ORDER BY id DESC LIMIT :limit;

-- name: documents
-- Kept answers, newest first.
SELECT * FROM document ORDER BY id DESC LIMIT :limit;

-- name: documents_after
-- Kept answers in the order they were kept.
SELECT document.*, resource.url FROM document JOIN resource ON resource.id = document.resource_id {AND resource.bucket = document.bucket}
WHERE document.id > :after ORDER BY document.id LIMIT :limit;

-- name: documents_of_resource
-- Kept answers of one resource, newest first.
SELECT * FROM document WHERE resource_id = :resource ORDER BY id DESC LIMIT :limit;
