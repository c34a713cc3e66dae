-- When a block was said: one that a wrong clock wrote lasts as long as was said.
ALTER TABLE site ADD COLUMN blocked_at REAL NOT NULL DEFAULT 0;
