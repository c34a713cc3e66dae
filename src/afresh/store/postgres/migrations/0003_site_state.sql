-- What the page policy knows of a site, and when the site's own time was read.
ALTER TABLE site ADD COLUMN turn_at double precision;
ALTER TABLE site ADD COLUMN speed double precision;
ALTER TABLE site ADD COLUMN state bytea NOT NULL DEFAULT '';
