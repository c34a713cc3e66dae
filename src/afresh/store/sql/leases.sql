-- The statements about work: which sites are ready, who has them, and what their visits brought.

-- queue ---------------------------------------------------------------------------------------------------------------

-- name: next_ready
-- When the first site becomes ready.
SELECT ready FROM site WHERE ready IS NOT NULL {here_site} ORDER BY ready LIMIT 1;

-- name: pick_sites
-- Ready sites, longest ready first.
SELECT id FROM site WHERE ready <= :now AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now
ORDER BY ready, id LIMIT :limit;

-- name: pick_sites/postgres
-- Locked; those that another process has just locked are passed over, not waited for.
SELECT id FROM site WHERE ready <= :now AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now {here_site}
ORDER BY ready, id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED;

-- name: pick_asked
-- For each site that may be asked now, a resource that somebody waits for; who asked first comes first.
SELECT min(resource.id) AS id, site_id, min(asked) AS since FROM resource JOIN site ON site.id = resource.site_id
WHERE asked IS NOT NULL AND status = 'active' AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now
GROUP BY site_id ORDER BY since, site_id LIMIT :limit;

-- name: pick_asked/postgres
-- Only read: whoever takes them locks their sites.
SELECT min(resource.id) AS id, site_id, min(asked) AS since
FROM resource JOIN site ON site.bucket = resource.bucket AND site.id = resource.site_id {here_site}
WHERE asked IS NOT NULL AND status = 'active' AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now {here_resource}
GROUP BY site_id ORDER BY since, site_id LIMIT :limit;

-- name: ready_sites
-- The same, only read, with since when they are: of several servers each is asked, and then locks as many as it has of the first of all.
SELECT id, ready FROM site WHERE ready <= :now AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now {here_site}
ORDER BY ready, id LIMIT :limit;

-- name: pick_resources
-- For each of these sites the most overdue resource or the page whose turn it is, alternately if both are due; with what
-- is known of it.
SELECT site.name AS site, site.resources, max(coalesce(site.delay, 0), coalesce(site.crawl_delay, 0)) AS pause, resource.*
FROM (
    SELECT id, requests, coalesce(next_turn, 0) AS next_turn,
        (SELECT id FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1) AS waiting,
        (SELECT due FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1) AS due,
        (SELECT id FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL ORDER BY turn, due LIMIT 1) AS place
    FROM site WHERE id IN (SELECT value FROM json_each(:sites))
) AS found
JOIN site ON site.id = found.id
JOIN resource ON resource.id = CASE
    WHEN place IS NULL THEN waiting
    WHEN waiting IS NULL OR found.due > :now THEN place
    WHEN found.next_turn > :now THEN waiting
    WHEN found.requests % 2 = 1 THEN place
    ELSE waiting END;

-- name: pick_resources/postgres
-- A statement of its own: whoever had a locked site before has committed by now, and its resources are seen as they are.
SELECT site.name AS site, site.resources, greatest(site.delay, site.crawl_delay, 0) AS pause, resource.*
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
JOIN site ON site.bucket = given.id % {buckets} AND site.id = given.id {here_site}
LEFT JOIN LATERAL (
    SELECT id, due FROM resource
    WHERE resource.bucket = site.bucket AND site_id = site.id AND status = 'active' AND turn IS NULL {here_resource}
    ORDER BY due LIMIT 1
) AS first ON true
LEFT JOIN LATERAL (
    SELECT id FROM resource
    WHERE resource.bucket = site.bucket AND site_id = site.id AND status = 'active' AND turn IS NOT NULL {here_resource}
    ORDER BY turn, due LIMIT 1
) AS next ON true
JOIN resource ON resource.bucket = site.bucket AND resource.site_id = site.id {here_resource} AND resource.id = CASE
    WHEN next.id IS NULL THEN first.id
    WHEN first.id IS NULL OR first.due > :now THEN next.id
    WHEN coalesce(site.next_turn, 0) > :now THEN first.id
    WHEN site.requests % 2 = 1 THEN next.id
    ELSE first.id END;

