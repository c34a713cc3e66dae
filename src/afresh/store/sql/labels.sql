-- Statements about ratings and trained models.

-- name: pairs_to_rate
-- Compared versions that were not rated by this rater, the most doubtful first.
SELECT link_check.id AS check_id, link_check.resource_id, resource.url, resource.title,
    link_check.against_id AS old_id, link_check.snapshot_id AS new_id, link_check.probability
FROM link_check JOIN resource ON resource.id = link_check.resource_id {AND resource.bucket = link_check.bucket}
WHERE link_check.probability IS NOT NULL AND link_check.snapshot_id IS NOT NULL AND link_check.against_id IS NOT NULL
    AND link_check.snapshot_id <> link_check.against_id
    AND NOT EXISTS (SELECT 1 FROM label WHERE label.old_id = link_check.against_id
        AND label.new_id = link_check.snapshot_id AND label.rater = :rater)
    AND NOT EXISTS (SELECT 1 FROM link_check AS later WHERE later.resource_id = link_check.resource_id {AND later.bucket = link_check.bucket}
        AND later.id > link_check.id AND later.snapshot_id = link_check.snapshot_id
        AND later.against_id = link_check.against_id)
ORDER BY abs(link_check.probability - 0.5), link_check.id LIMIT :limit;

-- name: add_label
-- A rating.
INSERT INTO label (old_id, new_id, check_id, verdict, machine, origin, rater, at, session, note)
VALUES (:old, :new, :check, :verdict, :machine, :origin, :rater, :now, :session, :note) RETURNING id;

-- name: label_by_id
-- One rating.
SELECT label.*, snapshot.url FROM label JOIN snapshot ON snapshot.id = label.new_id WHERE label.id = :id;

-- name: labels_after
-- Ratings after a number.
SELECT label.*, snapshot.url FROM label JOIN snapshot ON snapshot.id = label.new_id
WHERE label.id > :after AND label.verdict IS NOT NULL ORDER BY label.id LIMIT :limit;

-- name: labels_of_session
-- Ratings of a session after a number.
SELECT label.*, snapshot.url FROM label JOIN snapshot ON snapshot.id = label.new_id
WHERE label.id > :after AND label.session = :session AND label.verdict IS NOT NULL ORDER BY label.id LIMIT :limit;

-- name: weigh_label
-- How much a rating counts.
UPDATE label SET weight = :weight WHERE id = :id;

-- name: rate_label
-- Another rating instead.
UPDATE label SET verdict = :verdict WHERE id = :id;

-- name: remove_label
-- Forgets a rating.
DELETE FROM label WHERE id = :id RETURNING old_id, new_id;

-- name: save_session
-- The ratings of a session count from now on.
UPDATE label SET session = '' WHERE session = :session;

-- name: discard_session
-- The ratings of a session are forgotten.
DELETE FROM label WHERE session = :session RETURNING old_id, new_id;

-- name: drop_pages
-- Forgets those of these versions that belong to no link and that no rating speaks of any more.
DELETE FROM snapshot WHERE id IN (SELECT value FROM json_each(:ids)) AND resource_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM label WHERE label.old_id = snapshot.id)
    AND NOT EXISTS (SELECT 1 FROM label WHERE label.new_id = snapshot.id)
    AND NOT EXISTS (SELECT 1 FROM snapshot AS later WHERE later.base_id = snapshot.id {AND later.bucket = snapshot.bucket})
RETURNING base_id;

-- name: drop_pages/postgres
-- The set as an array.
DELETE FROM snapshot WHERE id = ANY ((SELECT translate(:ids, '[]', '{}')::bigint[])::bigint[]) AND resource_id IS NULL
    AND NOT EXISTS (SELECT 1 FROM label WHERE label.old_id = snapshot.id)
    AND NOT EXISTS (SELECT 1 FROM label WHERE label.new_id = snapshot.id)
    AND NOT EXISTS (SELECT 1 FROM snapshot AS later WHERE later.base_id = snapshot.id {AND later.bucket = snapshot.bucket})
RETURNING base_id;

-- name: label_counts
-- Saved ratings by what they say.
SELECT verdict, count(*) AS number, sum(CASE WHEN weight > 0 THEN 1 ELSE 0 END) AS counting
FROM label WHERE session = '' AND verdict IS NOT NULL GROUP BY verdict;

-- name: next_version
-- The number of an owner's next model.
SELECT coalesce(max(version), 0) + 1 FROM model WHERE owner = :owner;

-- name: add_model
-- A trained model, not in use yet.
INSERT INTO model (owner, version, parent_id, created, kernel, measures, examples, settings, figures, body, note)
VALUES (:owner, :version, :parent, :now, :kernel, :measures, :examples, :settings, :figures, :body, :note)
RETURNING id;

-- name: models
-- Models without their arrays, newest first.
SELECT id, owner, version, parent_id, created, active, activated, kernel, measures, examples, settings, figures, note
FROM model ORDER BY id DESC;

-- name: model_by_id
-- One model without its arrays.
SELECT id, owner, version, parent_id, created, active, activated, kernel, measures, examples, settings, figures, note
FROM model WHERE id = :id;

-- name: active_model
-- The model an owner uses.
SELECT id, owner, version, parent_id, created, active, activated, kernel, measures, examples, settings, figures, note
FROM model WHERE owner = :owner AND active = 1;

-- name: model_body
-- The arrays of a model.
SELECT body FROM model WHERE id = :id;

-- name: put_models_away
-- No model of an owner is in use.
UPDATE model SET active = 0 WHERE owner = :owner AND active = 1;

-- name: activate_model
-- A model is put to use.
UPDATE model SET active = 1, activated = :now WHERE id = :id AND owner = :owner;

-- name: choose_link_model
-- Which model judges a link. No column of its own: hardly any link has one, and the setting is read with the link.
INSERT INTO setting (key, value) VALUES ('link_model/' || :resource, :choice)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: unchoose_link_model
-- A link is judged as everybody's again.
DELETE FROM setting WHERE key = 'link_model/' || :resource;

-- name: link_models
-- The links that have a model of their own.
SELECT substr(key, 12) AS resource FROM setting WHERE substr(key, 1, 11) = 'link_model/';

-- name: labels_of_checks
-- Ratings that correct one of these checks.
SELECT id FROM label WHERE check_id IN (SELECT value FROM json_each(:checks));

-- name: labels_of_checks/postgres
-- The set as an array.
SELECT id FROM label WHERE check_id = ANY ((SELECT translate(:checks, '[]', '{}')::bigint[])::bigint[]);

-- name: forget_check_of_label
-- The check that a rating corrects is no more.
UPDATE label SET check_id = NULL WHERE id = :id;
