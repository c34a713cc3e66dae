-- The statements about times that a wrong clock wrote. :late is now and what clocks may differ by.

-- name: latest_visit
-- The end of the latest visit.
SELECT max(finished) FROM visit;

-- name: last_recorded
-- The end of the visit that was recorded last.
SELECT finished FROM visit ORDER BY id DESC LIMIT 1;

-- name: latest_added
-- When the newest resource was added.
SELECT added FROM resource ORDER BY id DESC LIMIT 1;

-- name: latest_due
-- The latest visit that is planned; infinity means never.
SELECT max(due) FROM resource WHERE status = 'active' AND due < 1e300;

-- name: latest_ready
-- When the last site becomes ready.
SELECT max(ready) FROM site WHERE ready IS NOT NULL;

-- name: unfinished_pauses
-- Sites that were not to be asked at that time, because of a pause or a lease, and until when.
SELECT name, max(next_allowed, coalesce(leased_until, 0.0)) FROM site WHERE next_allowed > :since OR leased_until > :since;

-- name: pull_back_sites
-- What is left of a pause is counted from the last visit where that lies ahead. Before the resources are pulled back.
UPDATE site SET
    next_allowed = min(next_allowed, :now + max(:delay, min(:pause, next_allowed - max(:now,
        coalesce((SELECT max(last_visit) FROM resource WHERE site_id = site.id {AND resource.bucket = site.bucket}), :now))))),
    retry_after = min(retry_after, :now + :pause),
    leased_until = min(leased_until, :now + :lease),
    next_turn = CASE WHEN turn_at > :late THEN :now + max(0.0, next_turn - turn_at) ELSE min(next_turn, :now + :interval) END,
    turn_at = min(turn_at, :now)
WHERE next_allowed - :pause > :late OR (next_allowed > :late
        AND EXISTS (SELECT 1 FROM resource WHERE site_id = site.id {AND resource.bucket = site.bucket} AND last_visit > :late))
    OR leased_until - :lease > :late OR turn_at > :late OR next_turn - :interval > :late
RETURNING id;

-- name: pull_back_visited
-- Visited or added ahead of now: the interval stays; what was never visited is due.
UPDATE resource SET
    due = CASE WHEN due > 1e300 THEN due WHEN last_visit IS NULL THEN min(due, :now) ELSE min(due, :now + max(0.0, min(:longest, due - last_visit))) END,
    last_visit = min(last_visit, :now), last_ok = min(last_ok, :now), added = min(added, :now)
WHERE last_visit > :late OR added > :late
RETURNING site_id;

-- name: pull_back_due
-- Planned further ahead than this kind ever is: at its last interval, or now.
UPDATE resource SET due = :now + min(coalesce(last_interval, 0.0), max(coalesce(pinned, longest, :interval), :trouble))
WHERE kind = :kind AND status = 'active' AND due < 1e300
    AND due > :late + 1.25 * max(coalesce(pinned, longest, :interval), :trouble)
RETURNING site_id;

-- name: pull_back_deliveries
-- What somebody shall be told is tried again in time.
UPDATE delivery SET next_try = min(next_try, :now + :delivery) WHERE next_try - :delivery > :late;

-- name: pull_back_subscriptions
-- Hubs asked ahead of now are asked again.
UPDATE subscription SET next_try = :now, asked = :now WHERE asked > :late;

-- name: forget_coming_minutes
-- Totals of minutes that have not been yet: those of all time have them, too.
DELETE FROM activity WHERE minute > :minute;
