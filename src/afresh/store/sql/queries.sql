-- The statements about query feeds. Values are always bound; sets arrive as JSON arrays.

-- state --------------------------------------------------------------------------------------------------------------

-- name: query_state
-- How often queries changed, how far entries were matched, whether there are queries at all.
SELECT
    coalesce((SELECT value FROM counter WHERE name = 'query/generation'), 0) AS generation,
    coalesce((SELECT value FROM counter WHERE name = 'query/cursor'), 0) AS cursor,
    EXISTS (SELECT 1 FROM query) AS has_queries;

-- name: next_generation
-- Some query changed: whoever keeps queries in memory has to look again.
INSERT INTO counter (name, value) VALUES ('query/generation', 1)
ON CONFLICT (name) DO UPDATE SET value = counter.value + 1 RETURNING value;

-- name: set_cursor
-- Entries up to this number were matched.
INSERT INTO counter (name, value) VALUES ('query/cursor', :cursor)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- queries ------------------------------------------------------------------------------------------------------------

-- name: query_by_name
-- One query.
SELECT * FROM query WHERE name = :name;

-- name: queries_after
-- A page of queries, by name.
SELECT * FROM query WHERE name > :after ORDER BY name LIMIT :limit;

-- name: queries_by_id
-- Queries by number.
SELECT * FROM query WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: queries_by_id/postgres
-- The set as an array.
SELECT * FROM query WHERE id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) ORDER BY id;

-- name: sources_of_queries
-- The sources of queries with what they offered so far; a removed resource selects nothing.
SELECT query_id, label, matched,
    CASE WHEN substr(selector, 1, 9) = 'resource:' AND resource_id IS NULL THEN '' ELSE query_source.selector END AS selector,
    seen_backlog + coalesce(seen, 0) - seen_before AS seen
FROM query_source LEFT JOIN query_seen USING (selector)
WHERE query_id IN (SELECT value FROM json_each(:ids)) ORDER BY query_id, branch;

-- name: sources_of_queries/postgres
-- The set as an array.
SELECT query_id, label, matched,
    CASE WHEN substr(selector, 1, 9) = 'resource:' AND resource_id IS NULL THEN '' ELSE query_source.selector END AS selector,
    seen_backlog + coalesce(seen, 0) - seen_before AS seen
FROM query_source LEFT JOIN query_seen USING (selector)
WHERE query_id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) ORDER BY query_id, branch;

-- name: query_versions
-- Version by number.
SELECT id, version FROM query;

-- name: query_edges
-- Which query feed reads which.
SELECT reader.name AS reader, read.name AS read
FROM query_source
JOIN query AS reader ON reader.id = query_id
JOIN query AS read ON read.id = source_query_id;

-- name: add_query
-- A new query.
INSERT INTO query (name, title, text, version, created, modified)
VALUES (:name, :title, :text, :version, :now, :now) RETURNING id;

-- name: replace_query
-- A query says something else from now on; what it took stays in its archive.
UPDATE query SET title = :title, text = :text, version = :version, modified = :now WHERE id = :id;

-- name: forget_sources
-- The sources of a query that is replaced.
DELETE FROM query_source WHERE query_id = :id;

-- name: add_source
-- A source of a query; what its selector has offered so far does not count for it.
INSERT INTO query_source (query_id, branch, selector, label, resource_id, source_query_id, seen_before, seen_backlog, matched)
VALUES (:query_id, :branch, :selector, :label, :resource_id, :source_query_id,
    coalesce((SELECT seen FROM query_seen WHERE selector = :selector), 0), :seen_backlog, :matched);

-- name: readers_of_query
-- The query feeds that build on this one.
SELECT DISTINCT query.name FROM query_source JOIN query ON query.id = query_id
WHERE source_query_id = :id AND query_id <> :id ORDER BY query.name;

-- name: drop_query
-- Forgets a query; sources and archive go with it.
DELETE FROM query WHERE id = :id;

-- name: prune_seen
-- Counts that no query looks at any more.
DELETE FROM query_seen WHERE selector NOT IN (SELECT selector FROM query_source);

-- name: folder_is_used
-- Whether a resource is in the folder or below it.
SELECT EXISTS (SELECT 1 FROM resource WHERE folder = :folder OR substr(folder, 1, length(:folder) + 1) = :folder || '/');

