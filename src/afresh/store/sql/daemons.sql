-- Statements about the daemons that share a store.

-- name: beat
-- A daemon is there.
INSERT INTO daemon (name, since, seen, requests, leads_since, status, troubles)
VALUES (:name, :since, :seen, :requests, :leads_since, :status, :troubles)
ON CONFLICT (name) DO UPDATE SET since = excluded.since, seen = excluded.seen, requests = excluded.requests,
    leads_since = excluded.leads_since, status = excluded.status, troubles = excluded.troubles;

-- name: follow_leader
-- Whoever led before does so no more.
UPDATE daemon SET leads_since = NULL WHERE name <> :name AND leads_since IS NOT NULL;

-- name: leave
-- A daemon ends.
UPDATE daemon SET leads_since = NULL, status = :status, troubles = '[]', seen = :now, requests = 0 WHERE name = :name;

-- name: forget_daemons
-- Daemons that were not seen for long.
DELETE FROM daemon WHERE seen < :before;

-- name: list_daemons
-- All of them, the leader first.
SELECT * FROM daemon ORDER BY leads_since IS NULL, name;

-- name: clock
-- What time it is where the store is.
SELECT (julianday('now') - 2440587.5) * 86400.0 AS now;

-- name: clock/postgres
-- Of the server: the daemons' machines may think otherwise.
SELECT extract(epoch FROM clock_timestamp())::float8 AS now;

-- name: fill_allowance
-- A bucket as it is now, kept for this transaction.
INSERT INTO allowance (name, tokens, at) VALUES (:name, 0, :now)
ON CONFLICT (name) DO UPDATE SET
    tokens = min(:size, allowance.tokens + max(0, :now - allowance.at) * :rate), at = max(allowance.at, :now)
RETURNING tokens;

-- name: spend_allowance
-- Tokens leave a bucket; it may owe.
UPDATE allowance SET tokens = tokens - :spent WHERE name = :name;

-- name: visited_since
-- Resources with a visit after a time.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE resource.id IN (SELECT resource_id FROM visit WHERE finished > :after ORDER BY finished LIMIT :limit);

-- name: visited_since/postgres
-- Each by the index of its own partition.
SELECT resource.*, site.name AS site FROM (
    SELECT DISTINCT bucket, resource_id FROM (
        SELECT bucket, resource_id FROM visit WHERE finished > :after ORDER BY finished LIMIT :limit
    ) AS latest
) AS visited
JOIN resource ON resource.bucket = visited.bucket AND resource.id = visited.resource_id
JOIN site ON site.bucket = resource.bucket AND site.id = resource.site_id;
