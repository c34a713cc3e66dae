-- Damaged tags are none, and no longer an error: only what is an array of strings is read as one.
CREATE OR REPLACE FUNCTION has_tag(tags text, tag text) RETURNS boolean
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
    SELECT CASE WHEN tags ~ '^\[\s*("([^"\\[:cntrl:]]|\\["\\/bfnrt]|\\u(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*"(\s*,\s*(?=")|\s*(?=\])))*\]$'
        THEN tags::jsonb ? tag ELSE false END $$;