-- name: tag_is_used
-- Whether a resource has the tag.
SELECT EXISTS (SELECT 1 FROM resource WHERE instr(tags, :quoted) > 0 AND has_tag(tags, :tag));

-- matching -----------------------------------------------------------------------------------------------------------

-- name: offered
-- Entries in the order they were found, with what selects them.
SELECT * FROM offered_entry
WHERE seq > :after AND seq <= :until ORDER BY seq LIMIT :limit;

-- name: offered_newest
-- The latest entries, newest first, with what selects them.
SELECT * FROM offered_entry
WHERE seq > :after AND seq <= :until ORDER BY seq DESC LIMIT :limit;

-- name: offered_of_resource
-- Entries of one resource in the order they were found, with what selects them.
SELECT * FROM offered_entry
WHERE resource_id = :resource AND seq > :after AND seq <= :until ORDER BY seq LIMIT :limit;

-- name: offered_of_resource_newest
-- The latest entries of one resource, newest first, with what selects them.
SELECT * FROM offered_entry
WHERE resource_id = :resource AND seq > :after AND seq <= :until ORDER BY seq DESC LIMIT :limit;

-- name: count_seen
-- Adds to what a selector offered.
INSERT INTO query_seen (selector, seen) VALUES (:selector, :count)
ON CONFLICT (selector) DO UPDATE SET seen = query_seen.seen + excluded.seen;

-- name: count_matched
-- Adds to what passed a branch.
UPDATE query_source SET matched = matched + :count WHERE query_id = :query AND branch = :branch;

-- name: places_of_queries
-- The last place given in each query feed.
SELECT id, places FROM query WHERE id IN (SELECT value FROM json_each(:ids));

-- name: places_of_queries/postgres
-- The set as an array.
SELECT id, places FROM query WHERE id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]);

-- name: is_taken
-- Whether an entry has a place in a query feed.
SELECT 1 FROM query_entry WHERE query_id = :query AND identity = :identity;

-- name: entries_there
-- Which of these entries are still there.
SELECT seq FROM entry WHERE seq IN (SELECT value FROM json_each(:seqs));

-- name: entries_there/postgres
-- The set as an array.
SELECT seq FROM entry WHERE seq = ANY ((SELECT translate(:seqs, '[]', '{}')::bigint[])::bigint[]);

-- name: take_entry
-- An entry gets its place in a query feed.
INSERT INTO query_entry (query_id, place, seq, identity, score, taken) VALUES (?, ?, ?, ?, ?, ?);

-- name: set_places
-- Places were given.
UPDATE query SET places = :places, modified = max(modified, :now) WHERE id = :query;

-- publishing ---------------------------------------------------------------------------------------------------------

-- name: published
-- What stands at these places of a query feed.
SELECT query_entry.place, query_entry.score, query_entry.taken, offered_entry.*
FROM query_entry JOIN offered_entry ON offered_entry.seq = query_entry.seq
WHERE query_id = :query AND place BETWEEN :first AND :last ORDER BY place;

-- name: published_count
-- How many places of a range are filled.
SELECT count(*) FROM query_entry WHERE query_id = :query AND place BETWEEN :first AND :last;

-- name: taken_by_resource
-- How many entries of each resource a query feed has taken and still holds.
SELECT entry.resource_id, count(*) AS taken FROM query_entry JOIN entry ON entry.seq = query_entry.seq
WHERE query_entry.query_id = :query GROUP BY entry.resource_id;

-- name: shared_ids
-- Ids that several entries of one of these resources bear.
SELECT resource_id, native_id FROM entry
WHERE resource_id IN (SELECT value FROM json_each(:resources)) AND native_id IN (SELECT value FROM json_each(:ids))
GROUP BY resource_id, native_id HAVING count(DISTINCT uid) > 1;

-- name: shared_ids/postgres
-- The sets as arrays.
SELECT resource_id, native_id FROM entry
WHERE resource_id = ANY ((SELECT translate(:resources, '[]', '{}')::bigint[])::bigint[])
    AND native_id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)))
GROUP BY resource_id, native_id HAVING count(DISTINCT uid) > 1;
