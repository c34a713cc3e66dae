-- The statements about resources. Here and in the other files values are always bound, and sets arrive as JSON
-- arrays. Where PostgreSQL has to be told otherwise, `name/postgres` follows: `(arrays)` is given the columns of many rows
-- as arrays and runs once for all of them, `(copy)` is sent their rows. Its sets are arrays, since it would have to guess a
-- subquery's length; within a SELECT of their own, or a plan would be made anew for every array and every length of one. Both
-- databases have max and min of two values, and instr.
-- Sets that tell buckets: :sites and :leases by their numbers, :names by the names of sites, :located of resources, each number
-- with its bucket (number * {buckets} + bucket).

-- name: take_site_numbers
-- What the numbers of so many new sites are made of, the last is said. Nobody else takes numbers meanwhile.
SELECT coalesce(max(id), 0) / {buckets} + :count FROM site;

-- name: take_site_numbers/postgres
-- From a sequence, which is moved on in one step.
SELECT setval('site_number', coalesce(pg_sequence_last_value('site_number'), 0) + :count);

-- name: add_site
-- A new site.
INSERT INTO site (id, name) VALUES (:id, :name);

-- name: add_site/postgres (copy)
-- New sites.
COPY site (bucket, id, name) FROM STDIN;

-- name: site_ids
-- Numbers of sites by name.
SELECT name, id FROM site WHERE name IN (SELECT value FROM json_each(:names));

-- name: site_ids/postgres
-- Numbers of sites by name, and their locks, in the order everybody takes them.
SELECT site.name, site.id FROM jsonb_array_elements_text(:names::jsonb) AS given (name)
JOIN site ON site.name = given.name {here_site} ORDER BY site.id FOR NO KEY UPDATE OF site;

-- name: known_urls
-- Resources whose URL has one of these keys; the caller compares the URL itself.
SELECT id, url FROM resource WHERE url_key IN (SELECT value FROM json_each(:keys));

-- name: known_urls/postgres
-- The set as an array.
SELECT id, url FROM resource WHERE url_key = ANY ((SELECT translate(:keys, '[]', '{}')::bigint[])::bigint[]);

-- name: take_resource_numbers
-- The last of so many numbers that no resource ever had. Nobody else takes numbers meanwhile.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'resource'), 0) + :count;

-- name: take_resource_numbers/postgres
-- From a sequence, which is moved on in one step.
SELECT setval('resource_number', coalesce(pg_sequence_last_value('resource_number'), 0) + :count);

-- name: add_resource
-- A new resource, never visited.
INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved)
VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15);

-- name: add_resource/postgres (copy)
-- New resources, never visited.
COPY resource (bucket, id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved) FROM STDIN;

-- name: add_special_resource
-- A new resource of which more is known. Apart from the others: five values more take a seventh of the time of adding.
INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved,
    rule, pinned, state_of, state, facts)
VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20);

-- name: add_special_resource/postgres (copy)
-- New resources of which more is known.
COPY resource (bucket, id, site_id, url_key, kind, status, due, added, weight, url, title, folder, tags, note, saved, rule, pinned,
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
) WHERE id IN (SELECT value FROM json_each(:sites));

-- name: refresh_ready/postgres
-- Puts sites at their place in the queue after something about their resources changed.
UPDATE site SET ready = max(greatest(leased_until, next_allowed), wanted(first.due, next.has_turns, next_turn))
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
LEFT JOIN LATERAL (
    SELECT due FROM resource
    WHERE resource.bucket = given.id % {buckets} AND site_id = given.id AND status = 'active' AND turn IS NULL {here_resource}
    ORDER BY due LIMIT 1
) AS first ON true
LEFT JOIN LATERAL (
    SELECT true AS has_turns FROM resource
    WHERE resource.bucket = given.id % {buckets} AND site_id = given.id AND status = 'active' AND turn IS NOT NULL {here_resource} LIMIT 1
) AS next ON true
WHERE site.bucket = given.id % {buckets} AND site.id = given.id {here_site};

-- name: resources_by_id
-- Resources by number.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE resource.id IN (SELECT value FROM json_each(:ids));

-- name: resources_by_id/postgres
-- The set as an array.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.bucket = resource.bucket AND site.id = resource.site_id {here_site}
WHERE resource.id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) {here_resource};

-- name: resource_by_url
-- The resource of a URL.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id {AND site.bucket = resource.bucket}
WHERE url_key = :key AND url = :url;

-- name: sites_of_resources
-- The sites that these resources belong to, as far as they are there.
SELECT id, site_id, status FROM resource WHERE id IN (SELECT value FROM json_each(:ids));

-- name: sites_of_resources/postgres
-- The set as an array.
SELECT id, site_id, status FROM resource WHERE id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) {here_resource};

-- name: slow_sites
-- Takes visits a second from the pace of sites.
UPDATE site SET frequency = max(0, frequency - :frequency) WHERE id IN (SELECT value FROM json_each(:sites));

