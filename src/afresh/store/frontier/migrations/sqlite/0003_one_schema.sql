-- Sites are called by name, and pages have a column for their site, which costs nothing: statements are the same for both databases.
ALTER TABLE site RENAME COLUMN fqdn TO name;
ALTER TABLE page ADD COLUMN site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL;
ALTER TABLE address ADD COLUMN site INTEGER GENERATED ALWAYS AS (id >> 36) VIRTUAL;
