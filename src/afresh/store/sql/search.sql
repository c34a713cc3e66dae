-- The statements about what people look for.

-- name: entry_by_seq
-- One entry with what selects it.
SELECT * FROM offered_entry WHERE seq = :seq;

-- name: entries_by_seq
-- Entries by number, newest first.
SELECT * FROM offered_entry WHERE seq IN (SELECT value FROM json_each(:ids)) ORDER BY seq DESC;

-- name: entries_by_seq/postgres
-- The set as an array.
SELECT * FROM offered_entry WHERE seq = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) ORDER BY seq DESC;

-- name: takers_of_entry
-- The query feeds that took an entry.
SELECT query.name FROM query_entry JOIN query ON query.id = query_entry.query_id
WHERE query_entry.seq = :seq ORDER BY query.name;

-- name: tags
-- How many resources have the same tags, of one kind only where that is asked for.
SELECT tags, count(*) AS resources FROM resource
WHERE tags <> '[]' AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) GROUP BY tags;

-- name: folders
-- How many resources each folder has, of one kind only where that is asked for.
SELECT folder, count(*) AS resources FROM resource
WHERE CAST(:kind AS TEXT) IS NULL OR kind = :kind GROUP BY folder ORDER BY folder;