-- name: pick_sites_of
-- Those of these sites that may be asked now, whether or not anything is due.
SELECT id FROM site WHERE id IN (SELECT value FROM json_each(:sites)) AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now
ORDER BY id LIMIT :limit;

-- name: pick_sites_of/postgres
-- Locked, as with pick_sites.
SELECT site.id FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
JOIN site ON site.bucket = given.id % {buckets} AND site.id = given.id {here_site}
WHERE next_allowed <= :now AND coalesce(leased_until, 0) <= :now
ORDER BY site.id LIMIT :limit FOR NO KEY UPDATE OF site SKIP LOCKED;

-- name: pick_chosen
-- For each of these sites the first of these resources; with what is known of it.
SELECT site.name AS site, site.resources, max(coalesce(site.delay, 0), coalesce(site.crawl_delay, 0)) AS pause, resource.*
FROM site JOIN resource ON resource.id = (
    SELECT min(id) FROM resource
    WHERE site_id = site.id AND id IN (SELECT value FROM json_each(:ids)) AND status = 'active'
)
WHERE site.id IN (SELECT value FROM json_each(:sites));

-- name: pick_chosen/postgres
-- The sets as arrays.
SELECT site.name AS site, site.resources, greatest(site.delay, site.crawl_delay, 0) AS pause, resource.*
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
JOIN site ON site.bucket = given.id % {buckets} AND site.id = given.id {here_site}
JOIN resource ON resource.bucket = site.bucket AND resource.site_id = site.id {here_resource} AND resource.id = (
    SELECT min(id) FROM resource AS chosen
    WHERE chosen.bucket = site.bucket AND chosen.site_id = site.id AND chosen.status = 'active' {here_chosen}
        AND chosen.id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[])
);

-- name: refused_resources
-- Watched resources whose last visit was refused on our side.
SELECT id, error FROM resource
WHERE failures > 0 AND last_result = 'refused' AND status = 'active' AND id > :after {here_resource} ORDER BY id LIMIT :limit;

-- name: bring_forward
-- What is visited by due time is due now. :located are resources, each with its bucket: number * {buckets} + bucket.
UPDATE resource SET due = :now
WHERE id IN (SELECT value / {buckets} FROM json_each(:located)) AND status = 'active' AND turn IS NULL AND due > :now
    AND coalesce(last_visit, 0) <= :seen;

-- name: bring_forward/postgres
-- The set as an array.
UPDATE resource SET due = :now
FROM unnest((SELECT translate(:located, '[]', '{}')::bigint[])::bigint[]) AS given (place)
WHERE resource.bucket = given.place % {buckets} AND resource.id = given.place / {buckets} {here_resource}
    AND status = 'active' AND turn IS NULL AND due > :now AND coalesce(last_visit, 0) <= :seen;

-- name: ask_for
-- Somebody waits for these: they take the next requests.
UPDATE resource SET asked = coalesce(asked, :now)
WHERE id IN (SELECT value / {buckets} FROM json_each(:located)) AND status = 'active' AND coalesce(last_visit, 0) <= :seen;

-- name: ask_for/postgres
-- The set as an array.
UPDATE resource SET asked = coalesce(asked, :now)
FROM unnest((SELECT translate(:located, '[]', '{}')::bigint[])::bigint[]) AS given (place)
WHERE resource.bucket = given.place % {buckets} AND resource.id = given.place / {buckets} {here_resource}
    AND status = 'active' AND coalesce(last_visit, 0) <= :seen;

-- name: bring_pages_forward
-- Pages that wait in the order of their sites get the first place there; ``due`` stays, for it tells of announcements.
UPDATE resource SET turn = (
    SELECT first.turn - 1 FROM resource AS first
    WHERE first.site_id = resource.site_id AND first.status = 'active' AND first.turn IS NOT NULL ORDER BY first.turn LIMIT 1
) WHERE id IN (SELECT value / {buckets} FROM json_each(:located)) AND status = 'active' AND turn IS NOT NULL
    AND coalesce(last_visit, 0) <= :seen;

