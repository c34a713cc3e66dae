-- An event says of which feed it is, and what an entry says in short.
ALTER TABLE outbox ADD COLUMN resource INTEGER;
ALTER TABLE outbox ADD COLUMN feed_url TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN summary TEXT NOT NULL DEFAULT '';
