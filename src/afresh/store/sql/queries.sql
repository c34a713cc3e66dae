-- The statements of the SQLite store. Values are always bound; sets arrive as JSON arrays.

-- catalogue ----------------------------------------------------------------------------------------------------------

-- name: add_sites
-- Makes the sites that are not there yet.
INSERT INTO site (name) SELECT value FROM json_each(:names) WHERE true ON CONFLICT (name) DO NOTHING;

-- name: site_ids
-- Numbers of sites by name.
SELECT name, id FROM site WHERE name IN (SELECT value FROM json_each(:names));

-- name: known_urls
-- Resources whose URL has one of these keys; the caller compares the URL itself.
SELECT id, url FROM resource WHERE url_key IN (SELECT value FROM json_each(:keys));

-- name: last_resource
-- The highest number ever given to a resource.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'resource'), 0);

-- name: add_resource
-- A new resource, never visited.
INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, predictor, pinned, url, title, folder, tags,
    state_of, state)
VALUES (:id, :site_id, :url_key, :kind, 'active', :due, :added, :weight, :predictor, :pinned, :url, :title, :folder, :tags,
    :state_of, :state);

-- name: refresh_ready
-- Puts sites at their place in the queue after something about their resources changed.
UPDATE site SET ready = max(
    coalesce(leased_until, next_allowed),
    next_allowed,
    nullif(min(
        coalesce((SELECT due FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1), 9e999),
        CASE WHEN EXISTS (SELECT 1 FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL)
            THEN coalesce(next_turn, 0) ELSE 9e999 END
    ), 9e999)
) WHERE id IN (SELECT value FROM json_each(:ids));

-- name: resources_by_id
-- Resources by number.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE resource.id IN (SELECT value FROM json_each(:ids));

-- name: resource_by_url
-- The resource of a URL.
SELECT resource.*, site.name AS site FROM resource JOIN site ON site.id = resource.site_id
WHERE url_key = :key AND url = :url;

-- name: sites_of_resources
-- The sites that these resources belong to.
SELECT DISTINCT site_id FROM resource WHERE id IN (SELECT value FROM json_each(:ids));

-- name: slow_sites
-- Takes visits a second from the pace of sites.
UPDATE site SET frequency = max(0, frequency - :frequency) WHERE id IN (SELECT value FROM json_each(:ids));

-- name: remove_resources
-- Removes resources; entries, visits and documents go with them.
DELETE FROM resource WHERE id IN (SELECT value FROM json_each(:ids));

-- queue --------------------------------------------------------------------------------------------------------------

-- name: next_ready
-- When the first site becomes ready.
SELECT ready FROM site WHERE ready IS NOT NULL ORDER BY ready LIMIT 1;

-- name: pick
-- Ready sites, longest ready first, each with its most overdue resource or the page whose turn it is; with both if both are
-- due, alternately. Being early never shortens a pause or a lease. The caller puts them in order again.
SELECT site_id, CASE
    WHEN place IS NULL THEN waiting
    WHEN waiting IS NULL OR due > :now + :early THEN place
    WHEN next_turn > :now + :early THEN waiting
    WHEN requests % 2 = 1 THEN place
    ELSE waiting END AS resource_id, ready
FROM (
    SELECT site.id AS site_id, ready, requests, coalesce(next_turn, 0) AS next_turn,
        (SELECT id FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1) AS waiting,
        (SELECT due FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1) AS due,
        (SELECT id FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL ORDER BY turn, due LIMIT 1) AS place
    FROM site WHERE ready <= :now + :early AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now
    ORDER BY ready, id LIMIT :limit
);

-- name: take_lease_numbers
-- Reserves lease numbers; answers with the last of them.
INSERT INTO tally (name, value) VALUES ('lease', :count)
ON CONFLICT (name) DO UPDATE SET value = value + excluded.value RETURNING value;

