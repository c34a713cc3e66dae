-- What PostgreSQL says in its own words; all other statements are those of ../sqlite/*.sql. A statement over `unnest` is
-- given the columns of many rows as arrays and runs once for all of them.

-- catalogue ----------------------------------------------------------------------------------------------------------

-- name: site_ids
-- Numbers of sites by name, and their locks, in the order everybody takes them.
SELECT name, id FROM site WHERE name = ANY (ARRAY(SELECT jsonb_array_elements_text(%(names)s::jsonb)))
ORDER BY id FOR NO KEY UPDATE;

-- name: last_resource
-- The highest number ever given to a resource.
SELECT coalesce(pg_sequence_last_value('resource_number'), 0);

-- name: add_resource
-- New resources, never visited.
COPY resource (id, site_id, url_key, kind, due, added, weight, predictor, pinned, url, title, folder, tags, state_of, state)
FROM STDIN;

-- name: refresh_ready
-- Puts sites at their place in the queue after something about their resources changed.
UPDATE site SET ready = larger(greatest(leased_until, next_allowed), wanted(due, has_turns, next_turn))
FROM waiting(ARRAY(SELECT jsonb_array_elements_text(%(ids)s::jsonb)::bigint)) WHERE site.id = site_id;

-- queue --------------------------------------------------------------------------------------------------------------

-- name: take_lease_number
-- The next lease number; they only ever grow.
SELECT nextval('lease_number');

-- name: pick_sites
-- Locks ready sites, longest ready first; those that another process has just locked are passed over, not waited for.
SELECT id FROM site
WHERE ready <= %(now)s + %(early)s AND next_allowed <= %(now)s AND coalesce(leased_until, 0) <= %(now)s
ORDER BY ready, id LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED;

-- name: pick_resources
-- For each locked site, as it is now: the most overdue resource or the page whose turn it is; alternately if both are due.
SELECT site_id, CASE
    WHEN place IS NULL THEN waiting
    WHEN waiting IS NULL OR due > %(now)s + %(early)s THEN place
    WHEN next_turn > %(now)s + %(early)s THEN waiting
    WHEN requests %% 2 = 1 THEN place
    ELSE waiting END AS resource_id
FROM (
    SELECT site.id AS site_id, ready, requests, coalesce(next_turn, 0) AS next_turn, first.id AS waiting, first.due,
        next.id AS place
    FROM site
    LEFT JOIN LATERAL (
        SELECT id, due FROM resource
        WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1
    ) AS first ON true
    LEFT JOIN LATERAL (
        SELECT id FROM resource
        WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL ORDER BY turn, due LIMIT 1
    ) AS next ON true
    WHERE site.id = ANY (%(sites)s::bigint[])
) AS found
ORDER BY ready, site_id;

-- name: lease_sites
-- Hands locked sites out in the order given; they are not ready again before the lease expires.
WITH picked AS (
    SELECT site_id, resource_id, nextval('lease_number') AS number
    FROM unnest(%(sites)s::bigint[], %(resources)s::bigint[]) WITH ORDINALITY AS given (site_id, resource_id, place)
    ORDER BY place
)
UPDATE site SET lease = picked.number, leased_resource = picked.resource_id, leased_by = %(holder)s,
    leased_until = %(until)s, ready = %(until)s
FROM picked WHERE site.id = picked.site_id
RETURNING picked.number AS lease, picked.resource_id;

-- name: leased_resources
-- Resources of sites by their numbers, both given: each is looked for in one partition.
SELECT resource.*, site.name AS site
FROM unnest(%(resources)s::bigint[], %(sites)s::bigint[]) AS given (id, site_id)
JOIN resource ON resource.id = given.id AND resource.site_id = given.site_id
JOIN site ON site.id = given.site_id;

-- name: sites_by_lease
-- The sites still held under these leases, locked.
SELECT id, lease FROM site WHERE lease = ANY (ARRAY(SELECT jsonb_array_elements_text(%(leases)s::jsonb)::bigint))
ORDER BY id FOR NO KEY UPDATE;

-- name: pages_in_turn
-- Pages that have a place in the order of their sites, by site.
SELECT site_id, id, turn, due, last_ok, last_interval, weight, alpha, beta, state_of, state FROM resource
WHERE site_id > %(after)s AND status = 'active' AND turn IS NOT NULL ORDER BY site_id LIMIT %(limit)s;

-- record -------------------------------------------------------------------------------------------------------------

-- name: open_leases
-- What is held under these leases, locked; no resource columns if it was removed meanwhile.
WITH held AS (
    SELECT lease, id AS site_id, name AS site, leased_resource FROM site
    WHERE lease = ANY (ARRAY(SELECT jsonb_array_elements_text(%(leases)s::jsonb)::bigint))
    ORDER BY id FOR NO KEY UPDATE
)
SELECT held.lease, held.site_id, held.site, resource.id AS resource_id, resource.url AS url
FROM held LEFT JOIN resource ON resource.id = held.leased_resource AND resource.site_id = held.site_id;

-- name: move_resource
-- Gives a resource another URL, and with it perhaps another site: then all that hangs on it changes partition.
WITH moved AS (
    UPDATE resource SET url = %(url)s, url_key = %(url_key)s, site_id = %(site_id)s WHERE id = %(id)s
), visits AS (
    UPDATE visit SET site_id = %(site_id)s WHERE resource_id = %(id)s AND site_id <> %(site_id)s
), entries AS (
    UPDATE entry SET site_id = %(site_id)s WHERE resource_id = %(id)s AND site_id <> %(site_id)s
)
UPDATE document SET site_id = %(site_id)s WHERE resource_id = %(id)s AND site_id <> %(site_id)s;

-- name: hold_back_site
-- A visit that ended on another site counts against that site too.
UPDATE site SET next_allowed = greatest(next_allowed, %(next_allowed)s) WHERE id = %(id)s;

-- name: record_resource
-- What visits made of their resources. The operator's columns stay as they are now, not as they were when leased.
UPDATE resource SET
    kind = given.kind,
    status = CASE WHEN given.status = 'active' OR resource.status = 'paused' THEN resource.status ELSE given.status END,
    title = CASE WHEN resource.title = '' THEN given.title ELSE resource.title END,
    due = given.due, last_visit = given.last_visit, last_ok = given.last_ok, last_interval = given.last_interval,
    max_age = given.max_age, clock_offset = given.clock_offset, capacity = given.capacity, ok = given.ok,
    not_modified = given.not_modified, unreachable = given.unreachable, unparsable = given.unparsable,
    misses = given.misses, entries = given.entries, failures = given.failures, bytes = given.bytes,
    moving_target = given.moving_target, moving_days = given.moving_days, moving_last_day = given.moving_last_day,
    pattern = given.pattern, last_result = given.last_result, state_of = given.state_of, etag = given.etag,
    last_modified = given.last_modified, error = given.error, reason = given.reason, facts = given.facts,
    state = given.state, "window" = given.shown,
    turn = CASE WHEN pinned IS NULL THEN given.turn END,
    frequency = CASE WHEN pinned IS NULL THEN given.frequency ELSE 0 END,
    announced = CASE WHEN given.is_success = 1 THEN '' ELSE announced END
FROM unnest(
    %(id)s::bigint[], %(kind)s::text[], %(status)s::text[], %(title)s::text[], %(due)s::float8[],
    %(last_visit)s::float8[], %(last_ok)s::float8[], %(last_interval)s::float8[], %(max_age)s::float8[],
    %(clock_offset)s::float8[], %(capacity)s::bigint[], %(ok)s::bigint[], %(not_modified)s::bigint[],
    %(unreachable)s::bigint[], %(unparsable)s::bigint[], %(misses)s::bigint[], %(entries)s::bigint[],
    %(failures)s::bigint[], %(bytes)s::bigint[], %(moving_target)s::text[], %(moving_days)s::bigint[],
    %(moving_last_day)s::bigint[], %(pattern)s::text[], %(last_result)s::text[], %(state_of)s::text[],
    %(etag)s::text[], %(last_modified)s::text[], %(error)s::text[], %(reason)s::text[], %(facts)s::text[],
    %(state)s::bytea[], %(window)s::bytea[], %(turn)s::float8[], %(frequency)s::float8[], %(is_success)s::bigint[]
) AS given (
    id, kind, status, title, due, last_visit, last_ok, last_interval, max_age, clock_offset, capacity, ok,
    not_modified, unreachable, unparsable, misses, entries, failures, bytes, moving_target, moving_days,
    moving_last_day, pattern, last_result, state_of, etag, last_modified, error, reason, facts, state, shown, turn,
    frequency, is_success
)
WHERE resource.id = given.id;

-- name: record_visit
-- Lines of the log, each in the partition of its resource's site.
INSERT INTO visit (resource_id, started, finished, result, status, bytes, etag, last_modified, date, expires, max_age,
    window_size, new, missed, next_due, reason, error, site_id)
SELECT given.resource_id, started, finished, result, given.status, given.bytes, given.etag, given.last_modified,
    given.date, given.expires, given.max_age, window_size, given.new, missed, next_due, given.reason, given.error,
    resource.site_id
FROM unnest(%s::bigint[], %s::float8[], %s::float8[], %s::text[], %s::bigint[], %s::bigint[], %s::text[], %s::text[],
    %s::float8[], %s::float8[], %s::float8[], %s::bigint[], %s::bigint[], %s::bigint[], %s::float8[], %s::text[],
    %s::text[]) WITH ORDINALITY AS given (resource_id, started, finished, result, status, bytes, etag, last_modified,
    date, expires, max_age, window_size, new, missed, next_due, reason, error, place)
JOIN resource ON resource.id = given.resource_id ORDER BY given.place;

-- name: record_entry
-- Entries that were new, numbered in the order given, each in the partition of its resource's site.
INSERT INTO entry (resource_id, uid, published, published_raw, found, initial, after_gap, updated, date_source,
    native_id, title, link, author, categories, summary, content, site_id)
SELECT given.resource_id, uid, published, published_raw, found, initial, after_gap, updated, date_source, native_id,
    given.title, given.link, author, categories, summary, content, resource.site_id
FROM unnest(%s::bigint[], %s::bytea[], %s::float8[], %s::float8[], %s::float8[], %s::bigint[], %s::bigint[],
    %s::float8[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
    WITH ORDINALITY AS given (resource_id, uid, published, published_raw, found, initial, after_gap, updated,
    date_source, native_id, title, link, author, categories, summary, content, place)
JOIN resource ON resource.id = given.resource_id ORDER BY given.place;

-- name: record_site
-- Ends leases and puts the sites at their next place in the queue; failed is 1, 0, or NULL where nobody is to blame.
UPDATE site SET
    lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = given.next_allowed, retry_after = given.retry_after, requests = site.requests + given.requests,
    failures = CASE given.failed WHEN 1 THEN failures + 1 WHEN 0 THEN 0 ELSE failures END,
    crawl_delay = CASE WHEN given.robots_read = 1 THEN given.crawl_delay ELSE site.crawl_delay END,
    answer = CASE WHEN took IS NULL THEN answer WHEN answer = 0 THEN took ELSE answer + 0.2 * (took - answer) END,
    frequency = greatest(0, frequency + given.added), turn = turn + coalesce(site.speed, frequency) * greatest(0, coalesce(given.turn_at - site.turn_at, 0)),
    turn_at = coalesce(given.turn_at, site.turn_at), speed = coalesce(site.speed, given.speed), state = coalesce(given.state, site.state),
    next_turn = coalesce(given.next_turn, site.next_turn),
    ready = larger(given.next_allowed, wanted(due, has_turns, coalesce(given.next_turn, site.next_turn)))
FROM unnest(%(id)s::bigint[], %(next_allowed)s::float8[], %(retry_after)s::float8[], %(requests)s::bigint[],
    %(failed)s::bigint[], %(robots_read)s::bigint[], %(crawl_delay)s::float8[], %(took)s::float8[], %(added)s::float8[],
    %(turn_at)s::float8[], %(next_turn)s::float8[], %(speed)s::float8[], %(state)s::bytea[])
    AS given (id, next_allowed, retry_after, requests, failed, robots_read, crawl_delay, took, added, turn_at, next_turn, speed, state)
CROSS JOIN LATERAL waiting(ARRAY[given.id])
WHERE site.id = given.id;

-- name: record_document
-- Keeps raw answers.
INSERT INTO document (resource_id, at, why, stored, headers, body, site_id)
SELECT given.resource_id, at, why, stored, headers, body, resource.site_id
FROM unnest(%s::bigint[], %s::float8[], %s::text[], %s::bigint[], %s::text[], %s::bytea[])
    WITH ORDINALITY AS given (resource_id, at, why, stored, headers, body, place)
JOIN resource ON resource.id = given.resource_id ORDER BY given.place;

-- name: trim_documents
-- Drops the oldest answers past either limit.
DELETE FROM document WHERE id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(stored) OVER newest AS total
        FROM document WINDOW newest AS (ORDER BY id DESC)
    ) AS kept WHERE place > %(count)s OR total > %(bytes)s
);

-- name: record_activity
-- Adds to the sums of a minute, or of all time, in the slot of this connection.
INSERT INTO activity (minute, slot, new, same, not_modified, unparsable, throttled, http_error, gone, unreachable,
    refused, offline, entries, delayed, delay, missed, bytes)
VALUES (%(minute)s, pg_backend_pid() %% 32, %(new)s, %(same)s, %(not_modified)s, %(unparsable)s, %(throttled)s,
    %(http_error)s, %(gone)s, %(unreachable)s, %(refused)s, %(offline)s, %(entries)s, %(delayed)s, %(delay)s,
    %(missed)s, %(bytes)s)
ON CONFLICT (minute, slot) DO UPDATE SET
    new = activity.new + excluded.new, same = activity.same + excluded.same,
    not_modified = activity.not_modified + excluded.not_modified,
    unparsable = activity.unparsable + excluded.unparsable, throttled = activity.throttled + excluded.throttled,
    http_error = activity.http_error + excluded.http_error, gone = activity.gone + excluded.gone,
    unreachable = activity.unreachable + excluded.unreachable, refused = activity.refused + excluded.refused,
    offline = activity.offline + excluded.offline, entries = activity.entries + excluded.entries,
    delayed = activity.delayed + excluded.delayed, delay = activity.delay + excluded.delay,
    missed = activity.missed + excluded.missed, bytes = activity.bytes + excluded.bytes;

-- totals -------------------------------------------------------------------------------------------------------------

-- name: tallies
-- The small totals, over all slots.
SELECT name, sum(value) AS value FROM tally GROUP BY name;

-- name: database_size
-- Bytes of the database.
SELECT pg_database_size(current_database());

-- query feeds --------------------------------------------------------------------------------------------------------

-- name: next_generation
-- Some query changed: whoever keeps queries in memory has to look again.
INSERT INTO tally (name, slot, value) VALUES ('query/generation', 0, 1)
ON CONFLICT (name, slot) DO UPDATE SET value = tally.value + 1 RETURNING value;

-- name: set_cursor
-- Entries up to this number were matched.
INSERT INTO tally (name, slot, value) VALUES ('query/cursor', 0, %(cursor)s)
ON CONFLICT (name, slot) DO UPDATE SET value = excluded.value;

-- name: count_seen
-- Adds to what a selector offered.
INSERT INTO query_seen (selector, seen) VALUES (%(selector)s, %(count)s)
ON CONFLICT (selector) DO UPDATE SET seen = query_seen.seen + excluded.seen;

-- name: set_places
-- Places were given.
UPDATE query SET places = %(places)s, modified = greatest(modified, %(now)s) WHERE id = %(query)s;
