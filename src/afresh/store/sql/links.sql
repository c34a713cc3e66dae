-- The statements about links, their checks and versions. Values are always bound; sets arrive as JSON arrays.

-- links --------------------------------------------------------------------------------------------------------------

-- name: link_of_resource
-- One link with its resource; a resource never checked has no state.
SELECT resource.id, resource.url, resource.title, resource.folder, resource.tags, resource.note, resource.saved,
    resource.due,
    resource.status AS watching, link.*,
    choice.value AS model_choice, found.value AS archived,
    EXISTS (
        SELECT 1 FROM site WHERE site.id = resource.site_id {AND site.bucket = resource.bucket} {here_site}
            AND site.leased_resource = resource.id
    ) AS is_running,
    (
        SELECT count(*) FROM snapshot
        WHERE snapshot.resource_id = resource.id {AND snapshot.bucket = resource.bucket} {here_snapshot}
    ) AS versions
FROM resource LEFT JOIN link ON link.resource_id = resource.id {AND link.bucket = resource.bucket} {here_link}
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_model/%') AS choice ON choice.key = 'link_model/' || resource.id
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_copy/%') AS found ON found.key = 'link_copy/' || resource.id
WHERE resource.id = :id {here_resource};

-- name: links_after
-- A page of links by number.
SELECT resource.id, resource.url, resource.title, resource.folder, resource.tags, resource.note, resource.saved,
    resource.due,
    resource.status AS watching, link.*,
    choice.value AS model_choice, found.value AS archived,
    EXISTS (SELECT 1 FROM site WHERE site.id = resource.site_id {AND site.bucket = resource.bucket} AND site.leased_resource = resource.id) AS is_running,
    (SELECT count(*) FROM snapshot WHERE snapshot.resource_id = resource.id {AND snapshot.bucket = resource.bucket}) AS versions
FROM resource LEFT JOIN link ON link.resource_id = resource.id {AND link.bucket = resource.bucket}
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_model/%') AS choice ON choice.key = 'link_model/' || resource.id
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_copy/%') AS found ON found.key = 'link_copy/' || resource.id
WHERE resource.id > :after AND (resource.kind = 'link' OR link.resource_id IS NOT NULL)
ORDER BY resource.id LIMIT :limit;

-- name: links_by_id
-- Links by number.
SELECT resource.id, resource.url, resource.title, resource.folder, resource.tags, resource.note, resource.saved,
    resource.due,
    resource.status AS watching, link.*,
    choice.value AS model_choice, found.value AS archived,
    EXISTS (SELECT 1 FROM site WHERE site.id = resource.site_id {AND site.bucket = resource.bucket} AND site.leased_resource = resource.id) AS is_running,
    (SELECT count(*) FROM snapshot WHERE snapshot.resource_id = resource.id {AND snapshot.bucket = resource.bucket}) AS versions
FROM resource LEFT JOIN link ON link.resource_id = resource.id {AND link.bucket = resource.bucket}
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_model/%') AS choice ON choice.key = 'link_model/' || resource.id
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_copy/%') AS found ON found.key = 'link_copy/' || resource.id
WHERE resource.id IN (SELECT value FROM json_each(:ids)) ORDER BY resource.id;

-- name: links_by_id/postgres
-- The set as an array.
SELECT resource.id, resource.url, resource.title, resource.folder, resource.tags, resource.note, resource.saved,
    resource.due,
    resource.status AS watching, link.*,
    choice.value AS model_choice, found.value AS archived,
    EXISTS (SELECT 1 FROM site WHERE site.id = resource.site_id {AND site.bucket = resource.bucket} AND site.leased_resource = resource.id) AS is_running,
    (SELECT count(*) FROM snapshot WHERE snapshot.resource_id = resource.id {AND snapshot.bucket = resource.bucket}) AS versions
FROM resource LEFT JOIN link ON link.resource_id = resource.id {AND link.bucket = resource.bucket}
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_model/%') AS choice ON choice.key = 'link_model/' || resource.id
LEFT JOIN (SELECT key, value FROM setting WHERE key LIKE 'link_copy/%') AS found ON found.key = 'link_copy/' || resource.id
WHERE resource.id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) ORDER BY resource.id;

