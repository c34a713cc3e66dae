-- The statements about pages that are revisited in turn.

-- name: announced_pages
-- Active pages that were visited before, by the keys of their URLs; the caller compares the URL itself.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE url_key IN (SELECT value FROM json_each(:keys)) AND kind = 'page' AND status = 'active' AND last_ok IS NOT NULL;

-- name: announced_pages/postgres
-- The set as an array.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.bucket = resource.bucket AND site.id = resource.site_id
WHERE url_key = ANY ((SELECT translate(:keys, '[]', '{}')::bigint[])::bigint[]) AND kind = 'page' AND status = 'active' AND last_ok IS NOT NULL;

-- name: note_announcement
-- What was announced about a page since its last visit.
UPDATE resource SET announced = :announced WHERE {bucket = :bucket AND} id = :id;

-- name: know_signal
-- A kind of signal that a site has.
INSERT INTO signal ({bucket,} site_id, kind) VALUES ({:bucket,} :site_id, :kind) ON CONFLICT (site_id, kind{, bucket}) DO NOTHING;

-- name: learn_announced
-- A visit of a page about which this kind of signal had said something.
UPDATE signal SET announced_changes = announced_changes + :right, false_alarms = false_alarms + :wrong, watched = watched + :elapsed
WHERE {bucket = :site_id % {buckets} AND} site_id = :site_id AND kind = :kind;

-- name: learn_silent
-- A visit of a page about which the site's other signals had said nothing.
UPDATE signal SET silent_changes = silent_changes + :changed, watched = watched + :elapsed
WHERE site_id = :site_id AND kind NOT IN (SELECT value FROM json_each(:kinds));

-- name: learn_silent/postgres
-- The set as an array.
UPDATE signal SET silent_changes = silent_changes + :changed, watched = watched + :elapsed
WHERE bucket = :site_id % {buckets} AND site_id = :site_id AND kind <> ALL (ARRAY(SELECT jsonb_array_elements_text(:kinds::jsonb)));

-- name: signals_of_site
-- What the signals of a site proved worth.
SELECT signal.* FROM signal JOIN site ON site.id = signal.site_id {AND site.bucket = signal.bucket} WHERE {site.bucket = :bucket AND} site.name = :name ORDER BY kind;

-- name: hasten_page
-- Moves a page forward: in turns where it has a place, in time where it is visited by due. One that reaches the site's
-- own time is next, before the page that the site was waiting for.
UPDATE resource SET
    turn = CASE WHEN turn IS NULL THEN NULL WHEN turn - :seconds * (SELECT coalesce(speed, frequency) FROM site WHERE site.id = site_id {AND site.bucket = resource.bucket})
        > (SELECT turn FROM site WHERE site.id = site_id {AND site.bucket = resource.bucket})
    THEN turn - :seconds * (SELECT coalesce(speed, frequency) FROM site WHERE site.id = site_id {AND site.bucket = resource.bucket})
    ELSE min((SELECT turn FROM site WHERE site.id = site_id {AND site.bucket = resource.bucket}), (
        SELECT first.turn - 1 FROM resource AS first
        WHERE first.site_id = resource.site_id AND first.status = 'active' AND first.turn IS NOT NULL {AND first.bucket = resource.bucket}
        ORDER BY first.turn LIMIT 1
    )) END,
    due = CASE WHEN due > :now THEN max(:now, due - :seconds) ELSE due END
WHERE {bucket = :bucket AND} id = :id;

-- name: hasten_sites
-- The turn of a site comes at once whose next page is one of these and has reached the site's own time.
UPDATE site SET next_turn = min(coalesce(next_turn, :now), :now) WHERE id IN (SELECT value FROM json_each(:sites)) AND (
    SELECT id FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL AND turn <= site.turn
    ORDER BY turn, due LIMIT 1
) IN (SELECT value FROM json_each(:pages));