-- name: slow_sites/postgres
-- The set as an array.
UPDATE site SET frequency = max(0, frequency - :frequency)
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
WHERE site.bucket = given.id % {buckets} AND site.id = given.id {here_site};

-- name: forget_versions
-- With its resource its versions go, but not those a label speaks of, nor what these are packed on.
DELETE FROM snapshot WHERE resource_id IN (SELECT value / {buckets} FROM json_each(:located))
    AND id NOT IN (SELECT old_id FROM label UNION ALL SELECT new_id FROM label)
    AND id NOT IN (SELECT base_id FROM snapshot AS later JOIN label ON later.id IN (old_id, new_id) WHERE base_id IS NOT NULL);

-- name: forget_versions/postgres
-- The set as an array.
DELETE FROM snapshot USING unnest((SELECT translate(:located, '[]', '{}')::bigint[])::bigint[]) AS given (place)
WHERE snapshot.bucket = given.place % {buckets} AND snapshot.resource_id = given.place / {buckets} {here_snapshot}
    AND NOT EXISTS (SELECT FROM label WHERE snapshot.id IN (old_id, new_id))
    AND NOT EXISTS (SELECT FROM snapshot AS later JOIN label ON later.id IN (old_id, new_id)
        WHERE later.bucket = snapshot.bucket AND later.base_id = snapshot.id {here_later});

-- name: untake_entries_of
-- Entries of resources that go lose their places in query feeds.
DELETE FROM query_entry WHERE seq IN (SELECT seq FROM entry WHERE resource_id IN (SELECT value FROM json_each(:ids)));

-- name: untake_entries_of/postgres
-- The set as an array.
DELETE FROM query_entry WHERE seq IN (SELECT seq FROM entry WHERE resource_id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]));

-- name: forget_former_addresses_of
-- Nobody was where resources that go have been.
DELETE FROM former_address WHERE resource_id IN (SELECT value FROM json_each(:ids));

-- name: forget_former_addresses_of/postgres
-- The set as an array.
DELETE FROM former_address WHERE resource_id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]);

-- name: forget_watches_of
-- Nothing of resources that go is watched any more.
DELETE FROM watch WHERE resource_id IN (SELECT value FROM json_each(:ids));

-- name: forget_watches_of/postgres
-- The set as an array.
DELETE FROM watch WHERE resource_id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]);

-- name: forget_sources_of
-- Query feeds that read resources that go have these no more.
UPDATE query_source SET resource_id = NULL WHERE resource_id IN (SELECT value FROM json_each(:ids));

-- name: forget_sources_of/postgres
-- The set as an array.
UPDATE query_source SET resource_id = NULL WHERE resource_id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]);

-- name: remove_resources
-- Removes resources and says what they were; what else hangs on them goes with them.
DELETE FROM resource WHERE id IN (SELECT value / {buckets} FROM json_each(:located)) RETURNING site_id, kind, status;

-- name: remove_resources/postgres
-- No foreign key can do this on several servers, so what hangs on resources is removed here.
WITH gone AS (
    DELETE FROM resource USING unnest((SELECT translate(:located, '[]', '{}')::bigint[])::bigint[]) AS given (place)
    WHERE resource.bucket = given.place % {buckets} AND resource.id = given.place / {buckets} {here_resource}
    RETURNING resource.bucket, id, site_id, kind, status
), visits AS (
    DELETE FROM visit USING gone WHERE visit.bucket = gone.bucket AND visit.resource_id = gone.id {here_visit}
), entries AS (
    DELETE FROM entry USING gone WHERE entry.bucket = gone.bucket AND entry.resource_id = gone.id {here_entry}
), documents AS (
    DELETE FROM document USING gone WHERE document.bucket = gone.bucket AND document.resource_id = gone.id {here_document}
), subscriptions AS (
    DELETE FROM subscription USING gone
    WHERE subscription.bucket = gone.bucket AND subscription.resource_id = gone.id {here_subscription}
), memories AS (
    DELETE FROM page_memory USING gone
    WHERE page_memory.bucket = gone.bucket AND page_memory.resource_id = gone.id {here_page_memory}
), links AS (
    DELETE FROM link USING gone WHERE link.bucket = gone.bucket AND link.resource_id = gone.id {here_link}
), checks AS (
    DELETE FROM link_check USING gone WHERE link_check.bucket = gone.bucket AND link_check.resource_id = gone.id {here_link_check}
), pictures AS (
    DELETE FROM picture USING gone WHERE picture.bucket = gone.bucket AND picture.resource_id = gone.id {here_picture}
), versions AS (
    UPDATE snapshot SET resource_id = NULL, picture_id = NULL FROM gone
    WHERE snapshot.bucket = gone.bucket AND snapshot.resource_id = gone.id {here_snapshot}
)
SELECT site_id, kind, status FROM gone;