-- name: links_with_key
-- Links whose page has this key; the caller compares its address.
SELECT id, url FROM resource WHERE url_key = :key AND kind = 'link' ORDER BY id;

-- name: numbers_of_standing
-- Links that stand so, of one folder, tag or text only where that is asked for. CROSS: SQLite reads links first, in order.
SELECT resource.id, resource.url, resource.title, resource.folder, resource.tags FROM link CROSS JOIN resource
WHERE resource.id = link.resource_id {AND resource.bucket = link.bucket} AND link.standing = :standing AND link.resource_id > :after
    AND (CAST(:folder AS TEXT) IS NULL OR (replace(substr(resource.folder, 1, length(:folder)), '∕', '/') = :folder
        AND substr(resource.folder || '/', length(:folder) + 1, 1) = '/'))
    AND (CAST(:tag AS TEXT) IS NULL OR (instr(resource.tags, :quoted) > 0 AND has_tag(resource.tags, :tag)))
    AND (:text = '' OR instr(lower(resource.url || ' ' || resource.title || ' ' || resource.folder || ' ' || resource.tags), :text) > 0)
    AND (CAST(:status AS TEXT) IS NULL OR link.status = :status)
ORDER BY link.resource_id LIMIT :limit;

-- name: numbers_of_links
-- Links of a folder, tag or text. The index of titles has all that is asked for of them; rows are read of others alone.
SELECT id, url, title, folder, tags FROM (
    SELECT id, folder, tags, url, title FROM resource WHERE kind = 'link'
    UNION ALL
    SELECT resource.id, folder, tags, url, title
    FROM (SELECT resource_id FROM link WHERE resource_id NOT IN (SELECT id FROM resource WHERE kind = 'link')) AS other
    CROSS JOIN resource WHERE resource.id = other.resource_id
) AS named
WHERE id > :after
    AND (CAST(:folder AS TEXT) IS NULL OR (replace(substr(folder, 1, length(:folder)), '∕', '/') = :folder
        AND substr(folder || '/', length(:folder) + 1, 1) = '/'))
    AND (CAST(:tag AS TEXT) IS NULL OR (instr(tags, :quoted) > 0 AND has_tag(tags, :tag)))
    AND (:text = '' OR instr(lower(url || ' ' || title || ' ' || folder || ' ' || tags), :text) > 0)
    AND (CAST(:standing AS TEXT) IS NULL
        OR coalesce((SELECT standing FROM link WHERE link.resource_id = id), 'unknown') = :standing)
    AND (CAST(:status AS TEXT) IS NULL OR (SELECT status FROM link WHERE link.resource_id = id) = :status)
ORDER BY id LIMIT :limit;

-- name: numbers_of_links/postgres
-- There is no such index.
SELECT resource.id, url, title, folder, tags FROM resource
LEFT JOIN link ON link.bucket = resource.bucket AND link.resource_id = resource.id
WHERE resource.id > :after AND (resource.kind = 'link' OR link.resource_id IS NOT NULL)
    AND (CAST(:folder AS TEXT) IS NULL OR (replace(substr(folder, 1, length(:folder)), '∕', '/') = :folder
        AND substr(folder || '/', length(:folder) + 1, 1) = '/'))
    AND (CAST(:tag AS TEXT) IS NULL OR (instr(tags, :quoted) > 0 AND has_tag(tags, :tag)))
    AND (:text = '' OR instr(lower(url || ' ' || title || ' ' || folder || ' ' || tags), :text) > 0)
    AND (CAST(:standing AS TEXT) IS NULL OR coalesce(link.standing, 'unknown') = :standing)
    AND (CAST(:status AS TEXT) IS NULL OR link.status = :status)
ORDER BY resource.id LIMIT :limit;

-- name: link_standings
-- How many links stand how; those never checked come apart.
SELECT standing, count(*) AS links FROM link GROUP BY standing
UNION ALL
SELECT 'unknown', count(*) FROM resource
WHERE kind = 'link' AND NOT EXISTS (SELECT 1 FROM link WHERE link.resource_id = resource.id {AND link.bucket = resource.bucket});