-- name: bring_pages_forward/postgres
-- The set as an array.
UPDATE resource SET turn = (
    SELECT first.turn - 1 FROM resource AS first
    WHERE first.bucket = resource.bucket AND first.site_id = resource.site_id AND first.status = 'active'
        AND first.turn IS NOT NULL {here_first} ORDER BY first.turn LIMIT 1
)
FROM unnest((SELECT translate(:located, '[]', '{}')::bigint[])::bigint[]) AS given (place)
WHERE resource.bucket = given.place % {buckets} AND resource.id = given.place / {buckets} {here_resource}
    AND status = 'active' AND turn IS NOT NULL AND coalesce(last_visit, 0) <= :seen;

-- name: bring_turns_forward
-- The turn of a site comes at once where one of these pages waits for it.
UPDATE site SET next_turn = min(coalesce(next_turn, :now), :now) WHERE id IN (
    SELECT site_id FROM resource WHERE id IN (SELECT value / {buckets} FROM json_each(:located)) AND status = 'active'
        AND turn IS NOT NULL AND coalesce(last_visit, 0) <= :seen
);

-- name: bring_turns_forward/postgres
-- The set as an array.
UPDATE site SET next_turn = min(coalesce(next_turn, :now), :now)
FROM unnest((SELECT translate(:located, '[]', '{}')::bigint[])::bigint[]) AS given (place)
JOIN resource ON resource.bucket = given.place % {buckets} AND resource.id = given.place / {buckets} {here_resource}
WHERE site.bucket = resource.bucket AND site.id = resource.site_id {here_site}
    AND resource.status = 'active' AND resource.turn IS NOT NULL AND coalesce(resource.last_visit, 0) <= :seen;

-- name: take_lease_numbers
-- What the next lease numbers are made of, the last is said; they only ever grow.
INSERT INTO counter (name, value) VALUES ('lease', :count)
ON CONFLICT (name) DO UPDATE SET value = value + excluded.value RETURNING value;

-- name: take_lease_numbers/postgres
-- Each is said: other processes draw numbers in between.
SELECT nextval('lease_number') FROM generate_series(1, :count);

-- name: lease_site
-- Hands a site out; it is not ready again before the lease expires.
UPDATE site SET lease = :lease, leased_resource = :resource_id, leased_by = :holder, leased_until = :until, ready = :until
WHERE id = :site_id;

-- name: lease_site/postgres (arrays)
-- Many in one statement.
UPDATE site SET lease = given.lease, leased_resource = given.resource_id, leased_by = given.holder,
    leased_until = given.until, ready = given.until
FROM unnest(:lease::bigint[], :resource_id::bigint[], :holder::text[], :until::float8[], :site_id::bigint[])
    AS given (lease, resource_id, holder, until, site_id)
WHERE site.bucket = given.site_id % {buckets} AND site.id = given.site_id {here_site};

-- name: sites_by_lease
-- The sites still held under these leases.
SELECT id, lease FROM site WHERE lease IN (SELECT value FROM json_each(:leases));

-- name: sites_by_lease/postgres
-- The sites still held under these leases, locked.
SELECT site.id, site.lease FROM unnest((SELECT translate(:leases, '[]', '{}')::bigint[])::bigint[]) AS given (lease)
JOIN site ON site.bucket = given.lease % {buckets} AND site.lease = given.lease {here_site}
ORDER BY site.id FOR NO KEY UPDATE OF site;

-- name: renew_sites
-- Leases last longer.
UPDATE site SET leased_until = :until, ready = :until WHERE id IN (SELECT value FROM json_each(:sites));

-- name: renew_sites/postgres
-- The set as an array.
UPDATE site SET leased_until = :until, ready = :until
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
WHERE site.bucket = given.id % {buckets} AND site.id = given.id {here_site};

-- name: free_sites
-- Ends leases without a visit.
UPDATE site SET lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL
WHERE id IN (SELECT value FROM json_each(:sites));

-- name: free_sites/postgres
-- The set as an array.
UPDATE site SET lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
WHERE site.bucket = given.id % {buckets} AND site.id = given.id {here_site};

