-- Statements about notices and their outbox.

-- name: query_of_notice
-- The query feed a notice is to be about.
SELECT id FROM query WHERE name = :subject;

-- name: add_notice
-- A new notice.
INSERT INTO notice (topic, subject, query_id, target, secret, digest, quiet, cursor, created)
VALUES (:topic, :subject, :query_id, :target, :secret, :digest, :quiet, :cursor, :now)
RETURNING id;

-- name: same_notice
-- Whether the same is told to the same target already.
SELECT id FROM notice WHERE topic = :topic AND subject = :subject AND target = :target;

-- name: notices
-- Notices of a range of numbers with what waits for them.
SELECT notice.*,
    (SELECT count(*) FROM outbox WHERE notice_id = notice.id AND delivery_id IS NULL) AS waiting,
    (SELECT count(*) FROM delivery WHERE notice_id = notice.id AND next_try IS NOT NULL) AS open,
    (SELECT count(*) FROM outbox JOIN delivery ON delivery.id = delivery_id
        WHERE outbox.notice_id = notice.id AND delivery.sent IS NOT NULL) AS told,
    (SELECT max(sent) FROM delivery WHERE notice_id = notice.id) AS last_sent,
    (SELECT error FROM delivery WHERE notice_id = notice.id AND sent IS NULL AND error <> ''
        ORDER BY id DESC LIMIT 1) AS error
FROM notice WHERE id > :after AND id <= :last ORDER BY id LIMIT :limit;

-- name: drop_notice
-- Forgets a notice and what waits for it.
DELETE FROM notice WHERE id = :number;

-- name: put_event
-- An event waits; one of the same key is known already.
INSERT INTO outbox (notice_id, key, kind, at, title, link, detail, source, created, resource, feed_url, summary)
VALUES (:notice, :key, :kind, :at, :title, :link, :detail, :source, :now, :resource, :feed_url, :summary)
ON CONFLICT (notice_id, key) DO NOTHING;

-- name: set_notice_cursor
-- Events up to here have been looked at.
UPDATE notice SET cursor = :cursor WHERE id = :number;

-- name: open_delivery
-- The oldest delivery that the target has not taken.
SELECT * FROM delivery WHERE notice_id = :notice AND next_try IS NOT NULL ORDER BY id LIMIT 1;

-- name: oldest_waiting
-- When the event that waits longest was put in.
SELECT min(created) FROM outbox WHERE notice_id = :notice AND delivery_id IS NULL;

-- name: add_delivery
-- A delivery to be tried at once.
INSERT INTO delivery (notice_id, mark, created, next_try) VALUES (:notice, :mark, :now, :now) RETURNING id;

-- name: fill_delivery
-- The events that wait longest go into a delivery.
UPDATE outbox SET delivery_id = :delivery WHERE id IN (
    SELECT id FROM outbox WHERE notice_id = :notice AND delivery_id IS NULL ORDER BY id LIMIT :limit);

-- name: take_delivery
-- A delivery that is due becomes somebody's for a while.
UPDATE delivery SET next_try = :until WHERE id = :delivery AND next_try <= :now RETURNING id;

-- name: events_of_delivery
-- What a delivery brings, in order.
SELECT * FROM outbox WHERE delivery_id = :delivery ORDER BY id;

-- name: settle_delivery
-- A try has ended; what was settled stays so.
UPDATE delivery SET attempts = attempts + 1, next_try = :retry_at, error = :error,
    sent = CASE WHEN :error = '' THEN :now END
WHERE id = :number AND next_try IS NOT NULL;

-- name: hasten_deliveries
-- What a target did not take is tried at once.
UPDATE delivery SET next_try = :now WHERE notice_id = :notice AND next_try > :now AND error <> '';

-- name: prune_outbox
-- Forgets old deliveries; their events go with them.
DELETE FROM delivery WHERE id IN (
    SELECT id FROM delivery WHERE next_try IS NULL AND created < :before ORDER BY id LIMIT :limit);

-- name: last_visit_number
-- The newest visit.
SELECT coalesce(max(id), 0) FROM visit;

-- name: found_failing
-- Feeds and pages that a visit behind a number found failing or gone, by their newest such visit.
SELECT visit.id AS visit, resource.id AS resource, resource.kind AS kind, resource.status AS status,
    resource.url AS url, resource.title AS title,
    resource.failures AS failures, resource.last_ok AS last_ok, visit.finished AS at, visit.error AS error
FROM visit JOIN resource ON resource.id = visit.resource_id {AND resource.bucket = visit.bucket}
WHERE visit.id IN (SELECT max(id) FROM visit WHERE id > :after AND error <> '' GROUP BY resource_id)
    AND (resource.failures >= :failures OR resource.status IN ('gone', 'blocked')) AND resource.kind IN ('feed', 'page')
ORDER BY visit.id LIMIT :limit;

-- name: working_again
-- What a notice told to fail, or to be gone, and that was visited with success since; see notices.outbox for the keys.
SELECT outbox.key AS key, resource.id AS resource, resource.url AS url, resource.title AS title, resource.last_ok AS at
FROM outbox JOIN resource ON resource.id = outbox.resource
WHERE outbox.notice_id = :notice AND outbox.kind IN ('failing_feed', 'failing_page', 'gone')
    AND resource.failures = 0 AND resource.status = 'active' AND resource.last_ok > outbox.at
    AND NOT EXISTS (SELECT 1 FROM outbox AS over WHERE over.notice_id = outbox.notice_id
        AND over.key = replace(replace(outbox.key, 'failing:', 'working:'), 'gone:', 'working:'))
ORDER BY outbox.id LIMIT :limit;

-- name: links_working_again
-- Links that a notice told to be broken, of each the last time, and that are well since; see notices.outbox for the keys.
SELECT outbox.key AS key, resource.id AS resource, resource.url AS url, resource.title AS title, link.changed AS at
FROM outbox JOIN resource ON resource.id = outbox.resource
    JOIN link ON link.resource_id = resource.id {AND link.bucket = resource.bucket}
WHERE outbox.notice_id = :notice AND outbox.kind = 'broken_link' AND link.standing IN ('ok', 'moved')
    AND NOT EXISTS (SELECT 1 FROM outbox AS later WHERE later.notice_id = outbox.notice_id
        AND later.resource = outbox.resource AND later.id > outbox.id)
ORDER BY outbox.id LIMIT :limit;

-- name: broken_links
-- Links that stand as broken since a time or later.
SELECT link.resource_id AS resource, resource.url AS url, resource.title AS title, link.changed AS changed,
    link.detail AS detail
FROM link JOIN resource ON resource.id = link.resource_id {AND resource.bucket = link.bucket}
WHERE link.standing = 'broken' AND link.changed >= :since ORDER BY link.changed, link.resource_id LIMIT :limit;
