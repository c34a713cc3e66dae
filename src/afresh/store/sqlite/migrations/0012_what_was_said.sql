-- What lists say of a resource, what had to be repaired to read it, and what entries say of themselves.
ALTER TABLE resource ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE resource ADD COLUMN saved REAL;
ALTER TABLE resource ADD COLUMN repaired TEXT NOT NULL DEFAULT '';
CREATE INDEX resource_repaired ON resource (id) WHERE repaired <> '';
ALTER TABLE visit ADD COLUMN repaired TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE entry ADD COLUMN enclosures TEXT NOT NULL DEFAULT '';