-- name: take_back
-- Ends the leases of daemons that are no more. They may have asked a moment ago, and been told to wait.
UPDATE site SET lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = max(next_allowed, max(:now + max(max(:delay, coalesce(delay, 0)), coalesce(crawl_delay, 0)), min(leased_until, :now + :rest)))
WHERE lease IS NOT NULL AND leased_by IN (SELECT name FROM daemon) RETURNING id;

-- record --------------------------------------------------------------------------------------------------------------

-- name: open_leases
-- What is held under these leases; no resource columns if it was removed meanwhile.
SELECT lease, site.id AS site_id, site.name AS site, resource.id AS resource_id, resource.url AS url,
    resource.kind AS kind, resource.status AS status, rule, pinned, shortest, longest, weight
FROM site LEFT JOIN resource ON resource.id = site.leased_resource
WHERE lease IN (SELECT value FROM json_each(:leases));

-- name: open_leases/postgres
-- What is held under these leases, locked; no resource columns if it was removed meanwhile.
WITH held AS (
    SELECT site.lease, site.bucket, site.id AS site_id, site.name AS site, site.leased_resource
    FROM unnest((SELECT translate(:leases, '[]', '{}')::bigint[])::bigint[]) AS given (lease)
    JOIN site ON site.bucket = given.lease % {buckets} AND site.lease = given.lease {here_site}
    ORDER BY site.id FOR NO KEY UPDATE OF site
)
SELECT held.lease, held.site_id, held.site, resource.id AS resource_id, resource.url AS url, resource.kind, resource.status,
    rule, pinned, shortest, longest, weight
FROM held LEFT JOIN resource ON resource.bucket = held.bucket AND resource.id = held.leased_resource {here_resource};

-- name: move_resource
-- Gives a resource another URL, and perhaps another site of its bucket.
UPDATE resource SET url = :url, url_key = :url_key, site_id = :site_id WHERE {bucket = :bucket AND} id = :id;

-- name: hold_back_site
-- A visit that ended on another site counts against that site too.
UPDATE site SET next_allowed = max(next_allowed, :next_allowed) WHERE {bucket = :id % {buckets} AND} id = :id;

-- name: record_resource
-- What a visit made of its resource. The operator's columns stay as they are now, not as they were when it was leased;
-- one that became of another kind meanwhile is due as its operator said, and asked for as if it were new. Who asked for
-- a visit after this one had started waits on.
UPDATE resource SET
    status = :status,
    title = CASE WHEN title = '' THEN :title ELSE title END,
    due = CASE WHEN kind = :kind AND coalesce(asked, 0) <= :started THEN :due ELSE due END,
    last_visit = :last_visit, last_ok = :last_ok, last_interval = :last_interval, max_age = :max_age,
    clock_offset = :clock_offset, capacity = :capacity,
    ok = :ok, not_modified = :not_modified, unreachable = :unreachable, unparsable = :unparsable,
    misses = :misses, entries = :entries, failures = :failures, bytes = :bytes,
    moving_target = :moving_target, moving_days = :moving_days, moving_last_day = :moving_last_day,
    pattern = :pattern, last_result = :last_result, state_of = :state_of,
    etag = CASE WHEN kind = :kind THEN :etag ELSE '' END,
    last_modified = CASE WHEN kind = :kind THEN :last_modified ELSE '' END,
    error = :error, reason = :reason, facts = :facts, state = :state, window = :window, repaired = :repaired,
    turn = CASE WHEN pinned IS NULL AND kind = :kind AND coalesce(asked, 0) <= :started THEN :turn END,
    frequency = CASE WHEN pinned IS NULL AND kind = :kind AND coalesce(asked, 0) <= :started THEN :frequency ELSE 0 END,
    announced = CASE WHEN :is_success THEN '' ELSE announced END,
    asked = CASE WHEN kind <> :kind OR asked > :started THEN asked END
WHERE id = :id;

