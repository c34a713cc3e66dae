-- What the page policy knows of a site, and when the site's own time was read.
ALTER TABLE site ADD COLUMN turn_at REAL;
ALTER TABLE site ADD COLUMN speed REAL;
ALTER TABLE site ADD COLUMN state BLOB NOT NULL DEFAULT x'';