-- name: lease_site
-- Hands a site out; it is not ready again before the lease expires.
UPDATE site SET lease = :lease, leased_resource = :resource_id, leased_by = :holder, leased_until = :until, ready = :until
WHERE id = :site_id;

-- name: sites_by_lease
-- The sites still held under these leases.
SELECT id, lease FROM site WHERE lease IN (SELECT value FROM json_each(:leases));

-- name: free_sites
-- Ends leases without a visit.
UPDATE site SET lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL
WHERE id IN (SELECT value FROM json_each(:ids));

-- record -------------------------------------------------------------------------------------------------------------

-- name: open_leases
-- What is held under these leases; no resource columns if it was removed meanwhile.
SELECT lease, site.id AS site_id, site.name AS site, resource.id AS resource_id, resource.url AS url
FROM site LEFT JOIN resource ON resource.id = site.leased_resource
WHERE lease IN (SELECT value FROM json_each(:leases));

-- name: move_resource
-- Gives a resource another URL, and with it perhaps another site.
UPDATE resource SET url = :url, url_key = :url_key, site_id = :site_id WHERE id = :id;

-- name: hold_back_site
-- A visit that ended on another site counts against that site too.
UPDATE site SET next_allowed = max(next_allowed, :next_allowed) WHERE id = :id;

-- name: record_resource
-- What a visit made of its resource. The operator's columns stay as they are now, not as they were when it was leased.
UPDATE resource SET
    kind = :kind,
    status = CASE WHEN :status = 'active' OR status = 'paused' THEN status ELSE :status END,
    title = CASE WHEN title = '' THEN :title ELSE title END,
    due = :due, last_visit = :last_visit, last_ok = :last_ok, last_interval = :last_interval,
    max_age = :max_age, clock_offset = :clock_offset, capacity = :capacity,
    ok = :ok, not_modified = :not_modified, unreachable = :unreachable, unparsable = :unparsable,
    misses = :misses, entries = :entries, failures = :failures, bytes = :bytes,
    moving_target = :moving_target, moving_days = :moving_days, moving_last_day = :moving_last_day,
    pattern = :pattern, last_result = :last_result, state_of = :state_of, etag = :etag, last_modified = :last_modified,
    error = :error, reason = :reason, facts = :facts, state = :state, window = :window,
    turn = CASE WHEN pinned IS NULL THEN :turn END, frequency = CASE WHEN pinned IS NULL THEN :frequency ELSE 0 END,
    announced = CASE WHEN :is_success THEN '' ELSE announced END
WHERE id = :id;

-- name: record_visit
-- A line of the log.
INSERT INTO visit (resource_id, started, finished, result, status, bytes, etag, last_modified, date, expires, max_age,
    window_size, new, missed, next_due, reason, error)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: record_entry
-- An entry that was new.
INSERT INTO entry (resource_id, uid, published, published_raw, found, initial, after_gap, updated, date_source,
    native_id, title, link, author, categories, summary, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: record_site
-- Ends the lease and puts the site at its next place in the queue; :failed is 1, 0, or NULL where nobody is to blame;
-- :took is how long the answer took, NULL where none came.
UPDATE site SET
    lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = :next_allowed, retry_after = :retry_after, requests = requests + :requests,
    failures = CASE WHEN :failed IS NULL THEN failures WHEN :failed THEN failures + 1 ELSE 0 END,
    crawl_delay = CASE WHEN :robots_read THEN :crawl_delay ELSE crawl_delay END,
    answer = CASE WHEN :took IS NULL THEN answer WHEN answer = 0 THEN :took ELSE answer + 0.2 * (:took - answer) END,
    frequency = max(0, frequency + :added), turn = turn + coalesce(speed, frequency) * max(0, coalesce(:turn_at - turn_at, 0)),
    turn_at = coalesce(:turn_at, turn_at), speed = coalesce(speed, :speed), next_turn = coalesce(:next_turn, next_turn), state = coalesce(:state, state),
    ready = max(
        :next_allowed,
        nullif(min(
            coalesce((SELECT due FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NULL ORDER BY due LIMIT 1), 9e999),
            CASE WHEN EXISTS (SELECT 1 FROM resource WHERE site_id = site.id AND status = 'active' AND turn IS NOT NULL)
                THEN coalesce(:next_turn, next_turn, 0) ELSE 9e999 END
        ), 9e999)
    )
WHERE id = :id;

-- name: record_document
-- Keeps a raw answer.
INSERT INTO document (resource_id, at, why, stored, headers, body) VALUES (?, ?, ?, ?, ?, ?);

-- name: trim_documents
-- Drops the oldest answers past either limit.
DELETE FROM document WHERE id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(stored) OVER newest AS total
        FROM document WINDOW newest AS (ORDER BY id DESC)
    ) WHERE place > :count OR total > :bytes
);