-- name: record_resource/postgres (arrays)
-- What visits made of their resources. The operator's columns stay as they are now, not as they were when leased.
UPDATE resource SET
    status = given.status,
    title = CASE WHEN resource.title = '' THEN given.title ELSE resource.title END,
    due = CASE WHEN resource.kind = given.kind AND coalesce(asked, 0) <= given.started THEN given.due ELSE resource.due END,
    last_visit = given.last_visit, last_ok = given.last_ok, last_interval = given.last_interval,
    max_age = given.max_age, clock_offset = given.clock_offset, capacity = given.capacity, ok = given.ok,
    not_modified = given.not_modified, unreachable = given.unreachable, unparsable = given.unparsable,
    misses = given.misses, entries = given.entries, failures = given.failures, bytes = given.bytes,
    moving_target = given.moving_target, moving_days = given.moving_days, moving_last_day = given.moving_last_day,
    pattern = given.pattern, last_result = given.last_result, state_of = given.state_of,
    etag = CASE WHEN resource.kind = given.kind THEN given.etag ELSE '' END,
    last_modified = CASE WHEN resource.kind = given.kind THEN given.last_modified ELSE '' END,
    error = given.error, reason = given.reason, facts = given.facts,
    state = given.state, "window" = given.shown, repaired = given.repaired,
    turn = CASE WHEN pinned IS NULL AND resource.kind = given.kind AND coalesce(asked, 0) <= given.started THEN given.turn END,
    frequency = CASE WHEN pinned IS NULL AND resource.kind = given.kind AND coalesce(asked, 0) <= given.started THEN given.frequency ELSE 0 END,
    announced = CASE WHEN given.is_success = 1 THEN '' ELSE announced END,
    asked = CASE WHEN resource.kind <> given.kind OR asked > given.started THEN asked END
FROM unnest(
    :bucket::bigint[], :id::bigint[], :kind::text[], :status::text[], :title::text[], :due::float8[],
    :last_visit::float8[], :last_ok::float8[], :last_interval::float8[], :max_age::float8[],
    :clock_offset::float8[], :capacity::bigint[], :ok::bigint[], :not_modified::bigint[],
    :unreachable::bigint[], :unparsable::bigint[], :misses::bigint[], :entries::bigint[],
    :failures::bigint[], :bytes::bigint[], :moving_target::text[], :moving_days::bigint[],
    :moving_last_day::bigint[], :pattern::text[], :last_result::text[], :state_of::text[],
    :etag::text[], :last_modified::text[], :error::text[], :reason::text[], :facts::text[],
    :state::bytea[], :window::bytea[], :turn::float8[], :frequency::float8[], :is_success::bigint[],
    :repaired::text[], :started::float8[]
) AS given (
    bucket, id, kind, status, title, due, last_visit, last_ok, last_interval, max_age, clock_offset, capacity, ok,
    not_modified, unreachable, unparsable, misses, entries, failures, bytes, moving_target, moving_days,
    moving_last_day, pattern, last_result, state_of, etag, last_modified, error, reason, facts, state, shown, turn,
    frequency, is_success, repaired, started
)
WHERE resource.bucket = given.bucket AND resource.id = given.id {here_resource};

-- name: record_visit
-- A line of the log; the first value is its bucket, which is PostgreSQL's alone.
INSERT INTO visit (resource_id, started, finished, result, status, bytes, etag, last_modified, date, expires, max_age,
    window_size, new, missed, next_due, reason, error, repaired)
VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19);

-- name: record_visit/postgres (arrays)
-- Lines of the log, numbered in the order given.
INSERT INTO visit (bucket, resource_id, started, finished, result, status, bytes, etag, last_modified, date, expires, max_age,
    window_size, new, missed, next_due, reason, error, repaired)
SELECT bucket, resource_id, started, finished, result, status, bytes, etag, last_modified, date, expires, max_age, window_size,
    new, missed, next_due, reason, error, repaired
