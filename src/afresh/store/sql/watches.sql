-- The statements of the store for what is watched of pages, and what they showed last.

-- name: watches
-- All that is watched otherwise than usual.
SELECT scope, parts FROM watch ORDER BY scope;

-- name: put_watch
-- What is watched by a scope.
INSERT INTO watch (scope, resource_id, parts) VALUES (:scope, :resource, :parts)
ON CONFLICT (scope) DO UPDATE SET parts = excluded.parts;

-- name: drop_watch
-- The scope is watched as usual.
DELETE FROM watch WHERE scope = :scope;

-- name: page_memory
-- What the last visits of a page showed.
SELECT watch, lines, told, restless, remark FROM page_memory WHERE resource_id = :id {here_page_memory};

-- name: put_page_memory
-- What the newest visit of a page showed; nothing of one that was removed meanwhile.
INSERT INTO page_memory ({bucket,} resource_id, watch, lines, told, restless, remark)
SELECT {:bucket,} :id, :watch, :lines, :told, :restless, :remark
WHERE EXISTS (SELECT 1 FROM resource WHERE {bucket = :bucket AND} id = :id)
ON CONFLICT (resource_id{, bucket}) DO UPDATE SET watch = excluded.watch, lines = excluded.lines, told = excluded.told,
    restless = excluded.restless, remark = excluded.remark;

-- name: trim_old_versions
-- Forgets versions of a page from before a time, but neither the newest nor one that somebody still speaks of.
DELETE FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id AND last_seen < :before
    AND id <> (SELECT max(id) FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id)
    AND id NOT IN (SELECT reference_id FROM link WHERE {bucket = :bucket AND} resource_id = :id AND reference_id IS NOT NULL
        UNION ALL SELECT rejected_id FROM link WHERE {bucket = :bucket AND} resource_id = :id AND rejected_id IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM label WHERE snapshot.id IN (old_id, new_id))
    AND NOT EXISTS (SELECT 1 FROM snapshot AS later WHERE later.base_id = snapshot.id {AND later.bucket = snapshot.bucket})
RETURNING id;

-- pictures -----------------------------------------------------------------------------------------------------------

-- name: picture_with_mark
-- A picture of the page that is the same.
SELECT id FROM picture WHERE {bucket = :bucket AND} resource_id = :id AND mark = :mark;

-- name: base_of_pictures
-- The newest picture of a page that is packed by itself.
SELECT id, content FROM picture WHERE {bucket = :bucket AND} resource_id = :id AND base_id IS NULL ORDER BY id DESC LIMIT 1;

-- name: add_picture
-- A new picture.
INSERT INTO picture ({bucket,} resource_id, mark, content, base_id) VALUES ({:bucket,} :id, :mark, :content, :base) RETURNING id;

-- name: give_picture
-- What a version shows, if nobody knew yet.
UPDATE snapshot SET picture_id = :picture WHERE {bucket = :bucket AND} id = :version AND picture_id IS NULL;

-- name: picture_of_version
-- The picture of a version, and the one it differs from; NULL: it is packed by itself.
SELECT picture.content, base.content AS base
FROM snapshot JOIN picture ON picture.id = snapshot.picture_id {AND picture.bucket = snapshot.bucket}
LEFT JOIN picture AS base ON base.id = picture.base_id {AND base.bucket = picture.bucket} {here_base}
WHERE snapshot.id = :version {here_snapshot} {here_picture};

-- name: trim_pictures
-- Forgets pictures that no version has, but none that others are packed on.
DELETE FROM picture WHERE {bucket = :bucket AND} resource_id = :id
    AND NOT EXISTS (SELECT 1 FROM snapshot WHERE snapshot.picture_id = picture.id {AND snapshot.bucket = picture.bucket})
    AND NOT EXISTS (SELECT 1 FROM picture AS later WHERE later.base_id = picture.id {AND later.bucket = picture.bucket});