-- name: untold_links
-- Links that were asked for, and of which nothing is known all the same.
SELECT count(*) AS links FROM link WHERE standing = 'unknown' AND status IS NOT NULL;

-- name: make_link
-- A state for a link that has none yet.
INSERT INTO link ({bucket,} resource_id, usage, entry, standing) VALUES ({:bucket,} :id, 'referential', 'waiting', 'unknown')
ON CONFLICT (resource_id{, bucket}) DO NOTHING;

-- name: keep_copy
-- Where an archive has a copy of a link's page. No column of its own: few links have one, and it is read with the link.
INSERT INTO setting (key, value) VALUES ('link_copy/' || :resource, :url)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: forget_copy
-- The link has none any more.
DELETE FROM setting WHERE key = 'link_copy/' || :resource;

-- name: links_with_copies
-- The links that have one.
SELECT substr(key, 11) AS resource FROM setting WHERE substr(key, 1, 10) = 'link_copy/';

-- name: record_link
-- What a check says of a link; usage, reference and rejection are the operator's.
UPDATE link SET entry = :entry, standing = :standing, status = :status, checked = :checked,
    probability = :probability, step = :step, drifted = :drifted, turned = :turned, new_url = :new_url,
    failures = :failures, failing_days = :failing_days, failing_day = :failing_day, failing_since = :failing_since,
    changed = :changed, detail = :detail
WHERE {bucket = :bucket AND} resource_id = :id;

-- name: follow_page
-- A link whose page was asked for by another one: it is due just behind that, or earlier where its operator said how often.
-- It has no validators, which would be those of an answer that it was not given. Who asked for it since waits for its own.
UPDATE resource SET due = CASE WHEN pinned IS NULL THEN :due ELSE min(:due, :at + pinned) END, asked = NULL,
    last_visit = :at, last_ok = CASE WHEN :is_success = 1 THEN :at ELSE last_ok END, last_result = :result,
    etag = '', last_modified = '', error = :error, reason = :reason
WHERE {bucket = :bucket AND} id = :id AND coalesce(asked, 0) <= :started;

-- name: first_reference
-- The first version is the reference until a person accepts another; a candidate (never accepted) makes room for it.
UPDATE link SET reference_id = :version, accepted = :now, accepted_by = ''
WHERE {bucket = :bucket AND} resource_id = :id AND accepted IS NULL;

-- name: take_reference
-- A link that was a page before and has no reference is compared with the newest version of that page.
UPDATE link SET reference_id = newest.id, accepted = newest.at, accepted_by = ''
FROM (SELECT id, at FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id ORDER BY at DESC, id DESC LIMIT 1) AS newest
WHERE {bucket = :bucket AND} resource_id = :id AND reference_id IS NULL;

-- name: first_candidate
-- A version that looked like no page at first sight, kept for the person who says that it is one.
UPDATE link SET reference_id = :version, accepted = NULL, accepted_by = ''
WHERE {bucket = :bucket AND} resource_id = :id AND reference_id IS NULL;

-- name: forget_leased
-- A resource that goes elsewhere is not what a lease of its site is about any more; the site stays leased.
UPDATE site SET leased_resource = NULL WHERE {bucket = :id % {buckets} AND} id = :id AND leased_resource = :resource;

-- name: ask_anew
-- What another address answered says nothing about this one.
UPDATE resource SET etag = '', last_modified = '' WHERE {bucket = :bucket AND} id = :id;

-- name: keep_validators
-- What a link can be asked with from now on. A feed or a page asks with those of what its own visits have seen.
UPDATE resource SET etag = :etag, last_modified = :last_modified WHERE {bucket = :bucket AND} id = :id AND kind = 'link';

-- name: put_off
-- A link that was looked at just now is due no sooner than this, and out of the order of its site; a feed or a page goes by
-- its own rule. Its part of the site's pace stays for now.
UPDATE resource SET due = :due, turn = NULL WHERE {bucket = :bucket AND} id = :id AND kind = 'link' AND due < :due
RETURNING frequency;

