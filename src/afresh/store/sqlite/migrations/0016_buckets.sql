-- Buckets: the number of a site tells its bucket, and so does a lease's. Every site gets a new number; all others stay.
PRAGMA defer_foreign_keys = ON;
UPDATE signal SET site_id = -(site_id * 64 + (SELECT bucket_of(name) FROM site WHERE id = site_id));
UPDATE resource SET site_id = site_id * 64 + (SELECT bucket_of(name) FROM site WHERE id = site_id);
UPDATE site SET lease = lease * 64 + bucket_of(name) WHERE lease IS NOT NULL;
UPDATE site SET id = -(id * 64 + bucket_of(name));  -- by way of numbers that nobody has
UPDATE site SET id = -id;
UPDATE signal SET site_id = -site_id;
CREATE TABLE counter (
    name            TEXT PRIMARY KEY,
    value           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, value) SELECT name, value FROM tally WHERE name IN ('lease', 'query/generation', 'query/cursor');
DELETE FROM tally WHERE name IN ('lease', 'query/generation', 'query/cursor');
INSERT INTO setting (key, value) VALUES ('buckets', '64') ON CONFLICT (key) DO UPDATE SET value = excluded.value;