-- name: record_activity
-- Adds to the sums of a minute, or of all time.
INSERT INTO activity (minute, new, same, not_modified, unparsable, throttled, http_error, gone, unreachable, refused,
    offline, entries, delayed, delay, missed, bytes)
VALUES (:minute, :new, :same, :not_modified, :unparsable, :throttled, :http_error, :gone, :unreachable, :refused,
    :offline, :entries, :delayed, :delay, :missed, :bytes)
ON CONFLICT (minute) DO UPDATE SET
    new = new + excluded.new, same = same + excluded.same, not_modified = not_modified + excluded.not_modified,
    unparsable = unparsable + excluded.unparsable, throttled = throttled + excluded.throttled,
    http_error = http_error + excluded.http_error, gone = gone + excluded.gone,
    unreachable = unreachable + excluded.unreachable, refused = refused + excluded.refused,
    offline = offline + excluded.offline, entries = entries + excluded.entries, delayed = delayed + excluded.delayed,
    delay = delay + excluded.delay, missed = missed + excluded.missed, bytes = bytes + excluded.bytes;

-- sites --------------------------------------------------------------------------------------------------------------

-- name: site_by_name
-- One site.
SELECT * FROM site WHERE name = :name;

-- name: sites_after
-- A page of sites, by name.
SELECT * FROM site WHERE name > :after ORDER BY name LIMIT :limit;

-- name: sites_like
-- A page of sites with this in their name, by name.
SELECT * FROM site WHERE name > :after AND name LIKE :text ESCAPE '\' ORDER BY name LIMIT :limit;

-- name: failing_sites_like
-- The same of sites that failed at their last request.
SELECT * FROM site WHERE failures > 0 AND name > :after AND name LIKE :text ESCAPE '\' ORDER BY name LIMIT :limit;

-- name: set_site_delay
-- The operator's delay for a site, known or not.
INSERT INTO site (name, delay) VALUES (:name, :delay) ON CONFLICT (name) DO UPDATE SET delay = excluded.delay;

-- readers ------------------------------------------------------------------------------------------------------------

-- name: entries_after
-- Entries in the order they were found.
SELECT entry.*, resource.url AS url FROM entry JOIN resource ON resource.id = entry.resource_id
WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: entries_after_newest
-- The latest entries, newest first.
SELECT entry.*, resource.url AS url FROM entry JOIN resource ON resource.id = entry.resource_id
WHERE seq > :after ORDER BY seq DESC LIMIT :limit;

-- name: entries_of_resource
-- Entries of one resource in the order they were found.
SELECT entry.*, resource.url AS url FROM entry JOIN resource ON resource.id = entry.resource_id
WHERE resource_id = :resource AND seq > :after ORDER BY seq LIMIT :limit;

-- name: entries_of_resource_newest
-- The latest entries of one resource, newest first.
SELECT entry.*, resource.url AS url FROM entry JOIN resource ON resource.id = entry.resource_id
WHERE resource_id = :resource AND seq > :after ORDER BY seq DESC LIMIT :limit;

-- name: entry_counts
-- How many entries of a resource were published since then, and when the oldest of them was.
SELECT count(*), min(published) FROM entry WHERE resource_id = :resource AND published >= :since;

