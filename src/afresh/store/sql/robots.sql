-- Statements about robots.txt that was read.

-- name: kept_robots
-- What was read since then at an address.
SELECT address, read, status, body FROM robots WHERE address = :address AND read > :since;

-- name: forget_robots
-- What was read before then.
DELETE FROM robots WHERE read <= :before;

-- name: keep_robots
-- In place of what was there; of an address that is new only where there is room.
INSERT INTO robots (address, read, status, body) SELECT :address, :read, :status, :body
WHERE (SELECT count(*) FROM robots) < :most OR EXISTS (SELECT 1 FROM robots WHERE address = :address)
ON CONFLICT (address) DO UPDATE SET read = excluded.read, status = excluded.status, body = excluded.body;

-- name: keep_robots/postgres
-- The same, with the types said.
INSERT INTO robots (address, read, status, body) SELECT :address::text, :read::double precision, :status::bigint, :body::bytea
WHERE (SELECT count(*) FROM robots) < :most OR EXISTS (SELECT 1 FROM robots WHERE address = :address::text)
ON CONFLICT (address) DO UPDATE SET read = excluded.read, status = excluded.status, body = excluded.body;
