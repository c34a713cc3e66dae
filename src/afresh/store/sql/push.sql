-- Statements about subscriptions with hubs.

-- name: put_subscription
-- Writes a subscription in place of the one before; nothing where the resource is gone.
INSERT INTO subscription ({bucket,} resource_id, hub, topic, token, secret, state, asked, expires, next_try, failures, pings,
    last_ping, misses, error)
SELECT {:bucket,} :resource, :hub, :topic, :token, :secret, :state, :asked, :expires, :next_try, :failures, :pings,
    :last_ping, :misses, :error
WHERE EXISTS (SELECT 1 FROM resource WHERE {bucket = :bucket AND} id = :resource)
ON CONFLICT (resource_id{, bucket}) DO UPDATE SET hub = excluded.hub, topic = excluded.topic, token = excluded.token,
    secret = excluded.secret, state = excluded.state, asked = excluded.asked, expires = excluded.expires,
    next_try = excluded.next_try, failures = excluded.failures, pings = excluded.pings,
    last_ping = excluded.last_ping, misses = excluded.misses, error = excluded.error;

-- name: subscription
-- The subscription of a resource.
SELECT * FROM subscription WHERE resource_id = :resource;

-- name: subscription_by_token
-- The subscription a callback is about.
SELECT * FROM subscription WHERE token = :token;

-- name: subscriptions
-- Subscriptions after a resource.
SELECT * FROM subscription WHERE resource_id > :after ORDER BY resource_id LIMIT :limit;

-- name: subscriptions_due
-- Subscriptions whose hub must be asked.
SELECT * FROM subscription WHERE next_try <= :now ORDER BY next_try LIMIT :limit;

-- name: drop_subscription
-- Forgets a subscription.
DELETE FROM subscription WHERE {bucket = :bucket AND} resource_id = :resource;
