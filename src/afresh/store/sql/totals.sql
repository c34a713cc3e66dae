-- The statements about totals, pruning and settings.

-- name: count_up
-- Adds to a small total.
INSERT INTO tally ({bucket,} name, value) VALUES ({:bucket,} :name, :amount)
ON CONFLICT (name{, bucket}) DO UPDATE SET value = tally.value + excluded.value;

-- name: grow_site
-- A site has so many resources more.
UPDATE site SET resources = resources + :more WHERE id = :id;

-- name: grow_site/postgres (arrays)
-- Many in one statement.
UPDATE site SET resources = resources + given.more FROM unnest(:id::bigint[], :more::bigint[]) AS given (id, more)
WHERE site.bucket = given.id % {buckets} AND site.id = given.id {here_site};

-- name: tallies
-- The small totals.
SELECT name, sum(value) AS value FROM tally GROUP BY name;

-- name: backlog
-- How many resources are due, and since when the first of them.
SELECT count(*) AS due_now, min(due) AS first_due FROM resource WHERE status = 'active' AND due <= :now;

-- name: due_round
-- All that is due: the visits, the robots.txt of sites that were never asked and will be for it, the longest site.
SELECT coalesce(sum(visits), 0) AS visits, coalesce(sum(unread), 0) AS robots, coalesce(max(visits * pause), 0.0) AS busiest
FROM (
    SELECT count(*) AS visits, max(:delay, coalesce(site.delay, 0.0), coalesce(site.crawl_delay, 0.0)) AS pause,
        max(CASE WHEN site.requests = 0 AND (site.resources > 1 OR resource.kind <> 'feed') THEN 1 ELSE 0 END) AS unread
    FROM resource JOIN site ON site.id = resource.site_id
    WHERE resource.status = 'active' AND resource.due <= :now GROUP BY site.id
) AS due_sites;

-- name: due_round/postgres
-- The same, within the buckets.
SELECT coalesce(sum(visits), 0) AS visits, coalesce(sum(unread), 0) AS robots, coalesce(max(visits * pause), 0.0) AS busiest
FROM (
    SELECT count(*) AS visits, max(greatest(:delay, site.delay, site.crawl_delay)) AS pause,
        max(CASE WHEN site.requests = 0 AND (site.resources > 1 OR resource.kind <> 'feed') THEN 1 ELSE 0 END) AS unread
    FROM resource JOIN site ON site.bucket = resource.bucket AND site.id = resource.site_id
    WHERE resource.status = 'active' AND resource.due <= :now GROUP BY site.bucket, site.id
) AS due_sites;

-- name: failing
-- How many resources failed at their last visit, or do not show what is watched of them.
SELECT count(*) FROM resource
WHERE failures > 0 OR (error <> '' AND failures = 0 AND last_result IN ('new', 'same', 'not_modified'));

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

-- name: database_size/postgres
-- Bytes of the database.
SELECT pg_database_size(current_database());

-- pruning -------------------------------------------------------------------------------------------------------------

-- name: prune_visits
-- Some of the visits that ended before then.
DELETE FROM visit WHERE id IN (SELECT id FROM visit WHERE finished < :before LIMIT :limit);

-- name: prune_entries
-- Some of the entries found before then.
DELETE FROM entry WHERE seq IN (SELECT seq FROM entry WHERE found < :before LIMIT :limit) RETURNING seq;

-- name: untake_entries
-- Entries that went lose their places in query feeds.
DELETE FROM query_entry WHERE seq IN (SELECT value FROM json_each(:seqs));

-- name: untake_entries/postgres
-- The set as an array.
DELETE FROM query_entry WHERE seq = ANY ((SELECT translate(:seqs, '[]', '{}')::bigint[])::bigint[]);

-- name: prune_activity
-- Minutes that no total looks at any more (older than two days).
DELETE FROM activity WHERE minute BETWEEN 0 AND (SELECT max(minute) FROM activity) - 2880;

-- name: prune_sites
-- Sites that nothing points to and that owe no delay any more.
DELETE FROM site WHERE resources = 0 AND lease IS NULL AND delay IS NULL AND next_allowed < :before
    AND coalesce(retry_after, 0) < :before;

-- name: parts_in_use
-- Which parts of the store keep anything: what serves the others need not be loaded.
SELECT 'queries' WHERE EXISTS (SELECT 1 FROM query)
UNION ALL SELECT 'notices' WHERE EXISTS (SELECT 1 FROM notice)
UNION ALL SELECT 'push' WHERE EXISTS (SELECT 1 FROM subscription)
UNION ALL SELECT 'choices' WHERE EXISTS (SELECT 1 FROM setting WHERE key = 'refresh.scopes' AND value <> '{}')
UNION ALL SELECT 'pages' WHERE EXISTS (
    SELECT 1 FROM tally
    WHERE value > 0 AND (substr(name, 1, 15) = 'resources/page/' OR substr(name, 1, 18) = 'resources/sitemap/')
);

-- settings ------------------------------------------------------------------------------------------------------------

-- name: get_setting
-- One remembered value.
SELECT value FROM setting WHERE key = :key;

-- name: put_setting
-- Remembers a value.
INSERT INTO setting (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: counted_resources
-- What the running totals should be.
SELECT kind, status, count(*) AS resources FROM resource GROUP BY kind, status;

-- name: counted_sites
-- How many sites there are.
SELECT count(*) FROM site;

-- name: forget_counts
-- The totals that can be counted anew.
DELETE FROM tally WHERE name = 'sites' OR name LIKE 'resources/%';

-- name: count_sites_anew
-- How many resources each site has.
UPDATE site SET resources = (SELECT count(*) FROM resource WHERE resource.site_id = site.id {AND resource.bucket = site.bucket});
