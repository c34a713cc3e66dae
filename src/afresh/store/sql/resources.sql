-- The statements about resources. Here and in the other files values are always bound, and sets arrive as JSON
-- arrays. Where PostgreSQL has to be told otherwise, `name/postgres` follows: `(arrays)` is given the columns of many rows
-- as arrays and runs once for all of them, `(copy)` is sent their rows. Its sets are looked up as arrays: a subquery's
-- length it would have to guess. Both databases have max and min of two values, and instr.

-- name: add_sites
-- Makes the sites that are not there yet.
INSERT INTO site (name) SELECT value FROM json_each(:names) WHERE true ON CONFLICT (name) DO NOTHING;

-- name: add_sites/postgres
-- The set as an array.
INSERT INTO site (name) SELECT jsonb_array_elements_text(:names::jsonb) WHERE true ON CONFLICT (name) DO NOTHING;

-- name: site_ids
-- Numbers of sites by name.
SELECT name, id FROM site WHERE name IN (SELECT value FROM json_each(:names));

-- name: site_ids/postgres
-- Numbers of sites by name, and their locks, in the order everybody takes them.
SELECT name, id FROM site WHERE name = ANY (ARRAY(SELECT jsonb_array_elements_text(:names::jsonb)))
ORDER BY id FOR NO KEY UPDATE;

-- name: known_urls
-- Resources whose URL has one of these keys; the caller compares the URL itself.
SELECT id, url FROM resource WHERE url_key IN (SELECT value FROM json_each(:keys));

-- name: known_urls/postgres
-- The set as an array.
SELECT id, url FROM resource WHERE url_key = ANY (ARRAY(SELECT jsonb_array_elements_text(:keys::jsonb)::bigint));

-- name: take_resource_numbers
-- The last of so many numbers that no resource ever had. Nobody else takes numbers meanwhile.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'resource'), 0) + :count;

-- name: take_resource_numbers/postgres
-- From a sequence, which is moved on in one step.
SELECT setval('resource_number', coalesce(pg_sequence_last_value('resource_number'), 0) + :count);

-- name: add_resource
-- A new resource, never visited.
INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_resource/postgres (copy)
-- New resources, never visited.
COPY resource (id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved) FROM STDIN;

-- name: add_special_resource
-- A new resource of which more is known. Apart from the others: five values more take a seventh of the time of adding.
INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved,
    rule, pinned, state_of, state, facts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_special_resource/postgres (copy)
-- New resources of which more is known.
COPY resource (id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved, rule, pinned,
    state_of, state, facts)
FROM STDIN;

-- name: refresh_ready
-- Puts sites at their place in the queue after something about their resources changed.
UPDATE site SET ready = max(
    coalesce(leased_until, next_allowed),
    next_allowed,
    nullif(min(
        coalesce((SELECT due FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1), 9e999),
        CASE WHEN EXISTS (SELECT 1 FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL)
            THEN coalesce(next_turn, 0) ELSE 9e999 END
    ), 9e999)
) WHERE id IN (SELECT value FROM json_each(:ids));

-- name: refresh_ready/postgres
-- Puts sites at their place in the queue after something about their resources changed.
UPDATE site SET ready = max(greatest(leased_until, next_allowed), wanted(due, has_turns, next_turn))
FROM waiting(ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)::bigint)) WHERE site.id = site_id;

-- name: resources_by_id
-- Resources by number.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE resource.id IN (SELECT value FROM json_each(:ids));

-- name: resources_by_id/postgres
-- The set as an array.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE resource.id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)::bigint));

-- name: resource_by_url
-- The resource of a URL.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE url_key = :key AND url = :url;

-- name: sites_of_resources
-- The sites that these resources belong to.
SELECT DISTINCT site_id FROM resource WHERE id IN (SELECT value FROM json_each(:ids));

-- name: sites_of_resources/postgres
-- The set as an array.
SELECT DISTINCT site_id FROM resource WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)::bigint));

-- name: slow_sites
-- Takes visits a second from the pace of sites.
UPDATE site SET frequency = max(0, frequency - :frequency) WHERE id IN (SELECT value FROM json_each(:ids));

-- name: slow_sites/postgres
-- The set as an array.
UPDATE site SET frequency = max(0, frequency - :frequency) WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)::bigint));

-- name: forget_versions
-- With its resource its versions go, but not those a label speaks of, nor what these are packed on.
DELETE FROM snapshot WHERE resource_id IN (SELECT value FROM json_each(:ids))
    AND id NOT IN (SELECT old_id FROM label UNION ALL SELECT new_id FROM label)
    AND id NOT IN (SELECT base_id FROM snapshot AS later JOIN label ON later.id IN (old_id, new_id) WHERE base_id IS NOT NULL);

-- name: forget_versions/postgres
-- The set as an array.
DELETE FROM snapshot WHERE resource_id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)::bigint))
    AND NOT EXISTS (SELECT FROM label WHERE snapshot.id IN (old_id, new_id))
    AND NOT EXISTS (SELECT FROM snapshot AS later JOIN label ON later.id IN (old_id, new_id) WHERE later.base_id = snapshot.id);

-- name: remove_resources
-- Removes resources and says what they were; what hangs on them goes with them.
DELETE FROM resource WHERE id IN (SELECT value FROM json_each(:ids)) RETURNING site_id, kind, status;

-- name: remove_resources/postgres
-- A foreign key cannot point to a partitioned table by number alone, so what hangs on resources is removed here.
WITH gone AS (
    DELETE FROM resource WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(:ids::jsonb)::bigint))
    RETURNING id, site_id, kind, status
), visits AS (
    DELETE FROM visit USING gone WHERE visit.resource_id = gone.id AND visit.site_id = gone.site_id
), entries AS (
    DELETE FROM entry USING gone WHERE entry.resource_id = gone.id AND entry.site_id = gone.site_id RETURNING seq
), taken AS (
    DELETE FROM query_entry USING entries WHERE query_entry.seq = entries.seq
), documents AS (
    DELETE FROM document USING gone WHERE document.resource_id = gone.id AND document.site_id = gone.site_id
), subscriptions AS (
    DELETE FROM subscription USING gone WHERE subscription.resource_id = gone.id
), watches AS (
    DELETE FROM watch USING gone WHERE watch.resource_id = gone.id
), memories AS (
    DELETE FROM page_memory USING gone WHERE page_memory.resource_id = gone.id
), links AS (
    DELETE FROM link USING gone WHERE link.resource_id = gone.id
), checks AS (
    DELETE FROM link_check USING gone WHERE link_check.resource_id = gone.id
), pictures AS (
    DELETE FROM picture USING gone WHERE picture.resource_id = gone.id
), versions AS (
    UPDATE snapshot SET resource_id = NULL FROM gone WHERE snapshot.resource_id = gone.id
), sources AS (
    UPDATE query_source SET resource_id = NULL FROM gone WHERE query_source.resource_id = gone.id
)
SELECT site_id, kind, status FROM gone;