FROM unnest(?::bigint[], ?::bigint[], ?::float8[], ?::float8[], ?::text[], ?::bigint[], ?::bigint[], ?::text[], ?::text[],
    ?::float8[], ?::float8[], ?::float8[], ?::bigint[], ?::bigint[], ?::bigint[], ?::float8[], ?::text[],
    ?::text[], ?::text[]) WITH ORDINALITY AS given (bucket, resource_id, started, finished, result, status, bytes, etag,
    last_modified, date, expires, max_age, window_size, new, missed, next_due, reason, error, repaired, place)
ORDER BY place;

-- name: record_entry
-- An entry that was new; the first value is its bucket, which is PostgreSQL's alone.
INSERT INTO entry (resource_id, uid, published, published_raw, found, initial, after_gap, updated, date_source,
    native_id, title, link, author, categories, summary, content, language, enclosures)
VALUES (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19);

-- name: record_entry/postgres (arrays)
-- Entries that were new, numbered in the order given.
INSERT INTO entry (bucket, resource_id, uid, published, published_raw, found, initial, after_gap, updated, date_source,
    native_id, title, link, author, categories, summary, content, language, enclosures)
SELECT bucket, resource_id, uid, published, published_raw, found, initial, after_gap, updated, date_source, native_id,
    title, link, author, categories, summary, content, language, enclosures
FROM unnest(?::bigint[], ?::bigint[], ?::bytea[], ?::float8[], ?::float8[], ?::float8[], ?::bigint[], ?::bigint[],
    ?::float8[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
    ?::text[]) WITH ORDINALITY AS given (bucket, resource_id, uid, published, published_raw, found, initial, after_gap, updated,
    date_source, native_id, title, link, author, categories, summary, content, language, enclosures, place)
ORDER BY place;

-- name: revise_entry
-- What an entry says now; its number, identity and times are those of its first sight. One without id is known by its
-- link and its own date: several that were found at once have the same time.
UPDATE entry SET updated = :updated, title = :title, link = :link, author = :author, categories = :categories,
    summary = :summary, content = :content, language = :language, enclosures = :enclosures
WHERE resource_id = :resource_id AND published = :published AND native_id = :native_id
    AND (native_id <> '' OR (link = :link AND published_raw = :published_raw));

-- name: revise_entry/postgres
-- The same, where its bucket is known.
UPDATE entry SET updated = :updated, title = :title, link = :link, author = :author, categories = :categories,
    summary = :summary, content = :content, language = :language, enclosures = :enclosures
WHERE bucket = :bucket AND resource_id = :resource_id AND published = :published AND native_id = :native_id
    AND (native_id <> '' OR (link = :link AND published_raw = :published_raw));

-- name: record_site
-- Ends the lease and puts the site at its next place in the queue; :failed is 1, 0, or NULL where nobody is to blame;
-- :took is how long the answer took, NULL where none came.
UPDATE site SET
    lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = :next_allowed, retry_after = :retry_after, requests = requests + :requests,
    failures = CASE WHEN :failed IS NULL THEN failures WHEN :failed THEN failures + 1 ELSE 0 END,
    crawl_delay = CASE WHEN :robots_read THEN :crawl_delay ELSE crawl_delay END,
    answer = CASE WHEN :took IS NULL THEN answer WHEN answer = 0 THEN :took ELSE answer + 0.2 * (:took - answer) END,
    frequency = max(0, frequency + :added), turn = turn + coalesce(speed, frequency) * max(0, coalesce(:turn_at - turn_at, 0)),
    turn_at = coalesce(:turn_at, turn_at), speed = coalesce(speed, :speed),
    next_turn = coalesce(:next_turn, next_turn), state = coalesce(:state, state),
    ready = max(
        :next_allowed,
        nullif(min(
            coalesce((SELECT due FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1), 9e999),
            CASE WHEN EXISTS (SELECT 1 FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL)
                THEN coalesce(:next_turn, next_turn, 0) ELSE 9e999 END
        ), 9e999)
    )
WHERE id = :id;

-- name: record_site/postgres (arrays)
-- Ends leases and puts the sites at their next place in the queue; failed is 1, 0, or NULL where nobody is to blame.
UPDATE site SET
    lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = given.next_allowed, retry_after = given.retry_after, requests = site.requests + given.requests,
    failures = CASE given.failed WHEN 1 THEN failures + 1 WHEN 0 THEN 0 ELSE failures END,
    crawl_delay = CASE WHEN given.robots_read = 1 THEN given.crawl_delay ELSE site.crawl_delay END,
    answer = CASE WHEN took IS NULL THEN answer WHEN answer = 0 THEN took ELSE answer + 0.2 * (took - answer) END,
    frequency = max(0, frequency + given.added),
    turn = turn + coalesce(site.speed, frequency) * max(0, coalesce(given.turn_at - site.turn_at, 0)),
    turn_at = coalesce(given.turn_at, site.turn_at), speed = coalesce(site.speed, given.speed),
    next_turn = coalesce(given.next_turn, site.next_turn), state = coalesce(given.state, site.state),
    ready = max(given.next_allowed, wanted(first.due, next.has_turns, coalesce(given.next_turn, site.next_turn)))
FROM unnest(:id::bigint[], :next_allowed::float8[], :retry_after::float8[], :requests::bigint[],
    :failed::bigint[], :robots_read::bigint[], :crawl_delay::float8[], :took::float8[], :added::float8[],
    :turn_at::float8[], :next_turn::float8[], :speed::float8[], :state::bytea[])
    AS given (id, next_allowed, retry_after, requests, failed, robots_read, crawl_delay, took, added, turn_at, next_turn, speed, state)
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

-- name: record_document
-- Keeps a raw answer; the first value is its bucket, which is PostgreSQL's alone.
INSERT INTO document (resource_id, at, why, stored, headers, body) VALUES (?2, ?3, ?4, ?5, ?6, ?7);

-- name: record_document/postgres (arrays)
-- Keeps raw answers.
INSERT INTO document (bucket, resource_id, at, why, stored, headers, body)
SELECT bucket, resource_id, at, why, stored, headers, body
FROM unnest(?::bigint[], ?::bigint[], ?::float8[], ?::text[], ?::bigint[], ?::text[], ?::bytea[])
    WITH ORDINALITY AS given (bucket, resource_id, at, why, stored, headers, body, place)
ORDER BY place;

-- name: trim_documents
-- Drops the oldest answers past either limit, on each server by itself, but none after :untaken, which a sink has still to take.
DELETE FROM document WHERE id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(stored) OVER newest AS total
        FROM document WHERE true {here_document} WINDOW newest AS (ORDER BY id DESC)
    ) AS kept WHERE place > :count OR total > :bytes
) AND id <= :untaken {here_document};

