-- Pages get room for their times to grow into (see schema_sqlite.sql); those that are there have grown already.
ALTER TABLE page ADD COLUMN spare BLOB;
