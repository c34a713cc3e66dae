-- When a block was said: one that a wrong clock wrote lasts as long as was said.
ALTER TABLE frontier.site ADD COLUMN blocked_at float8 NOT NULL DEFAULT 0;