-- name: record_activity
-- Adds to the sums of a minute, or of all time.
INSERT INTO activity ({bucket,} minute, new, same, not_modified, unparsable, throttled, http_error, gone, unreachable, refused,
    offline, entries, delayed, delay, missed, bytes)
VALUES ({:bucket,} :minute, :new, :same, :not_modified, :unparsable, :throttled, :http_error, :gone, :unreachable, :refused,
    :offline, :entries, :delayed, :delay, :missed, :bytes)
ON CONFLICT (minute{, bucket}) DO UPDATE SET
    new = activity.new + excluded.new, same = activity.same + excluded.same,
    not_modified = activity.not_modified + excluded.not_modified,
    unparsable = activity.unparsable + excluded.unparsable, throttled = activity.throttled + excluded.throttled,
    http_error = activity.http_error + excluded.http_error, gone = activity.gone + excluded.gone,
    unreachable = activity.unreachable + excluded.unreachable, refused = activity.refused + excluded.refused,
    offline = activity.offline + excluded.offline, entries = activity.entries + excluded.entries,
    delayed = activity.delayed + excluded.delayed, delay = activity.delay + excluded.delay,
    missed = activity.missed + excluded.missed, bytes = activity.bytes + excluded.bytes;

-- name: set_aside
-- A resource that cannot be read is not handed out any more, and says why.
UPDATE resource SET status = 'damaged', error = :error WHERE {bucket = :bucket AND} id = :id;