-- name: hasten_sites/postgres
-- The sets as arrays.
UPDATE site SET next_turn = min(coalesce(next_turn, :now), :now)
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
WHERE site.bucket = given.id % {buckets} AND site.id = given.id {here_site} AND (
    SELECT resource.id FROM resource WHERE resource.bucket = site.bucket AND site_id = site.id AND status = 'active'
        AND resource.turn IS NOT NULL AND resource.turn <= site.turn {here_resource}
    ORDER BY resource.turn, due LIMIT 1
) = ANY ((SELECT translate(:pages, '[]', '{}')::bigint[])::bigint[]);

-- name: call_page
-- The page that the site serves next gets the first place.
UPDATE resource SET turn = :turn WHERE {bucket = :bucket AND} id = :id AND turn IS NOT NULL;

-- name: pages_in_turn
-- Pages that have a place in the order of their sites, by site; the status is hidden from the planner, which would
-- otherwise read all resources by due and sort them.
SELECT site_id, id, turn, due, last_ok, last_interval, weight, shortest, longest, state_of, state FROM resource
WHERE site_id > :after AND status || '' = 'active' AND turn IS NOT NULL ORDER BY site_id LIMIT :limit;

-- name: pages_in_turn/postgres
-- Pages that have a place in the order of their sites, by site.
SELECT site_id, id, turn, due, last_ok, last_interval, weight, shortest, longest, state_of, state FROM resource
WHERE site_id > :after AND status = 'active' AND turn IS NOT NULL ORDER BY site_id LIMIT :limit;

-- name: pages_in_turn_of_site
-- The same of one site.
SELECT site_id, id, turn, due, last_ok, last_interval, weight, shortest, longest, state_of, state FROM resource
WHERE {bucket = :site % {buckets} AND} site_id = :site AND status = 'active' AND turn IS NOT NULL;

-- name: first_in_turn
-- The pages of a site with the smallest places, but for one of them.
SELECT site_id, id, turn, due, last_ok, last_interval, weight, shortest, longest, state_of, state FROM resource
WHERE {bucket = :bucket AND} site_id = (SELECT id FROM site WHERE {bucket = :bucket AND} name = :name) AND status = 'active' AND turn IS NOT NULL
    AND id <> :besides
ORDER BY turn, due LIMIT :limit;

-- name: has_pages
-- Whether there are active pages at all.
SELECT coalesce(sum(value), 0) FROM tally WHERE name = 'resources/page/active';

-- name: sites_to_plan
-- What sites can bear, and what they spend on resources that are visited by due time.
SELECT id, delay, crawl_delay, answer, price, frequency, turn, turn_at, speed, next_turn, next_allowed, state, (
    SELECT coalesce(sum(1.0 / last_interval), 0.0) FROM resource
    WHERE site_id = site.id AND status = 'active' AND turn IS NULL AND last_interval > 0
) AS other
FROM site WHERE id IN (SELECT value FROM json_each(:sites)) ORDER BY id;

-- name: sites_to_plan/postgres
-- The set as an array.
SELECT site.id, delay, crawl_delay, answer, price, frequency, turn, turn_at, speed, next_turn, next_allowed, state, (
    SELECT coalesce(sum(1.0 / last_interval), 0.0) FROM resource
    WHERE resource.bucket = site.bucket AND site_id = site.id AND status = 'active' AND turn IS NULL AND last_interval > 0
) AS other
FROM unnest((SELECT translate(:sites, '[]', '{}')::bigint[])::bigint[]) AS given (id)
JOIN site ON site.bucket = given.id % {buckets} AND site.id = given.id ORDER BY site.id;

-- name: plan_site
-- Price and pace of a site. What is left of a pending turn is as the plan says, else stretched alike and at most one turn.
UPDATE site SET price = :price, frequency = :frequency, turn = turn + coalesce(speed, frequency) * max(0, coalesce(:now - turn_at, 0)),
    speed = CASE WHEN frequency > 0 THEN speed * :frequency / frequency ELSE speed END,
    turn_at = CASE WHEN turn_at IS NULL THEN NULL ELSE :now END, next_turn = CASE
    WHEN :next_turn > 0 THEN :next_turn
    WHEN next_turn > :now THEN min(:now + (next_turn - :now) * max(frequency, 1e-12) / :frequency, :now + 1.0 / :frequency)
    ELSE next_turn END
WHERE {bucket = :site % {buckets} AND} id = :site AND :frequency > 0;
