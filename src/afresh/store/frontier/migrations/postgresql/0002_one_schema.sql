-- Sites are called by name; SQLite's max and min of several numbers, and its order of texts: statements are the same for both databases.
ALTER TABLE frontier.site RENAME COLUMN fqdn TO name;
ALTER TABLE frontier.fetcher ALTER COLUMN uuid TYPE text COLLATE "C";
CREATE FUNCTION frontier.max(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION frontier.max(float8, float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT greatest($1, $2, $3)';
CREATE FUNCTION frontier.min(float8, float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT least($1, $2)';