-- name: stand_still
-- A resource that has no part of its site's pace any more.
UPDATE resource SET frequency = 0 WHERE {bucket = :bucket AND} id = :id;

-- name: take_address
-- The link has the address where its page is now; how it stands there, its next check tells.
UPDATE link SET entry = 'waiting', changed = CASE WHEN standing = 'unknown' THEN changed ELSE :now END, standing = 'unknown',
    new_url = '', detail = '', turned = NULL, failures = 0, failing_days = 0, failing_day = -1, failing_since = NULL,
    status = NULL, checked = NULL, probability = NULL, step = NULL, drifted = 0
WHERE {bucket = :bucket AND} resource_id = :id;

-- name: seen_there
-- The last check found the page of a link at the address that it has now.
UPDATE link SET entry = 'ok', standing = 'ok', status = :status, checked = :at, detail = 'found here before its address was taken'
WHERE {bucket = :bucket AND} resource_id = :id;

-- name: accept_version
-- The version is the reference from now on; whatever was wrong is forgiven.
UPDATE link SET reference_id = :version, accepted = :now, accepted_by = :by, rejected_id = NULL,
    entry = 'ok', standing = 'ok', status = 'content_equal', probability = 1, step = NULL, drifted = 0, turned = NULL,
    new_url = '', failures = 0, failing_days = 0, failing_day = -1, failing_since = NULL,
    changed = CASE WHEN standing = 'ok' THEN changed ELSE :now END, detail = 'accepted'
WHERE {bucket = :bucket AND} resource_id = :id;

-- name: reject_version
-- The version is not the page.
UPDATE link SET rejected_id = :version, entry = 'not_ok', standing = 'broken', status = 'content_different',
    changed = CASE WHEN standing = 'broken' THEN changed ELSE :now END, detail = 'rejected'
WHERE {bucket = :bucket AND} resource_id = :id;

-- name: compare_with
-- What a link is compared with: a version of an archive, or that before one that was rejected; how it stands stays.
UPDATE link SET reference_id = :version, accepted = :now, accepted_by = :by
WHERE {bucket = :bucket AND} resource_id = :id;

-- name: name_link
-- A link that nobody gave a name is called like its page.
UPDATE resource SET title = :title WHERE {bucket = :bucket AND} id = :id AND title = '';

-- name: set_usage
-- What the reader means by the link.
UPDATE link SET usage = :usage WHERE {bucket = :bucket AND} resource_id = :id;

-- checks -------------------------------------------------------------------------------------------------------------

-- name: reference_of_link
-- What a link is compared with at the moment.
SELECT reference_id FROM link WHERE {bucket = :bucket AND} resource_id = :id;

-- name: add_check
-- One check, against the reference of the moment.
INSERT INTO link_check
    ({bucket,} resource_id, at, url, http, status, size, snapshot_id, against_id, probability, turned, new_url, message)
VALUES ({:bucket,} :id, :at, :url, :http, :status, :size, :snapshot, :against, :probability, :turned, :new_url, :message)
RETURNING id;

-- name: trim_checks
-- Forgets the oldest checks of a link past its limit.
DELETE FROM link_check WHERE {bucket = :bucket AND} resource_id = :id AND id <= (
    SELECT id FROM link_check WHERE {bucket = :bucket AND} resource_id = :id ORDER BY id DESC LIMIT 1 OFFSET :keep)
RETURNING id;

-- name: checks_of_link
-- The checks of a link, newest first.
SELECT link_check.*, resource.url AS link, resource.title
FROM link_check JOIN resource ON resource.id = link_check.resource_id {AND resource.bucket = link_check.bucket}
WHERE link_check.resource_id = :id AND link_check.id < :before ORDER BY link_check.id DESC LIMIT :limit;

-- name: check_of_version
-- The newest check that brought a version.
SELECT * FROM link_check WHERE {bucket = :bucket AND} resource_id = :id AND snapshot_id = :version ORDER BY id DESC LIMIT 1;

