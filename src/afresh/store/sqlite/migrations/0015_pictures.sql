-- Pictures of versions of pages.
-- What versions of pages showed, each picture once; at most those of the versions that are kept (record trims).
CREATE TABLE picture (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    mark            BLOB NOT NULL,                  -- SHA-1 of the picture
    content         BLOB NOT NULL,                  -- zstd; a PNG whose pixels are not packed, see parse.pictures
    base_id         INTEGER REFERENCES picture (id)  -- packed as what differs from this one; NULL: by itself
) STRICT;

CREATE UNIQUE INDEX picture_of_resource ON picture (resource_id, mark);
CREATE INDEX picture_on_base ON picture (base_id) WHERE base_id IS NOT NULL;

ALTER TABLE snapshot ADD COLUMN picture_id INTEGER REFERENCES picture (id) ON DELETE SET NULL;  -- what it showed; NULL: no picture was taken

CREATE INDEX snapshot_by_picture ON snapshot (picture_id) WHERE picture_id IS NOT NULL;
