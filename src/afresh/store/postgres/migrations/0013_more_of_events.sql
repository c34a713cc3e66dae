-- An event says of which feed it is, and what an entry says in short.
ALTER TABLE outbox ADD COLUMN resource bigint;
ALTER TABLE outbox ADD COLUMN feed_url text NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN summary text NOT NULL DEFAULT '';
