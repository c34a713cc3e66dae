-- Each daemon says for itself how it is doing; before, the last one to speak spoke for all.
ALTER TABLE daemon ADD COLUMN status text NOT NULL DEFAULT 'ok';
ALTER TABLE daemon ADD COLUMN troubles text NOT NULL DEFAULT '[]';
DELETE FROM setting WHERE key = 'daemon.health';