-- name: visits
-- The log, newest first.
SELECT * FROM visit WHERE id < :before ORDER BY id DESC LIMIT :limit;

-- name: visits_of_resource
-- The log of one resource, newest first.
SELECT * FROM visit WHERE resource_id = :resource AND id < :before ORDER BY id DESC LIMIT :limit;

-- name: documents
-- Kept answers, newest first.
SELECT * FROM document ORDER BY id DESC LIMIT :limit;

-- name: documents_of_resource
-- Kept answers of one resource, newest first.
SELECT * FROM document WHERE resource_id = :resource ORDER BY id DESC LIMIT :limit;

-- name: get_setting
-- One remembered value.
SELECT value FROM setting WHERE key = :key;

-- name: put_setting
-- Remembers a value.
INSERT INTO setting (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- totals -------------------------------------------------------------------------------------------------------------

-- name: tallies
-- The small totals.
SELECT name, value FROM tally;

-- name: backlog
-- How many resources are due, and since when the first of them.
SELECT count(*) AS due_now, min(due) AS first_due FROM resource WHERE status = 'active' AND due <= :now;

-- name: failing
-- How many resources failed at their last visit.
SELECT count(*) FROM resource WHERE failures > 0;

-- name: leased
-- How many leases are open.
SELECT count(*) FROM site WHERE lease IS NOT NULL AND leased_until > :now;

-- name: activity_between
-- Sums over minutes, both ends included.
SELECT coalesce(sum(new), 0) AS new, coalesce(sum(same), 0) AS same, coalesce(sum(not_modified), 0) AS not_modified,
    coalesce(sum(unparsable), 0) AS unparsable, coalesce(sum(throttled), 0) AS throttled,
    coalesce(sum(http_error), 0) AS http_error, coalesce(sum(gone), 0) AS gone,
    coalesce(sum(unreachable), 0) AS unreachable, coalesce(sum(refused), 0) AS refused,
    coalesce(sum(offline), 0) AS offline, coalesce(sum(entries), 0) AS entries, coalesce(sum(delayed), 0) AS delayed,
    coalesce(sum(delay), 0) AS delay, coalesce(sum(missed), 0) AS missed, coalesce(sum(bytes), 0) AS bytes
FROM activity WHERE minute BETWEEN :first AND :last;

-- name: sites_failing
-- How many sites failed at their last request.
SELECT count(*) FROM site WHERE failures > 0;

-- name: activity_steps
-- Sums over steps of so many minutes, ascending; steps in which nothing happened are left out.
SELECT (minute / :step) * :step AS minute,
    sum(new + same + not_modified + unparsable + throttled + http_error + gone + unreachable + refused + offline) AS visits,
    sum(unparsable + throttled + http_error + gone + unreachable + refused) AS errors,
    sum(entries) AS entries, sum(delayed) AS delayed, sum(delay) AS delay, sum(missed) AS missed, sum(bytes) AS bytes
FROM activity WHERE minute BETWEEN :first AND :last GROUP BY minute / :step ORDER BY 1;

-- name: database_size
-- Bytes of the database file.
SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size();

-- pruning ------------------------------------------------------------------------------------------------------------

-- name: prune_visits
-- Some of the visits that ended before then.
DELETE FROM visit WHERE id IN (SELECT id FROM visit WHERE finished < :before LIMIT :limit);

-- name: prune_entries
-- Some of the entries found before then.
DELETE FROM entry WHERE seq IN (SELECT seq FROM entry WHERE found < :before LIMIT :limit);

-- name: prune_activity
-- Minutes that no total looks at any more (older than two days).
DELETE FROM activity WHERE minute BETWEEN 0 AND (SELECT max(minute) FROM activity) - 2880;

-- name: prune_sites
-- Sites that nothing points to and that owe no delay any more.
DELETE FROM site WHERE resources = 0 AND lease IS NULL AND delay IS NULL AND next_allowed < :before
    AND coalesce(retry_after, 0) < :before;