-- name: accepted_changes
-- How often a person accepted what was taken for another page, and was not a page turned into something.
SELECT count(*) AS accepted FROM link_check WHERE {bucket = :bucket AND} resource_id = :id
    AND overruled = 'content_similar' AND against_id IS NOT NULL AND turned IS NULL;

-- name: overrule_check
-- What a person says of a check.
UPDATE link_check SET overruled = :status WHERE {bucket = :bucket AND} id = :check;

-- name: add_correction
-- A correction is an example to learn from.
INSERT INTO label (old_id, new_id, check_id, verdict, machine, origin, rater, at)
VALUES (:old, :new, :check, :verdict, :machine, 'correction', :by, :now);

-- versions -----------------------------------------------------------------------------------------------------------

-- name: newest_version
-- The newest stored version of a resource.
SELECT id, mark, picture_id FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id ORDER BY at DESC, id DESC LIMIT 1;

-- name: version_before
-- The stored version of a resource that came before another.
SELECT id FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id AND id < :version ORDER BY id DESC LIMIT 1;

-- name: version_with_mark
-- A stored version of a link with this text.
SELECT id, picture_id FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id AND mark = :mark ORDER BY at DESC, id DESC LIMIT 1;

-- name: see_again
-- A version is still there.
UPDATE snapshot SET last_seen = max(last_seen, :at) WHERE {bucket = :bucket AND} id = :version;

-- name: add_version
-- A new version.
INSERT INTO snapshot ({bucket,} resource_id, at, last_seen, origin, url, title, content_type, mark, size, stored, body, base_id, number)
VALUES ({:bucket,} :resource, :at, :at, :origin, :url, :title, :content_type, :mark, :size, :stored, :body, :base, :number) RETURNING id;

-- name: last_number
-- The highest number that a version of a resource has; 0: there is none.
SELECT coalesce(max(number), 0) AS number FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id;

-- name: trim_versions
-- Forgets the oldest versions of a link past its limit, but none that somebody still speaks of.
DELETE FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id AND id IN (
    SELECT id FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id ORDER BY at DESC, id DESC LIMIT 1000000000 OFFSET :keep)
    AND id NOT IN (SELECT reference_id FROM link WHERE {bucket = :bucket AND} resource_id = :id AND reference_id IS NOT NULL
        UNION ALL SELECT rejected_id FROM link WHERE {bucket = :bucket AND} resource_id = :id AND rejected_id IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM label WHERE old_id = snapshot.id)
    AND NOT EXISTS (SELECT 1 FROM label WHERE new_id = snapshot.id)
    AND NOT EXISTS (SELECT 1 FROM snapshot AS later WHERE later.base_id = snapshot.id {AND later.bucket = snapshot.bucket})
RETURNING id;

-- name: forget_version_in_checks
-- A version that went is what no check brought and none was against.
UPDATE link_check SET snapshot_id = nullif(snapshot_id, :version), against_id = nullif(against_id, :version)
WHERE {bucket = :bucket AND} resource_id = :id AND (snapshot_id = :version OR against_id = :version);

-- name: versions_of_link
-- The versions of a link without their bodies, newest first.
SELECT id, resource_id, at, last_seen, origin, url, title, content_type, mark, size, stored, picture_id AS picture, number
FROM snapshot WHERE resource_id = :id {here_snapshot} ORDER BY at DESC, id DESC LIMIT :limit;

-- name: version_by_id
-- One version without its body.
SELECT id, resource_id, at, last_seen, origin, url, title, content_type, mark, size, stored, picture_id AS picture, number
FROM snapshot WHERE id = :version {here_snapshot};

-- name: version_body
-- The body of a version, and of the one it differs from; NULL: it is packed by itself.
SELECT snapshot.body, base.body AS base FROM snapshot LEFT JOIN snapshot AS base ON base.id = snapshot.base_id {AND base.bucket = snapshot.bucket} {here_base}
WHERE snapshot.id = :version {here_snapshot};

-- name: base_of_versions
-- The newest version of a resource that is packed by itself.
SELECT id, body FROM snapshot WHERE {bucket = :bucket AND} resource_id = :id AND base_id IS NULL ORDER BY at DESC, id DESC LIMIT 1;
