-- The statements of the frontier, in the form that ``store.named_sql`` reads. A text of ";" alone means that this database needs no such step.
-- Where a statement is for many rows, SQLite runs it once a row, PostgreSQL once with an array a column.
-- In braces: text of the store itself (`partition`, `order`, `rank`, locks), never a value from outside.

-- fetchers -----------------------------------------------------------------------------------------------------------

-- name: register
-- A new fetcher, unless its UUID or its contact and name are taken.
INSERT INTO fetcher (uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen)
VALUES (:uuid, :contact, :name, :registered, :token_digest, :location, :tld_preference, :address, :last_seen) ON CONFLICT DO NOTHING;

-- name: fetcher
-- One fetcher.
SELECT uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen FROM fetcher WHERE uuid = :uuid;

-- name: fetchers
-- All fetchers in the order of registration.
SELECT uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen FROM fetcher ORDER BY registered, uuid;

-- name: replace_fetcher
-- Writes what may change about a fetcher, unless another one has that contact and name.
UPDATE fetcher SET contact = :contact, name = :name, token_digest = :token_digest, location = :location, tld_preference = :tld_preference,
    address = :address, last_seen = :last_seen
WHERE uuid = :uuid
AND NOT EXISTS (SELECT 1 FROM fetcher AS other WHERE other.contact = :contact AND other.name = :name AND other.uuid <> :uuid);

-- name: seen
-- Notes when fetchers were last heard of; one that another process is writing is left to it.
UPDATE fetcher SET last_seen = :now WHERE uuid IN (SELECT value FROM json_each(:fetchers));

-- name: seen/postgres
-- The set is an array, whose members an index finds.
UPDATE fetcher SET last_seen = :now
WHERE uuid IN (SELECT uuid FROM fetcher WHERE uuid = ANY(:fetchers::text[]) FOR NO KEY UPDATE SKIP LOCKED);

-- name: remove_fetcher
-- Forgets a fetcher.
DELETE FROM fetcher WHERE uuid = :fetcher;

-- name: free_sites_of_fetcher
-- Makes the sites free that a fetcher holds; the delay after what it was given stays.
UPDATE site SET lease = 0, next_due = min(next_due, 0.0), state = 0, ready = max(next_allowed, blocked)
FROM (
    SELECT site.bucket, site.id FROM lease JOIN site ON site.bucket = lease.bucket AND site.id = lease.site AND site.lease = lease.number {here_site}
    WHERE lease.fetcher = :fetcher {here_lease} ORDER BY site.id {lock_sites}
) AS held WHERE site.bucket = held.bucket AND site.id = held.id {here_site};

-- name: take_lists_back
-- Makes the sites free that a fetcher holds, which has begun anew: it may have asked each of them up to now, and not later.
UPDATE site SET lease = 0, next_allowed = :now + held.pause, next_due = min(next_due, 0.0), state = 0, ready = max(:now + held.pause, blocked)
FROM (
    SELECT site.bucket, site.id, lease.delay AS pause FROM lease JOIN site ON site.bucket = lease.bucket AND site.id = lease.site AND site.lease = lease.number {here_site}
    WHERE lease.fetcher = :fetcher {here_lease} ORDER BY site.id {lock_sites}
) AS held WHERE site.bucket = held.bucket AND site.id = held.id {here_site};

-- name: remove_leases_of_fetcher
-- Forgets the lists of a fetcher.
DELETE FROM lease WHERE fetcher = :fetcher;

-- name: remove_homes
-- Takes the assignments to a fetcher back.
UPDATE site SET home = '' WHERE home = :fetcher;

-- adding -------------------------------------------------------------------------------------------------------------

-- name: only_adder
-- One transaction at a time adds pages: it locks sites in no order that others could keep to.
;  -- nothing, since one transaction writes at a time

-- name: only_adder/postgres
-- Many transactions write at a time.
SELECT pg_advisory_xact_lock(1634103910, 1);

-- name: sites_by_name
-- Numbers of a crawl's sites by name.
SELECT site.name, site.id FROM json_each(:names) AS wanted CROSS JOIN site ON site.crawl = :crawl AND site.name = wanted.value;

-- name: sites_by_name/postgres
-- The set is an array, whose members an index finds.
SELECT site.name, site.id FROM unnest(:names::text[]) AS wanted (name) JOIN site ON site.crawl = :crawl AND site.name = wanted.name {here_site};

-- name: held
-- How many pages of a site may be handed out, and how many links from other sites it has.
SELECT urls - backlog, referrals FROM site WHERE bucket = :site % {buckets} AND id = :site {here_site};

-- name: take_site_numbers
-- Numbers for new sites, by bucket: bucket, how many. Answers with the last of each bucket; a cleared site's is not used again.
UPDATE last_site SET n = n + wanted.sites FROM (SELECT value ->> 0 AS bucket, value ->> 1 AS sites FROM json_each(?)) AS wanted
WHERE last_site.bucket = wanted.bucket RETURNING last_site.bucket, n;

-- name: take_site_numbers/postgres (arrays)
-- All rows at once.
UPDATE last_site SET n = n + wanted.sites FROM unnest(?::integer[], ?::integer[]) AS wanted (bucket, sites)
WHERE last_site.bucket = wanted.bucket {here_last_site} RETURNING last_site.bucket, n;

-- name: add_sites
-- New sites without pages: number, crawl, name, top-level domain, hash.
INSERT INTO site (id, crawl, name, tld, hash, ready, next_due) VALUES (?, ?, ?, ?, ?, 9e999, 9e999);

-- name: add_sites/postgres (arrays)
-- All rows at once.
INSERT INTO site (bucket, id, crawl, name, tld, hash) SELECT id % {buckets}, id, crawl, name, tld, hash
FROM unnest(?::integer[], ?::integer[], ?::text[], ?::text[], ?::bigint[]) AS new (id, crawl, name, tld, hash);

-- name: known_pages
-- URLs under these numbers.
SELECT address.id, address.url FROM json_each(:pages) AS wanted CROSS JOIN address ON address.id = wanted.value;

-- name: known_pages/postgres
-- The set is an array, whose members an index finds.
SELECT address.id, address.url FROM unnest(:pages::bigint[]) AS wanted (id)
JOIN address ON address.bucket = ((wanted.id >> 36) % {buckets})::integer AND address.site = (wanted.id >> 36)::integer AND address.id = wanted.id {here_address};

-- name: add_pages
-- Pages, the changing part: number, due, visited, status.
INSERT INTO page (id, due, visited, status) VALUES {rows};

-- name: add_pages/postgres (arrays)
-- All rows at once.
INSERT INTO page (bucket, site, id, due, visited, status) SELECT ((id >> 36) % {buckets})::integer, (id >> 36)::integer, id, due, visited, status
FROM unnest(?::bigint[], ?::float8[], ?::float8[], ?::smallint[]) AS new (id, due, visited, status);

-- name: add_pages_in_bulk
-- The same, many at once.
;  -- nothing, since it has no quicker way

-- name: add_pages_in_bulk/postgres
-- By COPY.
COPY page (bucket, site, id, due, visited, status) FROM STDIN (FORMAT BINARY);

-- name: add_addresses
-- Pages, the lasting part: number, URL, discovered, PageRank, cash.
INSERT INTO address (id, url, discovered, pagerank, cash) VALUES {rows};

-- name: add_addresses/postgres (arrays)
-- All rows at once.
INSERT INTO address (bucket, site, id, url, discovered, pagerank, cash) SELECT ((id >> 36) % {buckets})::integer, (id >> 36)::integer, id, url, discovered, pagerank, cash
FROM unnest(?::bigint[], ?::text[], ?::float8[], ?::float8[], ?::float8[]) AS new (id, url, discovered, pagerank, cash);

-- name: add_addresses_in_bulk
-- The same, many at once.
;  -- nothing, since it has no quicker way

-- name: add_addresses_in_bulk/postgres
-- By COPY.
COPY address (bucket, site, id, url, discovered, pagerank, cash) FROM STDIN (FORMAT BINARY);

-- name: grow_sites
-- Counts new pages of sites and puts these at their place in the queue: site, pages, visited, sum of visits, sum of PageRank, first
-- found, first due, backlog, delay, cash, well, left out.
UPDATE site SET urls = urls + ?2, visited = visited + ?3, sum_visited = sum_visited + ?4, sum_pagerank = sum_pagerank + ?5,
    discovered = min(coalesce(discovered, ?6), ?6), next_due = min(next_due, ?7), backlog = backlog + ?8, delay = coalesce(delay, ?9),
    cash = cash + ?10, well = well + ?11, left_out = left_out + ?12,
    ready = CASE WHEN lease <> 0 OR state = 1 THEN ready ELSE max(next_allowed, blocked, min(next_due, ?7)) END
WHERE id = ?1;

-- name: grow_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET urls = site.urls + new.urls, visited = site.visited + new.visited,
    sum_visited = site.sum_visited + new.sum_visited, sum_pagerank = site.sum_pagerank + new.sum_pagerank,
    discovered = least(site.discovered, new.discovered), next_due = least(site.next_due, new.due),
    backlog = site.backlog + new.backlog, delay = coalesce(site.delay, new.delay), cash = site.cash + new.cash,
    well = site.well + new.well, left_out = site.left_out + new.left_out,
    ready = CASE WHEN site.lease <> 0 OR site.state = 1 THEN site.ready
        ELSE greatest(site.next_allowed, site.blocked, least(site.next_due, new.due)) END
FROM unnest(?::integer[], ?::integer[], ?::integer[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::integer[], ?::float8[], ?::float8[],
    ?::integer[], ?::integer[])
    AS new (id, urls, visited, sum_visited, sum_pagerank, discovered, due, backlog, delay, cash, well, left_out)
WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: rank_sites
-- Ranks available sites anew after their sums changed.
UPDATE site SET rank = {rank} WHERE state = 1 AND id IN (SELECT value FROM json_each(:sites));

-- name: rank_sites/postgres
-- The set is an array, whose members an index finds.
UPDATE site SET rank = {rank} FROM unnest(:sites::integer[]) AS wanted (number)
WHERE site.bucket = wanted.number % {buckets} AND site.id = wanted.number {here_site} AND state = 1;

-- name: big_sites
-- Sites among these that are big, or have become too big to be looked through.
SELECT id FROM site WHERE id IN (SELECT value FROM json_each(:sites)) AND (big = 1 OR urls > :big);

-- name: big_sites/postgres
-- The set is an array, whose members an index finds.
SELECT id FROM unnest(:sites::integer[]) AS wanted (number)
JOIN site ON site.bucket = wanted.number % {buckets} AND site.id = wanted.number {here_site} WHERE big = 1 OR urls > :big;

-- name: mark_big_sites
-- Marks sites as big.
UPDATE site SET big = 1 WHERE id = ? AND big = 0;

-- name: mark_big_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET big = 1 FROM unnest(?::integer[]) AS new (id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site} AND big = 0;

-- name: index_pages
-- Puts the pages of big sites that are not there yet into what is ordered by due time.
UPDATE page SET big = 1 WHERE id BETWEEN ?1 << 36 AND (?1 << 36) + 68719476735 AND big = 0;

-- name: index_pages/postgres (arrays)
-- All rows at once.
INSERT INTO big_page (bucket, site, id, due) SELECT page.bucket, page.site, page.id, page.due FROM unnest(?::integer[]) AS new (id)
JOIN page ON page.bucket = new.id % {buckets} AND page.site = new.id {here_page} ON CONFLICT DO NOTHING;

-- name: count_new
-- Counts new sites and pages.
UPDATE total SET sites = sites + :sites, urls = urls + :urls, visited = visited + :visited, sum_visited = sum_visited + :sum_visited,
    backlog = backlog + :backlog, well = well + :well, left_out = left_out + :left_out WHERE bucket = :part;

-- name: pages_to_revive
-- Those of these pages that are gone, failing or refused by a fetcher.
SELECT page.id FROM json_each(:pages) AS wanted CROSS JOIN page ON page.id = wanted.value WHERE page.status IN (2, 3, 4);

-- name: pages_to_revive/postgres
-- The set is an array, whose members an index finds.
SELECT page.id FROM unnest(:pages::bigint[]) AS wanted (id)
JOIN page ON page.bucket = ((wanted.id >> 36) % {buckets})::integer AND page.site = (wanted.id >> 36)::integer AND page.id = wanted.id {here_page} WHERE page.status IN (2, 3, 4);

-- name: revive_pages
-- Such pages are tried again, as after a first failure: due, page.
UPDATE page SET due = ?, status = 0, failures = 1, spare = NULL WHERE id = ?;

-- name: revive_pages/postgres (arrays)
-- All rows at once.
UPDATE page SET due = new.due, status = 0, failures = 1 FROM unnest(?::float8[], ?::bigint[]) AS new (due, id)
WHERE page.bucket = ((new.id >> 36) % {buckets})::integer AND page.site = (new.id >> 36)::integer AND page.id = new.id {here_page};

-- name: sites_with_backlog
-- Sites among these that have a backlog, and how much they hold.
SELECT id, urls - backlog, referrals FROM site WHERE id IN (SELECT value FROM json_each(:sites)) AND backlog > 0;

-- name: sites_with_backlog/postgres
-- The set is an array, whose members an index finds.
SELECT id, urls - backlog, referrals FROM unnest(:sites::integer[]) AS wanted (number)
JOIN site ON site.bucket = wanted.number % {buckets} AND site.id = wanted.number {here_site} WHERE backlog > 0;

-- name: admit_pages
-- Takes pages out of the backlog of a site, in the order of their numbers.
UPDATE page SET status = 0, due = 0.0 WHERE bucket = :site % {buckets} AND site = :site {here_page} AND id IN (
    SELECT id FROM page WHERE bucket = :site % {buckets} AND site = :site {here_page} AND id BETWEEN :first AND :last AND status = 5 ORDER BY id LIMIT :room);

-- name: admit_big_pages
-- The same in what is ordered by due time.
;  -- nothing, since its index follows by itself

-- name: admit_big_pages/postgres
-- In a table of its own.
UPDATE big_page SET due = page.due FROM page
WHERE big_page.bucket = :site % {buckets} AND big_page.site = :site {here_big_page} AND page.bucket = big_page.bucket AND page.site = big_page.site AND page.id = big_page.id {here_page} AND big_page.due <> page.due;

-- name: admit_site
-- A site after pages left its backlog.
UPDATE site SET backlog = backlog - :pages, next_due = min(next_due, 0.0),
    ready = CASE WHEN lease <> 0 OR state = 1 THEN ready ELSE max(next_allowed, blocked) END WHERE bucket = :site % {buckets} AND id = :site {here_site};

-- name: make_pages_due
-- Pages of a site that are to be fetched at some time are due now.
UPDATE page SET due = CAST(:now AS float8) WHERE bucket = :site % {buckets} AND site = :site {here_page} AND id BETWEEN :first AND :last
    AND status = 0 AND due > CAST(:now AS float8);

-- name: make_site_due
-- Their site; its pause, a block and a list that is out count as before.
UPDATE site SET next_due = min(next_due, CAST(:now AS float8)),
    ready = CASE WHEN lease <> 0 OR state = 1 THEN ready ELSE max(next_allowed, blocked, min(next_due, CAST(:now AS float8))) END
WHERE bucket = :site % {buckets} AND id = :site {here_site};

-- name: count_admitted
-- Counts pages that left a backlog.
UPDATE total SET backlog = backlog - :pages WHERE bucket = :part;

-- leasing ------------------------------------------------------------------------------------------------------------

-- name: pick_waiting
-- Sites that are ready and that nobody else is looking at, when no other order than that of time is kept.
SELECT id, name, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big, locked, crawl_limit > 0 AND completed >= crawl_limit, price
FROM site WHERE state = 0 AND crawl = :crawl AND ready <= :now {partition} {among} ORDER BY {order} LIMIT :limit {skip_locked};

-- name: pick_available
-- Sites that are available, in the order that is set or another, and that nobody else is looking at.
SELECT id, name, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big, locked, crawl_limit > 0 AND completed >= crawl_limit, price
FROM site WHERE state = 1 AND crawl = :crawl {partition} {among} ORDER BY {order} LIMIT :limit {skip_locked};

-- name: chance
-- A number from 0 to 1, of the database's own: a store that was opened with a seed repeats it.
SELECT {random};

-- name: last_site
-- The highest number of a site.
SELECT coalesce(max(id), 0) FROM site WHERE true {here_site};

-- name: rank_range
-- Ranks the available among these sites anew, since time has passed.
UPDATE site SET rank = {rank}
FROM (SELECT bucket, id AS number FROM site WHERE state = 1 AND id BETWEEN :first AND :last {here_site} {skip_locked}) AS picked
WHERE site.bucket = picked.bucket AND site.id = picked.number {here_site};

-- name: promote
-- Makes sites available whose time has come.
UPDATE site SET state = 1, lease = 0, next_due = min(next_due, :now), rank = {rank}
FROM (SELECT bucket, id AS number FROM site WHERE state = 0 AND crawl = :crawl AND ready <= :now {here_site} ORDER BY ready LIMIT :limit {skip_locked}) AS picked
WHERE site.bucket = picked.bucket AND site.id = picked.number {here_site};

-- name: due_pages
-- The pages of each of these sites that are due first, and one more to tell when the rest is: site, limit.
SELECT address.url, address.pagerank, address.discovered, p.visited, p.due, address.etag, address.last_modified, p.content, p.id
FROM (SELECT id, due, visited, content FROM page WHERE id BETWEEN ?1 << 36 AND (?1 << 36) + 68719476735 ORDER BY due LIMIT ?2) AS p
CROSS JOIN address ON address.id = p.id;

-- name: due_pages/postgres
-- All sites at once.
SELECT a.url, a.pagerank, a.discovered, p.visited, p.due, a.etag, a.last_modified, p.content, p.id, wanted.site
FROM unnest(?::integer[]) WITH ORDINALITY AS wanted (site, place)
CROSS JOIN LATERAL (SELECT id, due, visited, content FROM page WHERE page.bucket = wanted.site % {buckets} AND page.site = wanted.site {here_page} ORDER BY due LIMIT ?) AS p
CROSS JOIN LATERAL (SELECT * FROM address WHERE address.bucket = wanted.site % {buckets} AND address.site = wanted.site {here_address} AND address.id = p.id LIMIT 1) AS a
ORDER BY wanted.place, p.due;

-- name: due_pages_big
-- The same for big sites.
SELECT address.url, address.pagerank, address.discovered, p.visited, p.due, address.etag, address.last_modified, p.content, p.id
FROM (SELECT id, due, visited, content FROM page WHERE id >> 36 = ? AND big = 1 ORDER BY due LIMIT ?) AS p
CROSS JOIN address ON address.id = p.id;

-- name: due_pages_big/postgres
-- All sites at once.
SELECT a.url, a.pagerank, a.discovered, p.visited, p.due, a.etag, a.last_modified, p.content, p.id, wanted.site
FROM unnest(?::integer[]) WITH ORDINALITY AS wanted (site, place)
CROSS JOIN LATERAL (SELECT id FROM big_page WHERE big_page.bucket = wanted.site % {buckets} AND big_page.site = wanted.site {here_big_page} ORDER BY due LIMIT ?) AS first
CROSS JOIN LATERAL (SELECT * FROM page WHERE page.bucket = wanted.site % {buckets} AND page.site = wanted.site {here_page} AND page.id = first.id LIMIT 1) AS p
CROSS JOIN LATERAL (SELECT * FROM address WHERE address.bucket = wanted.site % {buckets} AND address.site = wanted.site {here_address} AND address.id = first.id LIMIT 1) AS a
ORDER BY wanted.place, p.due;

-- name: due_pages_unlocked
-- The same where some pages may be locked.
SELECT address.url, address.pagerank, address.discovered, p.visited, p.due, address.etag, address.last_modified, p.content, p.id
FROM (SELECT id, due, visited, content FROM page WHERE id BETWEEN ?1 << 36 AND (?1 << 36) + 68719476735
    AND NOT EXISTS (SELECT 1 FROM page_lock WHERE page_lock.id = page.id) ORDER BY due LIMIT ?2) AS p
CROSS JOIN address ON address.id = p.id;

-- name: due_pages_unlocked/postgres
-- All sites at once.
SELECT a.url, a.pagerank, a.discovered, p.visited, p.due, a.etag, a.last_modified, p.content, p.id, wanted.site
FROM unnest(?::integer[]) WITH ORDINALITY AS wanted (site, place)
CROSS JOIN LATERAL (SELECT id, due, visited, content FROM page WHERE page.bucket = wanted.site % {buckets} AND page.site = wanted.site {here_page} AND NOT EXISTS (
    SELECT 1 FROM page_lock WHERE page_lock.bucket = page.bucket AND page_lock.site = page.site AND page_lock.id = page.id {here_page_lock}) ORDER BY due LIMIT ?) AS p
CROSS JOIN LATERAL (SELECT * FROM address WHERE address.bucket = wanted.site % {buckets} AND address.site = wanted.site {here_address} AND address.id = p.id LIMIT 1) AS a
ORDER BY wanted.place, p.due;

-- name: due_pages_big_unlocked
-- The same for big sites.
SELECT address.url, address.pagerank, address.discovered, p.visited, p.due, address.etag, address.last_modified, p.content, p.id
FROM (SELECT id, due, visited, content FROM page WHERE id >> 36 = ? AND big = 1
    AND NOT EXISTS (SELECT 1 FROM page_lock WHERE page_lock.id = page.id) ORDER BY due LIMIT ?) AS p
CROSS JOIN address ON address.id = p.id;

-- name: due_pages_big_unlocked/postgres
-- All sites at once.
SELECT a.url, a.pagerank, a.discovered, p.visited, p.due, a.etag, a.last_modified, p.content, p.id, wanted.site
FROM unnest(?::integer[]) WITH ORDINALITY AS wanted (site, place)
CROSS JOIN LATERAL (SELECT id FROM big_page WHERE big_page.bucket = wanted.site % {buckets} AND big_page.site = wanted.site {here_big_page} AND NOT EXISTS (
    SELECT 1 FROM page_lock WHERE page_lock.bucket = big_page.bucket AND page_lock.site = big_page.site AND page_lock.id = big_page.id {here_page_lock}) ORDER BY due LIMIT ?) AS first
CROSS JOIN LATERAL (SELECT * FROM page WHERE page.bucket = wanted.site % {buckets} AND page.site = wanted.site {here_page} AND page.id = first.id LIMIT 1) AS p
CROSS JOIN LATERAL (SELECT * FROM address WHERE address.bucket = wanted.site % {buckets} AND address.site = wanted.site {here_address} AND address.id = first.id LIMIT 1) AS a
ORDER BY wanted.place, p.due;

-- name: ordered_pages
-- Due pages of a site in another order.
SELECT address.url, address.pagerank, address.discovered, page.visited, page.due, address.etag, address.last_modified, page.content, page.id
FROM page JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id {here_address}
WHERE page.bucket = :site % {buckets} AND page.site = :site {here_page} AND page.id BETWEEN :first AND :last AND page.due <= :now {seen}
AND NOT EXISTS (SELECT 1 FROM page_lock WHERE page_lock.bucket = page.bucket AND page_lock.site = page.site AND page_lock.id = page.id {here_page_lock}) ORDER BY {order}, page.id LIMIT :limit;

-- name: next_due
-- When the first page of a site is due that is not among these.
SELECT coalesce(min(due), 9e999) FROM page WHERE id BETWEEN :first AND :last AND id NOT IN (SELECT value FROM json_each(:pages))
AND NOT EXISTS (SELECT 1 FROM page_lock WHERE page_lock.id = page.id);

-- name: next_due/postgres
-- The set is an array, whose members an index finds.
SELECT coalesce(min(due), 'Infinity') FROM page WHERE page.bucket = :site % {buckets} AND site = :site {here_page} AND id BETWEEN :first AND :last AND id <> ALL(:pages::bigint[])
AND NOT EXISTS (SELECT 1 FROM page_lock WHERE page_lock.bucket = page.bucket AND page_lock.site = page.site AND page_lock.id = page.id {here_page_lock});

-- name: take_lease_numbers
-- Numbers for new lists. SQLite answers with the last one.
UPDATE total SET lease = lease + :count WHERE bucket = 0 RETURNING lease;

-- name: take_lease_numbers/postgres
-- By a sequence, for many transactions at a time.
SELECT nextval('lease_number') FROM generate_series(1, :count);

-- name: add_leases
-- Notes lists: number, site, fetcher, at, until, delay, release, full, pages.
INSERT INTO lease (number, site, fetcher, at, until, delay, release, "full", pages) VALUES {rows};

-- name: add_leases/postgres (arrays)
-- All rows at once.
INSERT INTO lease (bucket, number, site, fetcher, at, until, delay, release, "full", pages)
SELECT site % {buckets}, number, site, fetcher, at, until, delay, release, "full", pages
FROM unnest(?::bigint[], ?::integer[], ?::text[], ?::float8[], ?::float8[], ?::float8[], ?::smallint[], ?::smallint[], ?::bytea[])
    AS new (number, site, fetcher, at, until, delay, release, "full", pages);

-- name: lease_sites
-- Leases sites: list, until, ready, next allowed, next due, site.
UPDATE site SET lease = ?, until = ?, ready = ?, next_allowed = ?, next_due = ?, state = 0, served = 0 WHERE id = ?;

-- name: lease_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET lease = new.lease, until = new.until, ready = new.ready, next_allowed = new.next_allowed, next_due = new.next_due, state = 0, served = 0
FROM unnest(?::bigint[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::integer[])
    AS new (lease, until, ready, next_allowed, next_due, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: postpone
-- Puts a site back that had nothing due after all.
UPDATE site SET lease = 0, state = 0, next_due = :due, ready = max(next_allowed, blocked, :due) WHERE bucket = :site % {buckets} AND id = :site {here_site};

-- name: free_expired
-- Frees sites whose lease has expired; the delay counts from its end, since nobody said when the last request was.
UPDATE site SET lease = 0, next_allowed = max(next_allowed, until + held.pause), next_due = min(next_due, 0.0),
    ready = max(next_allowed, until + held.pause, blocked)
FROM (
    SELECT site.bucket, site.id AS site, lease.delay AS pause FROM lease JOIN site ON site.bucket = lease.bucket AND site.id = lease.site AND site.lease = lease.number {here_site}
    WHERE site.until <= :now {here_lease} ORDER BY site.id {lock_sites}
) AS held WHERE site.bucket = held.bucket AND site.id = held.site {here_site};

-- name: forget_leases
-- Forgets lists that ended long ago.
DELETE FROM lease WHERE until < :before {here_lease} AND NOT EXISTS (SELECT 1 FROM site WHERE site.bucket = lease.bucket AND site.id = lease.site AND site.lease = lease.number {here_site});

-- reporting ----------------------------------------------------------------------------------------------------------

-- name: receipt
-- The answer that a report of this key got.
SELECT answer FROM receipt WHERE bucket = :bucket AND fetcher = :fetcher AND key = :key;

-- name: one_report_of_a_key
-- The same report, sent twice at once, is taken over once.
;  -- nothing, since one transaction writes at a time

-- name: one_report_of_a_key/postgres
-- Many transactions write at a time.
SELECT pg_advisory_xact_lock(hashtextextended(:key, 0));

-- name: add_receipts
-- Notes the answers that reports get: bucket, fetcher, key, at, answer.
INSERT INTO receipt (bucket, fetcher, key, at, answer) VALUES (?, ?, ?, ?, ?);

-- name: add_receipts/postgres (arrays)
-- All rows at once.
INSERT INTO receipt (bucket, fetcher, key, at, answer) SELECT * FROM unnest(?::integer[], ?::text[], ?::text[], ?::float8[], ?::text[]);

-- name: forget_receipts
-- Forgets old answers.
DELETE FROM receipt WHERE at < :before;

-- name: lock_sites
-- The sites of lists, in order, for whoever reports them.
;  -- nothing, since one transaction writes at a time

-- name: lock_sites/postgres
-- The set is an array, whose members an index finds.
SELECT site.id FROM unnest(:buckets::integer[], :leases::bigint[]) AS wanted (bucket, number)
JOIN lease ON lease.bucket = wanted.bucket AND lease.number = wanted.number {here_lease}
JOIN site ON site.bucket = lease.bucket AND site.id = lease.site {here_site} ORDER BY site.id {lock_sites};

-- name: leases
-- Lists by number, with the sites as they are.
SELECT lease.number, lease.site, lease.fetcher, lease.at, lease.until, lease.delay, lease.release, lease.full, lease.pages,
    site.name, site.lease, site.delay, site.errors, site.slow, site.price, site.blocked, site.next_due, site.big, site.crawl
FROM json_each(:leases) AS wanted CROSS JOIN lease ON lease.number = wanted.value CROSS JOIN site ON site.id = lease.site;

-- name: leases/postgres
-- The set is an array, whose members an index finds.
SELECT lease.number, lease.site, lease.fetcher, lease.at, lease.until, lease.delay, lease.release, lease."full", lease.pages,
    site.name, site.lease, site.delay, site.errors, site.slow, site.price, site.blocked, site.next_due, site.big, site.crawl
FROM unnest(:buckets::integer[], :leases::bigint[]) AS wanted (bucket, number)
JOIN lease ON lease.bucket = wanted.bucket AND lease.number = wanted.number {here_lease}
JOIN site ON site.bucket = lease.bucket AND site.id = lease.site {here_site};

-- name: lease_of_site
-- The number of the list that holds a site now.
SELECT lease FROM site WHERE bucket = :bucket AND crawl = 1 AND name = :site;

-- name: pages
-- What a visit changes, by number, in the order asked.
SELECT page.content, page.due, coalesce(page.visited, -1.0), page.status, page.failures, page.looks, page.changes, page.span, page.rate
FROM json_each(:pages) AS wanted CROSS JOIN page ON page.id = wanted.value;

-- name: pages/postgres
-- The set is an array, whose members an index finds.
SELECT page.content, page.due, coalesce(page.visited, -1.0), page.status, page.failures, page.looks, page.changes, page.span, page.rate
FROM unnest(:pages::bigint[]) WITH ORDINALITY AS wanted (id, place)
JOIN page ON page.bucket = ((wanted.id >> 36) % {buckets})::integer AND page.site = (wanted.id >> 36)::integer AND page.id = wanted.id {here_page} ORDER BY wanted.place;

-- name: plain_pages
-- What a visit that teaches nothing changes, by number, in the order asked.
SELECT coalesce(page.visited, -1.0), page.failures + page.status FROM json_each(:pages) AS wanted CROSS JOIN page ON page.id = wanted.value;

-- name: plain_pages/postgres
-- The set is an array, whose members an index finds.
SELECT coalesce(page.visited, -1.0), page.failures + page.status
FROM unnest(:pages::bigint[]) WITH ORDINALITY AS wanted (id, place)
JOIN page ON page.bucket = ((wanted.id >> 36) % {buckets})::integer AND page.site = (wanted.id >> 36)::integer AND page.id = wanted.id {here_page} ORDER BY wanted.place;

-- name: visit_pages
-- Pages after a visit: due, visited, status, failures, looks, changes, span, rate, content, page.
UPDATE page SET due = ?, visited = ?, status = ?, failures = ?, looks = ?, changes = ?, span = ?, rate = ?, content = ?, spare = NULL
WHERE id = ?;

-- name: visit_pages/postgres (arrays)
-- All rows at once.
UPDATE page SET due = new.due, visited = new.visited, status = new.status, failures = new.failures, looks = new.looks,
    changes = new.changes, span = new.span, rate = new.rate, content = new.content
FROM unnest(?::float8[], ?::float8[], ?::smallint[], ?::integer[], ?::integer[], ?::integer[], ?::float8[], ?::float8[], ?::text[],
    ?::bigint[]) AS new (due, visited, status, failures, looks, changes, span, rate, content, id)
WHERE page.bucket = ((new.id >> 36) % {buckets})::integer AND page.site = (new.id >> 36)::integer AND page.id = new.id {here_page};

-- name: revisit_pages
-- Pages after a visit that taught nothing but its time: due, visited, page.
UPDATE page SET due = ?, visited = ?, spare = NULL WHERE id = ?;

-- name: revisit_pages/postgres (arrays)
-- All rows at once.
UPDATE page SET due = new.due, visited = new.visited FROM unnest(?::float8[], ?::float8[], ?::bigint[]) AS new (due, visited, id)
WHERE page.bucket = ((new.id >> 36) % {buckets})::integer AND page.site = (new.id >> 36)::integer AND page.id = new.id {here_page};

-- name: revisit_pages_together
-- The same for pages visited at the same time, or reported without one.
UPDATE page SET due = ?, visited = ?, spare = NULL WHERE id IN (SELECT value FROM json_each(?));

-- name: revisit_pages_together/postgres
-- Nothing, since it writes all pages at once anyway.
;

-- name: visit_big_pages
-- Pages after a visit, in what is ordered by due time: due, page.
;  -- nothing, since its index follows by itself

-- name: visit_big_pages/postgres (arrays)
-- All rows at once.
UPDATE big_page SET due = new.due FROM unnest(?::float8[], ?::bigint[]) AS new (due, id)
WHERE big_page.bucket = ((new.id >> 36) % {buckets})::integer AND big_page.site = (new.id >> 36)::integer AND big_page.id = new.id {here_big_page};

-- name: put_validators
-- What servers gave to ask "changed since?" with: etag, last modified, page.
UPDATE address SET etag = ?, last_modified = ? WHERE id = ?;

-- name: put_validators/postgres (arrays)
-- All rows at once.
UPDATE address SET etag = new.etag, last_modified = new.last_modified
FROM unnest(?::text[], ?::text[], ?::bigint[]) AS new (etag, last_modified, id)
WHERE address.bucket = ((new.id >> 36) % {buckets})::integer AND address.site = (new.id >> 36)::integer AND address.id = new.id {here_address};

-- name: put_failures
-- Pages of which nothing came: page, at, result, why, fetcher.
INSERT INTO failure (id, at, result, why, fetcher) VALUES {rows}
ON CONFLICT (id) DO UPDATE SET at = excluded.at, result = excluded.result, why = excluded.why, fetcher = excluded.fetcher;

-- name: put_failures/postgres (arrays)
-- All rows at once.
INSERT INTO failure (bucket, site, id, at, result, why, fetcher)
SELECT ((id >> 36) % {buckets})::integer, (id >> 36)::integer, id, at, result, why, fetcher
FROM unnest(?::bigint[], ?::float8[], ?::text[], ?::text[], ?::text[]) AS new (id, at, result, why, fetcher)
ON CONFLICT (bucket, site, id) DO UPDATE SET at = excluded.at, result = excluded.result, why = excluded.why, fetcher = excluded.fetcher;

-- name: remove_failures
-- Pages of which something came again, or that are removed.
DELETE FROM failure WHERE id IN (SELECT value FROM json_each(:pages));

-- name: remove_failures/postgres
-- The set is an array, whose members an index finds.
DELETE FROM failure USING unnest(:pages::bigint[]) AS wanted (id)
WHERE failure.bucket = ((wanted.id >> 36) % {buckets})::integer AND failure.site = (wanted.id >> 36)::integer AND failure.id = wanted.id {here_failure};

-- name: forget_failures
-- Forgets why sites could not be asked long ago; no page has failed by that.
DELETE FROM failure WHERE result = 'skipped' AND at < :before;

-- name: free_sites
-- Sites after the reports of their lists: as ``reports.SiteAfter``.
UPDATE site SET lease = 0, ready = ?1, next_allowed = ?2, next_due = ?3, visited = visited + ?4, sum_visited = sum_visited + ?5,
    sum_rate = sum_rate + ?6, errors = ?7, slow = ?8, delay = ?9, price = ?10, soft_404 = soft_404 + ?11,
    trouble = coalesce(?14, trouble), well = well + ?15, failed = failed + ?16, left_out = left_out + ?17 WHERE id = ?13 AND ?12 = 0;

-- name: free_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET lease = 0, ready = new.ready, next_allowed = new.next_allowed, next_due = new.next_due,
    visited = site.visited + new.visited, sum_visited = site.sum_visited + new.sum_visited, sum_rate = site.sum_rate + new.sum_rate,
    errors = new.errors, slow = new.slow, delay = new.delay, price = new.price, soft_404 = site.soft_404 + new.soft_404,
    trouble = coalesce(new.trouble, site.trouble), well = site.well + new.well, failed = site.failed + new.failed,
    left_out = site.left_out + new.left_out
FROM unnest(?::float8[], ?::float8[], ?::float8[], ?::integer[], ?::float8[], ?::float8[], ?::integer[], ?::float8[],
    ?::float8[], ?::float8[], ?::integer[], ?::bigint[], ?::integer[], ?::bigint[], ?::integer[], ?::integer[], ?::integer[])
    AS new (ready, next_allowed, next_due, visited, sum_visited, sum_rate, errors, slow, delay, price, soft_404, ended, id, trouble, well, failed, left_out)
WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: keep_sites
-- Sites after reports that do not free them: nothing becomes earlier.
UPDATE site SET next_allowed = max(next_allowed, ?2), next_due = min(next_due, ?3), visited = visited + ?4, sum_visited = sum_visited + ?5,
    sum_rate = sum_rate + ?6, errors = ?7, slow = ?8, delay = ?9, soft_404 = soft_404 + ?11,
    lease = CASE WHEN lease = ?12 THEN 0 ELSE lease END, state = 0, ready = max(ready, ?2),
    trouble = coalesce(?14, trouble), well = well + ?15, failed = failed + ?16, left_out = left_out + ?17 WHERE id = ?13;

-- name: keep_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET next_allowed = greatest(site.next_allowed, new.next_allowed), next_due = least(site.next_due, new.next_due),
    visited = site.visited + new.visited, sum_visited = site.sum_visited + new.sum_visited, sum_rate = site.sum_rate + new.sum_rate,
    errors = new.errors, slow = new.slow, delay = new.delay, soft_404 = site.soft_404 + new.soft_404,
    lease = CASE WHEN site.lease = new.ended THEN 0 ELSE site.lease END, state = 0, ready = greatest(site.ready, new.next_allowed),
    trouble = coalesce(new.trouble, site.trouble), well = site.well + new.well, failed = site.failed + new.failed,
    left_out = site.left_out + new.left_out
FROM unnest(?::float8[], ?::float8[], ?::float8[], ?::integer[], ?::float8[], ?::float8[], ?::integer[], ?::float8[],
    ?::float8[], ?::float8[], ?::integer[], ?::bigint[], ?::integer[], ?::bigint[], ?::integer[], ?::integer[], ?::integer[])
    AS new (ready, next_allowed, next_due, visited, sum_visited, sum_rate, errors, slow, delay, price, soft_404, ended, id, trouble, well, failed, left_out)
WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: put_addresses_of_sites
-- Where sites were found: IPv4, IPv6, site.
UPDATE site SET ipv4 = coalesce(nullif(?1, ''), ipv4), ipv6 = coalesce(nullif(?2, ''), ipv6) WHERE id = ?3;

-- name: put_addresses_of_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET ipv4 = coalesce(nullif(new.ipv4, ''), site.ipv4), ipv6 = coalesce(nullif(new.ipv6, ''), site.ipv6)
FROM unnest(?::text[], ?::text[], ?::integer[]) AS new (ipv4, ipv6, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: end_leases
-- Forgets lists that were reported.
DELETE FROM lease WHERE number IN (SELECT value FROM json_each(:leases));

-- name: end_leases/postgres
-- The sets are arrays, whose members an index finds.
DELETE FROM lease USING unnest(:buckets::integer[], :leases::bigint[]) AS old (bucket, number)
WHERE lease.bucket = old.bucket AND lease.number = old.number {here_lease};

-- name: shorten_leases
-- Keeps lists with those of their pages that are not reported yet: pages, site, list.
UPDATE lease SET pages = ?1 WHERE number = ?3;

-- name: shorten_leases/postgres (arrays)
-- All rows at once.
UPDATE lease SET pages = new.pages FROM unnest(?::bytea[], ?::integer[], ?::bigint[]) AS new (pages, site, number)
WHERE lease.bucket = new.site % {buckets} AND lease.number = new.number {here_lease};

-- name: renew_leases
-- Renews lists of which only a part was reported: from, until, site, list.
UPDATE lease SET at = ?1, until = ?2 WHERE number = ?4;

-- name: renew_leases/postgres (arrays)
-- All rows at once.
UPDATE lease SET at = new.at, until = new.until FROM unnest(?::float8[], ?::float8[], ?::integer[], ?::bigint[])
    AS new (at, until, site, number) WHERE lease.bucket = new.site % {buckets} AND lease.number = new.number {here_lease};

-- name: prolong_sites
-- The sites of renewed lists: until, ready, site.
UPDATE site SET until = ?, ready = max(ready, ?) WHERE id = ?;

-- name: prolong_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET until = new.until, ready = greatest(site.ready, new.ready)
FROM unnest(?::float8[], ?::float8[], ?::integer[]) AS new (until, ready, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: count_visits
-- Counts what was visited.
UPDATE total SET visits = visits + :visits, visited = visited + :first_visits, sum_visited = sum_visited + :sum_visited,
    well = well + :well, failed = failed + :failed, left_out = left_out + :left_out WHERE bucket = :part;

-- name: add_round_trips
-- Measurements: site, fetcher, at, seconds.
INSERT INTO round_trip (site, fetcher, at, seconds) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: add_round_trips/postgres (arrays)
-- All rows at once.
INSERT INTO round_trip (bucket, site, fetcher, at, seconds) SELECT site % {buckets}, site, fetcher, at, seconds
FROM unnest(?::integer[], ?::text[], ?::float8[], ?::float8[]) AS new (site, fetcher, at, seconds)
ON CONFLICT DO NOTHING;

-- name: forget_round_trips
-- Forgets old measurements.
DELETE FROM round_trip WHERE at < :before;

-- locks on single pages ----------------------------------------------------------------------------------------------

-- name: crawls
-- Crawls by name, with sites or without.
SELECT name, id FROM crawl ORDER BY name;

-- name: some_site
-- A site of a crawl.
SELECT id FROM site WHERE crawl = :crawl LIMIT 1;

-- name: crawl_number
-- The number of a crawl.
SELECT id FROM crawl WHERE name = :name;

-- name: add_crawl
-- A crawl, unless it is there.
INSERT INTO crawl (id, name) SELECT max(id) + 1, CAST(:name AS text) FROM crawl WHERE true ON CONFLICT DO NOTHING;

-- name: pick_one
-- One site by its name, if it may be served now and nobody else is looking at it.
SELECT id, name, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big, locked, crawl_limit > 0 AND completed >= crawl_limit, price
FROM site WHERE bucket = :bucket AND crawl = :crawl AND name = :key AND next_allowed <= :now AND blocked <= :now AND (lease = 0 OR until <= :now) {skip_locked};

-- name: forget_locks_of_sites
-- Forgets locks of these sites that have ended.
DELETE FROM page_lock WHERE until <= :now AND id IN (
    SELECT page_lock.id FROM json_each(:sites) AS wanted
    CROSS JOIN page_lock ON page_lock.id BETWEEN wanted.value << 36 AND (wanted.value << 36) + 68719476735);

-- name: forget_locks_of_sites/postgres
-- The set is an array, whose members an index finds.
DELETE FROM page_lock USING unnest(:sites::integer[]) AS wanted (number)
WHERE page_lock.bucket = wanted.number % {buckets} AND page_lock.site = wanted.number {here_page_lock} AND until <= :now;

-- name: locks_of_sites
-- How many pages of these sites are locked, and when the first lock ends.
SELECT wanted.value, count(*), min(page_lock.until) FROM json_each(:sites) AS wanted
CROSS JOIN page_lock ON page_lock.id BETWEEN wanted.value << 36 AND (wanted.value << 36) + 68719476735 GROUP BY wanted.value;

-- name: locks_of_sites/postgres
-- The set is an array, whose members an index finds.
SELECT site, count(*), min(until) FROM unnest(:sites::integer[]) AS wanted (number)
JOIN page_lock ON page_lock.bucket = wanted.number % {buckets} AND page_lock.site = wanted.number {here_page_lock} GROUP BY site;

-- name: add_locks
-- Locks pages: page, until.
INSERT INTO page_lock (id, until) VALUES {rows} ON CONFLICT (id) DO UPDATE SET until = excluded.until;

-- name: add_locks/postgres (arrays)
-- All rows at once.
INSERT INTO page_lock (bucket, site, id, until) SELECT ((id >> 36) % {buckets})::integer, (id >> 36)::integer, id, until FROM unnest(?::bigint[], ?::float8[]) AS new (id, until)
ON CONFLICT (bucket, site, id) DO UPDATE SET until = excluded.until;

-- name: renew_locks
-- Pages that are still locked stay so: until, page.
UPDATE page_lock SET until = max(until, ?1) WHERE id = ?2;

-- name: renew_locks/postgres (arrays)
-- All rows at once.
UPDATE page_lock SET until = greatest(page_lock.until, new.until) FROM unnest(?::float8[], ?::bigint[]) AS new (until, id)
WHERE page_lock.bucket = ((new.id >> 36) % {buckets})::integer AND page_lock.site = (new.id >> 36)::integer AND page_lock.id = new.id {here_page_lock};

-- name: renew_sites
-- Sites of such pages: until, site.
UPDATE site SET locked = max(locked, ?1) WHERE id = ?2;

-- name: renew_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET locked = greatest(site.locked, new.until) FROM unnest(?::float8[], ?::integer[]) AS new (until, id)
WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: remove_locks
-- Unlocks pages.
DELETE FROM page_lock WHERE id IN (SELECT value FROM json_each(:pages));

-- name: remove_locks/postgres
-- The set is an array, whose members an index finds.
DELETE FROM page_lock USING unnest(:pages::bigint[]) AS wanted (id)
WHERE page_lock.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_lock.site = (wanted.id >> 36)::integer AND page_lock.id = wanted.id {here_page_lock};

-- name: forget_locks
-- Forgets locks that have ended.
DELETE FROM page_lock WHERE until <= :now;

-- name: serve_sites
-- Sites some pages of which were locked: ready, next allowed, next due, served, locked, price, site.
UPDATE site SET lease = 0, state = 0, ready = ?1, next_allowed = ?2, next_due = ?3, served = ?4, locked = max(locked, ?5), price = ?6 WHERE id = ?7;

-- name: serve_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET lease = 0, state = 0, ready = new.ready, next_allowed = new.next_allowed, next_due = new.next_due, served = new.served,
    locked = greatest(site.locked, new.locked), price = new.price
FROM unnest(?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::float8[], ?::integer[])
    AS new (ready, next_allowed, next_due, served, locked, price, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: pause_sites
-- Sites with as many locked pages as one client may have: looked at again when one of these is back, or then: ready, site.
UPDATE site SET state = 0, ready = ? WHERE id = ?;

-- name: pause_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET state = 0, ready = new.ready FROM unnest(?::float8[], ?::integer[]) AS new (ready, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: metadata
-- What is kept with pages.
SELECT page_metadata.id, page_metadata.metadata FROM json_each(:pages) AS wanted CROSS JOIN page_metadata ON page_metadata.id = wanted.value;

-- name: metadata/postgres
-- The set is an array, whose members an index finds.
SELECT page_metadata.id, page_metadata.metadata FROM unnest(:pages::bigint[]) AS wanted (id)
JOIN page_metadata ON page_metadata.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_metadata.site = (wanted.id >> 36)::integer AND page_metadata.id = wanted.id {here_page_metadata};

-- name: put_metadata
-- Keeps something with pages: page, text.
INSERT INTO page_metadata (id, metadata) VALUES {rows} ON CONFLICT (id) DO UPDATE SET metadata = excluded.metadata;

-- name: put_metadata/postgres (arrays)
-- All rows at once.
INSERT INTO page_metadata (bucket, site, id, metadata) SELECT ((id >> 36) % {buckets})::integer, (id >> 36)::integer, id, metadata
FROM unnest(?::bigint[], ?::text[]) AS new (id, metadata) ON CONFLICT (bucket, site, id) DO UPDATE SET metadata = excluded.metadata;

-- name: remove_metadata
-- Keeps nothing with pages.
DELETE FROM page_metadata WHERE id IN (SELECT value FROM json_each(:pages));

-- name: remove_metadata/postgres
-- The set is an array, whose members an index finds.
DELETE FROM page_metadata USING unnest(:pages::bigint[]) AS wanted (id)
WHERE page_metadata.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_metadata.site = (wanted.id >> 36)::integer AND page_metadata.id = wanted.id {here_page_metadata};

-- name: depths
-- How far pages are from where their crawl began, of those where that was counted.
SELECT page_depth.id, page_depth.depth FROM json_each(:pages) AS wanted CROSS JOIN page_depth ON page_depth.id = wanted.value;

-- name: depths/postgres
-- The set is an array, whose members an index finds.
SELECT page_depth.id, page_depth.depth FROM unnest(:pages::bigint[]) AS wanted (id)
JOIN page_depth ON page_depth.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_depth.site = (wanted.id >> 36)::integer AND page_depth.id = wanted.id {here_page_depth};

-- name: put_depths
-- Notes how far pages are from where their crawl began: page, depth. What they lead to is nearer, too.
INSERT INTO page_depth (id, depth) VALUES {rows} ON CONFLICT (id) DO UPDATE SET depth = excluded.depth, open = 1;

-- name: put_depths/postgres (arrays)
-- All rows at once.
INSERT INTO page_depth (bucket, site, id, depth) SELECT ((id >> 36) % {buckets})::integer, (id >> 36)::integer, id, depth
FROM unnest(?::bigint[], ?::integer[]) AS new (id, depth) ON CONFLICT (bucket, site, id) DO UPDATE SET depth = excluded.depth, open = 1;

-- name: keep_links
-- What pages lead to, and whether that is still to be followed: links, open, page.
UPDATE page_depth SET links = ?1, open = ?2 WHERE id = ?3;

-- name: keep_links/postgres (arrays)
-- All rows at once.
UPDATE page_depth SET links = new.links, open = new.open FROM unnest(?::bytea[], ?::smallint[], ?::bigint[]) AS new (links, open, id)
WHERE page_depth.bucket = ((new.id >> 36) % {buckets})::integer AND page_depth.site = (new.id >> 36)::integer AND page_depth.id = new.id {here_page_depth};

-- name: open_links
-- Some pages whose links can be followed now, the nearest first; :depth 0: however far they are.
SELECT page_depth.id, site.crawl, page_depth.depth, page_depth.links FROM page_depth JOIN site ON site.id = page_depth.id >> 36
WHERE page_depth.open = 1 AND page_depth.links IS NOT NULL AND (page_depth.depth < :depth OR :depth = 0) ORDER BY page_depth.depth LIMIT :limit;

-- name: open_links/postgres
-- Where their sites are.
SELECT page_depth.id, site.crawl, page_depth.depth, page_depth.links FROM page_depth
JOIN site ON site.bucket = page_depth.bucket AND site.id = page_depth.site
WHERE page_depth.open = 1 AND page_depth.links IS NOT NULL AND (page_depth.depth < :depth OR :depth = 0) ORDER BY page_depth.depth LIMIT :limit;

-- name: close_links
-- The links of pages are followed.
UPDATE page_depth SET open = 0 WHERE id IN (SELECT value FROM json_each(:pages));

-- name: close_links/postgres
-- The set is an array, whose members an index finds.
UPDATE page_depth SET open = 0 FROM unnest(:pages::bigint[]) AS wanted (id)
WHERE page_depth.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_depth.site = (wanted.id >> 36)::integer AND page_depth.id = wanted.id {here_page_depth};

-- name: begin_at_pages
-- A crawl begins with these pages, too: what they lead to is nearer.
UPDATE page_depth SET depth = 0, open = 1 WHERE id IN (SELECT value FROM json_each(:pages));

-- name: begin_at_pages/postgres
-- The set is an array, whose members an index finds.
UPDATE page_depth SET depth = 0, open = 1 FROM unnest(:pages::bigint[]) AS wanted (id)
WHERE page_depth.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_depth.site = (wanted.id >> 36)::integer AND page_depth.id = wanted.id {here_page_depth};

-- name: remove_depths
-- Of pages that are gone.
DELETE FROM page_depth WHERE id IN (SELECT value FROM json_each(:pages));

-- name: remove_depths/postgres
-- The set is an array, whose members an index finds.
DELETE FROM page_depth USING unnest(:pages::bigint[]) AS wanted (id)
WHERE page_depth.bucket = ((wanted.id >> 36) % {buckets})::integer AND page_depth.site = (wanted.id >> 36)::integer AND page_depth.id = wanted.id {here_page_depth};

-- name: pages_to_settle
-- Pages that a client comes back with: number, last visit, status, failures, whether it was locked.
SELECT page.id, page.visited, page.status, page.failures, EXISTS (SELECT 1 FROM page_lock WHERE page_lock.id = page.id)
FROM json_each(:pages) AS wanted CROSS JOIN page ON page.id = wanted.value;

-- name: pages_to_settle/postgres
-- The set is an array, whose members an index finds.
SELECT page.id, page.visited, page.status, page.failures, EXISTS (SELECT 1 FROM page_lock WHERE page_lock.bucket = page.bucket AND page_lock.site = page.site AND page_lock.id = page.id {here_page_lock})
FROM unnest(:pages::bigint[]) AS wanted (id) JOIN page ON page.bucket = ((wanted.id >> 36) % {buckets})::integer AND page.site = (wanted.id >> 36)::integer AND page.id = wanted.id {here_page};

-- name: settle_pages
-- Pages as a client wants them: due, visited, status, page.
UPDATE page SET due = ?, visited = ?, status = ?, failures = 0, spare = NULL WHERE id = ?;

-- name: settle_pages/postgres (arrays)
-- All rows at once.
UPDATE page SET due = new.due, visited = new.visited, status = new.status, failures = 0
FROM unnest(?::float8[], ?::float8[], ?::smallint[], ?::bigint[]) AS new (due, visited, status, id)
WHERE page.bucket = ((new.id >> 36) % {buckets})::integer AND page.site = (new.id >> 36)::integer AND page.id = new.id {here_page};

-- name: settle_sites
-- Sites of such pages: visited, sum of visits, completed, backlog, first due, site, last due, nothing before (0: nobody said so), well,
-- failed, left out.
UPDATE site SET visited = visited + ?1, sum_visited = sum_visited + ?2, completed = completed + ?3, backlog = backlog + ?4,
    dated = max(dated, ?7), next_due = min(next_due, ?5), next_allowed = max(next_allowed, ?8),
    well = well + ?9, failed = failed + ?10, left_out = left_out + ?11,
    state = CASE WHEN ?8 > 0 THEN 0 ELSE state END,
    ready = CASE WHEN lease <> 0 OR (state = 1 AND ?8 = 0) THEN ready ELSE max(next_allowed, ?8, blocked, min(next_due, ?5)) END
WHERE id = ?6;

-- name: settle_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET visited = site.visited + new.visited, sum_visited = site.sum_visited + new.sum_visited,
    completed = site.completed + new.completed, backlog = site.backlog + new.backlog, next_due = least(site.next_due, new.due),
    dated = greatest(site.dated, new.dated), next_allowed = greatest(site.next_allowed, new.quiet),
    well = site.well + new.well, failed = site.failed + new.failed, left_out = site.left_out + new.left_out,
    state = CASE WHEN new.quiet > 0 THEN 0 ELSE site.state END,
    ready = CASE WHEN site.lease <> 0 OR (site.state = 1 AND new.quiet = 0) THEN site.ready
        ELSE greatest(site.next_allowed, new.quiet, site.blocked, least(site.next_due, new.due)) END
FROM unnest(?::integer[], ?::float8[], ?::integer[], ?::integer[], ?::float8[], ?::integer[], ?::float8[], ?::float8[], ?::integer[], ?::integer[],
    ?::integer[]) AS new (visited, sum_visited, completed, backlog, due, id, dated, quiet, well, failed, left_out)
WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: prices
-- What a visit costs at sites.
SELECT id, price FROM site WHERE id IN (SELECT value FROM json_each(:sites));

-- name: prices/postgres
-- The set is an array, whose members an index finds.
SELECT id, price FROM unnest(:sites::integer[]) AS wanted (number)
JOIN site ON site.bucket = wanted.number % {buckets} AND site.id = wanted.number {here_site};

-- name: learn_pages
-- What visits taught: looks, changes, span, rate, content, page.
UPDATE page SET looks = ?, changes = ?, span = ?, rate = ?, content = ? WHERE id = ?;

-- name: learn_pages/postgres (arrays)
-- All rows at once.
UPDATE page SET looks = new.looks, changes = new.changes, span = new.span, rate = new.rate, content = new.content
FROM unnest(?::integer[], ?::integer[], ?::float8[], ?::float8[], ?::text[], ?::bigint[]) AS new (looks, changes, span, rate, content, id)
WHERE page.bucket = ((new.id >> 36) % {buckets})::integer AND page.site = (new.id >> 36)::integer AND page.id = new.id {here_page};

-- name: learn_sites
-- What that adds to sums: rate, site.
UPDATE site SET sum_rate = sum_rate + ? WHERE id = ?;

-- name: learn_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET sum_rate = site.sum_rate + new.rate FROM unnest(?::float8[], ?::integer[]) AS new (rate, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: set_limit
-- How many completed pages of a site are enough; it is looked at again.
UPDATE site SET crawl_limit = :limit, next_due = min(next_due, 0.0), state = 0,
    ready = CASE WHEN lease = 0 THEN max(next_allowed, blocked) ELSE ready END WHERE bucket = :bucket AND crawl = :crawl AND name = :site;

-- name: queue_names
-- Sites of a crawl by name; only those with something to fetch that are not blocked, or all.
SELECT name FROM site WHERE crawl = :crawl {active} ORDER BY name LIMIT :limit OFFSET :start;

-- name: count_queue_names
-- How many these are.
SELECT count(*) FROM site WHERE crawl = :crawl {active};

-- name: queue_sums
-- Sites, pages, completed pages and sites with something to fetch: of a crawl, or of one site of it.
SELECT count(*), coalesce(CAST(sum(urls) AS bigint), 0), coalesce(CAST(sum(completed) AS bigint), 0), count(*) FILTER (WHERE urls > completed)
FROM site WHERE crawl = :crawl {one};

-- name: count_locks
-- Pages of a crawl, or of one site of it, that are locked.
SELECT count(*) FROM page_lock CROSS JOIN site WHERE site.bucket = page_lock.bucket AND site.id = page_lock.site AND page_lock.until > :now AND site.crawl = :crawl {one};

-- name: sites_after
-- Sites of a crawl after a number, and how many pages they have.
SELECT id, name, urls FROM site WHERE crawl = :crawl AND id > :after {one} ORDER BY id LIMIT :limit;

-- name: stored_pages
-- Pages of a site after a number, as they are stored.
SELECT page.id, address.url, page.due, page.status, address.discovered, page_metadata.metadata, page.visited, page.failures
FROM page JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id {here_address}
LEFT JOIN page_metadata ON page_metadata.bucket = page.bucket AND page_metadata.site = page.site AND page_metadata.id = page.id {here_page_metadata}
WHERE page.bucket = :site % {buckets} AND page.site = :site {here_page} AND page.id > :after AND page.id <= :last ORDER BY page.id LIMIT :limit;

-- name: page_facts
-- What visits have taught about a page, as ``crawls.PageFacts``.
SELECT page.visited, page.failures, page.looks, page.changes, page.rate, page.content, address.etag, address.last_modified,
    address.pagerank, address.in_degree, failure.at, failure.result, failure.why, failure.fetcher
FROM page JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id {here_address}
LEFT JOIN failure ON failure.bucket = page.bucket AND failure.site = page.site AND failure.id = page.id {here_failure}
WHERE page.bucket = :site % {buckets} AND page.site = :site {here_page} AND page.id = :page;

-- name: failures
-- Pages of which nothing came at their last try, the newest first.
SELECT address.url, site.name, failure.at, failure.result, failure.why, failure.fetcher, page.due
FROM failure JOIN page ON page.bucket = failure.bucket AND page.site = failure.site AND page.id = failure.id
JOIN address ON address.bucket = failure.bucket AND address.site = failure.site AND address.id = failure.id
JOIN site ON site.bucket = failure.bucket AND site.id = failure.site
WHERE failure.result NOT IN ('excluded', 'skipped') AND (page.visited IS NULL OR page.visited <= failure.at)
ORDER BY failure.at DESC LIMIT :limit;

-- name: failures_of_site
-- The same of one site, with those that nobody was asked for.
SELECT address.url, CAST(:name AS text), failure.at, failure.result, failure.why, failure.fetcher, page.due
FROM failure JOIN page ON page.bucket = failure.bucket AND page.site = failure.site AND page.id = failure.id {here_page}
JOIN address ON address.bucket = failure.bucket AND address.site = failure.site AND address.id = failure.id {here_address}
WHERE failure.bucket = :site % {buckets} AND failure.site = :site {here_failure} AND failure.id BETWEEN :first AND :last
AND (page.visited IS NULL OR page.visited <= failure.at) ORDER BY failure.at DESC LIMIT :limit;

-- name: count_failures
-- Of the newest of them, how many have the same result and words.
SELECT newest.result, newest.why, count(*) FROM (
    SELECT failure.result, failure.why
    FROM failure JOIN page ON page.bucket = failure.bucket AND page.site = failure.site AND page.id = failure.id
    WHERE failure.result NOT IN ('excluded', 'skipped') AND (page.visited IS NULL OR page.visited <= failure.at)
    ORDER BY failure.at DESC LIMIT :limit
) AS newest GROUP BY newest.result, newest.why;

-- name: count_failures_of_site
-- The same of one site, with those that nobody was asked for.
SELECT newest.result, newest.why, count(*) FROM (
    SELECT failure.result, failure.why
    FROM failure JOIN page ON page.bucket = failure.bucket AND page.site = failure.site AND page.id = failure.id {here_page}
    WHERE failure.bucket = :site % {buckets} AND failure.site = :site {here_failure} AND failure.id BETWEEN :first AND :last
    AND (page.visited IS NULL OR page.visited <= failure.at) ORDER BY failure.at DESC LIMIT :limit
) AS newest GROUP BY newest.result, newest.why;

-- name: lease_of_page
-- The list that holds the site of a page now.
SELECT lease.fetcher, lease.until, lease.pages FROM site JOIN lease ON lease.bucket = site.bucket AND lease.number = site.lease {here_lease}
WHERE site.bucket = :site % {buckets} AND site.id = :site {here_site} AND site.lease <> 0;

-- name: stored_pages_of_sites
-- All pages of some sites, as they are stored.
SELECT page.id, address.url, page.due, page.status, address.discovered, page_metadata.metadata, page.visited, page.failures
FROM json_each(:sites) AS wanted
CROSS JOIN page ON page.id BETWEEN wanted.value << 36 AND (wanted.value << 36) + 68719476735
CROSS JOIN address ON address.id = page.id LEFT JOIN page_metadata ON page_metadata.id = page.id;

-- name: stored_pages_of_sites/postgres
-- The set is an array, whose members an index finds.
SELECT page.id, address.url, page.due, page.status, address.discovered, page_metadata.metadata, page.visited, page.failures
FROM unnest(:sites::integer[]) WITH ORDINALITY AS wanted (site, place) JOIN page ON page.bucket = wanted.site % {buckets} AND page.site = wanted.site {here_page}
JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id {here_address}
LEFT JOIN page_metadata ON page_metadata.bucket = page.bucket AND page_metadata.site = page.site AND page_metadata.id = page.id {here_page_metadata} ORDER BY wanted.place, page.id;

-- removing -----------------------------------------------------------------------------------------------------------

-- name: lock_site
-- A site, for whoever removes pages of it.
;  -- nothing, since one transaction writes at a time

-- name: lock_site/postgres
-- Many transactions write at a time.
SELECT id FROM site WHERE bucket = :site % {buckets} AND id = :site {here_site} FOR UPDATE;

-- name: lists_of_site
-- The pages of lists of a site that somebody may still report.
SELECT pages FROM lease WHERE bucket = :site % {buckets} AND site = :site {here_lease};

-- name: pages_to_remove
-- Pages of a site found before a time, but for these.
SELECT id FROM address WHERE id BETWEEN :first AND :last AND coalesce(discovered, 0) < :before
AND id NOT IN (SELECT value FROM json_each(:kept)) ORDER BY id LIMIT :limit;

-- name: pages_to_remove/postgres
-- The set is an array.
SELECT id FROM address WHERE bucket = :site % {buckets} AND site = :site {here_address} AND id BETWEEN :first AND :last AND coalesce(discovered, 0) < :before
AND id <> ALL(:kept::bigint[]) ORDER BY id LIMIT :limit;

-- name: sums_to_remove
-- What pages of a site add to its sums: as ``remove_from_site`` has them.
SELECT count(*), count(page.visited), coalesce(sum(page.visited), 0.0), coalesce(sum(page.rate), 0.0), coalesce(sum(address.pagerank), 0.0),
    coalesce(CAST(sum(address.in_degree) AS bigint), 0), coalesce(sum(address.cash), 0.0),
    count(*) FILTER (WHERE page.status = 5), count(*) FILTER (WHERE page.status = 6), count(*) FILTER (WHERE page.visited IS NOT NULL AND page.status NOT IN (1, 2, 3, 4) AND page.failures = 0),
    count(*) FILTER (WHERE page.status IN (2, 3, 4) OR (page.status <> 1 AND page.failures > 0)), count(*) FILTER (WHERE page.status = 1)
FROM json_each(:pages) AS wanted CROSS JOIN page ON page.id = wanted.value CROSS JOIN address ON address.id = page.id;

-- name: sums_to_remove/postgres
-- The set is an array, whose members an index finds.
SELECT count(*), count(page.visited), coalesce(sum(page.visited), 0.0), coalesce(sum(page.rate), 0.0), coalesce(sum(address.pagerank), 0.0),
    coalesce(CAST(sum(address.in_degree) AS bigint), 0), coalesce(sum(address.cash), 0.0),
    count(*) FILTER (WHERE page.status = 5), count(*) FILTER (WHERE page.status = 6), count(*) FILTER (WHERE page.visited IS NOT NULL AND page.status NOT IN (1, 2, 3, 4) AND page.failures = 0),
    count(*) FILTER (WHERE page.status IN (2, 3, 4) OR (page.status <> 1 AND page.failures > 0)), count(*) FILTER (WHERE page.status = 1)
FROM unnest(:pages::bigint[]) AS wanted (id) JOIN page ON page.bucket = :site % {buckets} AND page.site = :site AND page.id = wanted.id {here_page}
JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id {here_address};

-- name: remove_pages
-- Removes pages, the changing part.
DELETE FROM page WHERE id IN (SELECT value FROM json_each(:pages));

-- name: remove_pages/postgres
-- The set is an array, whose members an index finds.
DELETE FROM page WHERE bucket = :site % {buckets} AND site = :site {here_page} AND id = ANY(:pages::bigint[]);

-- name: remove_big_pages
-- The same in what is ordered by due time.
;  -- nothing, since its index follows by itself

-- name: remove_big_pages/postgres
-- In a table of its own.
DELETE FROM big_page WHERE bucket = :site % {buckets} AND site = :site {here_big_page} AND id = ANY(:pages::bigint[]);

-- name: remove_addresses
-- Removes pages, the lasting part.
DELETE FROM address WHERE id IN (SELECT value FROM json_each(:pages));

-- name: remove_addresses/postgres
-- The set is an array, whose members an index finds.
DELETE FROM address WHERE bucket = :site % {buckets} AND site = :site {here_address} AND id = ANY(:pages::bigint[]);

-- name: remove_edges
-- Removes the links of pages.
DELETE FROM edge WHERE source IN (SELECT value FROM json_each(:pages));

-- name: remove_edges/postgres
-- The set is an array, whose members an index finds.
DELETE FROM edge WHERE bucket = :site % {buckets} {here_edge} AND source = ANY(:pages::bigint[]);

-- name: remove_from_site
-- A site without some of its pages; it is looked at again.
UPDATE site SET urls = urls - :urls, visited = visited - :visited, sum_visited = sum_visited - :sum_visited, sum_rate = sum_rate - :sum_rate,
    sum_pagerank = sum_pagerank - :sum_pagerank, sum_in_degree = sum_in_degree - :sum_in_degree, cash = cash - :cash,
    backlog = backlog - :backlog, completed = completed - :completed, well = well - :well, failed = failed - :failed,
    left_out = left_out - :left_out, state = 0,
    ready = CASE WHEN lease <> 0 THEN ready WHEN urls > :urls THEN max(next_allowed, blocked, next_due) ELSE CAST(:never AS float8) END,
    next_due = CASE WHEN urls > :urls THEN next_due ELSE CAST(:never AS float8) END
WHERE bucket = :site % {buckets} AND id = :site {here_site};

-- name: remove_from_totals
-- Totals without some pages, links and sites.
UPDATE total SET urls = urls - :urls, visited = visited - :visited, sum_visited = sum_visited - :sum_visited, backlog = backlog - :backlog,
    well = well - :well, failed = failed - :failed, left_out = left_out - :left_out, edges = edges - :edges, sites = sites - :sites
WHERE bucket = :part;

-- name: date_site
-- When the first page was found that a site still has.
UPDATE site SET discovered = (SELECT min(discovered) FROM address WHERE address.bucket = :site % {buckets} AND address.site = :site {here_address} AND address.id BETWEEN :first AND :last)
WHERE bucket = :site % {buckets} AND id = :site {here_site};

-- name: remove_lists_of_site
-- Forgets the lists of a site.
DELETE FROM lease WHERE bucket = :site % {buckets} AND site = :site {here_lease};

-- name: remove_round_trips_of_site
-- Forgets measurements of a site.
DELETE FROM round_trip WHERE bucket = :site % {buckets} AND site = :site {here_round_trip};

-- name: remove_site
-- Removes a site without pages.
DELETE FROM site WHERE bucket = :site % {buckets} AND id = :site {here_site} AND urls = 0;

-- questions ----------------------------------------------------------------------------------------------------------

-- name: totals
-- What is counted.
SELECT known.fetchers, CAST(counted.sites AS bigint), CAST(counted.urls AS bigint), CAST(counted.visited AS bigint), held.leases,
    counted.sum_visited, CAST(counted.visits AS bigint), CAST(counted.edges AS bigint), CAST(counted.backlog AS bigint), held.urls,
    CAST(counted.well AS bigint), CAST(counted.failed AS bigint), CAST(counted.left_out AS bigint)
FROM (SELECT count(*) AS fetchers FROM fetcher) AS known CROSS JOIN (
    SELECT sum(sites) AS sites, sum(urls) AS urls, sum(visited) AS visited, sum(sum_visited) AS sum_visited, sum(visits) AS visits,
        sum(edges) AS edges, sum(backlog) AS backlog, sum(well) AS well, sum(failed) AS failed, sum(left_out) AS left_out FROM total
) AS counted CROSS JOIN (
    SELECT count(*) AS leases, CAST(coalesce(sum(length(lease.pages)), 0) / 8 AS bigint) AS urls FROM lease JOIN site ON site.bucket = lease.bucket AND site.id = lease.site AND site.lease = lease.number
) AS held;

-- name: count_waiting
-- Sites that may be handed out now, and those with something to fetch later, leased ones among them; from the indexes alone.
SELECT waiting.due + available.sites, waiting.later
FROM (SELECT count(*) FILTER (WHERE ready <= :now) AS due, count(*) FILTER (WHERE ready > :now AND ready < 1e300) AS later FROM site WHERE state = 0) AS waiting
CROSS JOIN (SELECT count(*) AS sites FROM site WHERE state = 1) AS available;

-- name: holdings
-- How many sites each fetcher has leased, and when the first of these leases ends.
SELECT lease.fetcher, count(*), min(site.until) FROM lease JOIN site ON site.bucket = lease.bucket AND site.id = lease.site AND site.lease = lease.number
GROUP BY lease.fetcher;

-- name: site_facts
-- Sites after one, by name.
SELECT site.name, site.tld, site.hash, site.delay, site.ready, coalesce(lease.fetcher, ''), CASE WHEN site.lease = 0 THEN NULL ELSE site.until END,
    site.urls, site.visited, site.discovered, site.sum_visited, site.sum_pagerank, site.sum_rate, site.sum_in_degree, site.cash,
    site.errors, site.slow, site.backlog, site.home, site.ipv4, site.ipv6, site.blocked, site.crawl_limit, site.completed,
    site.well, site.failed, site.left_out, failure.at, failure.result, failure.why, failure.fetcher
FROM site LEFT JOIN lease ON lease.bucket = site.bucket AND lease.number = site.lease AND site.lease <> 0
LEFT JOIN failure ON failure.bucket = site.bucket AND failure.site = site.id AND failure.id = site.trouble
WHERE site.crawl = :crawl AND site.name {which} :site ORDER BY site.name LIMIT :limit;

-- name: set_delay
-- The crawl delay of a site. It counts from the last time that pages were locked, if that is what it waits for.
UPDATE site SET delay = CAST(:delay AS float8), state = 0,
    next_allowed = CASE WHEN served > 0 THEN served + CAST(:pause AS float8) ELSE next_allowed END,
    ready = max(CASE WHEN served > 0 THEN served + CAST(:pause AS float8) ELSE next_allowed END, blocked,
        CASE WHEN lease = 0 THEN next_due ELSE until END)
WHERE bucket = :bucket AND crawl = :crawl AND name = :site;

-- name: set_default_delay
-- The same for sites without a delay of their own, where it makes a difference.
UPDATE site SET next_allowed = served + CAST(:delay AS float8), state = 0, ready = max(served + CAST(:delay AS float8), blocked, next_due)
WHERE delay IS NULL AND served > 0 AND lease = 0 AND max(next_allowed, served + CAST(:delay AS float8)) > :now;

-- name: block
-- No list of a site before then; an earlier time takes a block back.
UPDATE site SET blocked = :until, blocked_at = :now, state = 0,
    ready = max(next_allowed, :until, CASE WHEN lease = 0 THEN next_due ELSE until END) WHERE bucket = :bucket AND crawl = :crawl AND name = :site;

-- name: site_number
-- The number of a site.
SELECT id FROM site WHERE bucket = :bucket AND crawl = :crawl AND name = :site;

-- name: site_range
-- The lowest and highest number of a site, and how many pages there are.
SELECT known.first, known.last, CAST(counted.urls AS bigint)
FROM (SELECT min(id) AS first, max(id) AS last FROM site) AS known CROSS JOIN (SELECT sum(urls) AS urls FROM total) AS counted;

-- name: urls_from
-- URLs of a site from a page number on.
SELECT url FROM address WHERE bucket = :site % {buckets} AND site = :site {here_address} AND id BETWEEN :first AND :last ORDER BY id LIMIT :limit;

-- name: all_urls
-- All URLs.
SELECT url FROM address ORDER BY id;

-- name: get_setting
-- One setting.
SELECT value FROM setting WHERE key = :key;

-- name: put_setting
-- Writes a setting.
INSERT INTO setting (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: keep_late_links
-- Keeps links that lead to a server which does not answer.
;  -- nothing, since there is one file

-- name: keep_late_links/postgres
-- On the coordinator.
INSERT INTO late_link (crawl, at, links) VALUES (:crawl, :at, :links);

-- name: late_links
-- The oldest of them that nobody is adding.
;  -- nothing, since there is one file

-- name: late_links/postgres
-- On the coordinator.
SELECT id, crawl, links FROM late_link ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: forget_late_links
-- They are added.
;  -- nothing, since there is one file

-- name: forget_late_links/postgres
-- On the coordinator.
DELETE FROM late_link WHERE id = :number;

-- name: clear_late_links
-- Nothing is kept for later.
;  -- nothing, since there is one file

-- name: clear_late_links/postgres
-- On the coordinator.
DELETE FROM late_link;

-- name: add_result
-- Keeps what was reported for sinks.
INSERT INTO result (at, size, pages) VALUES (:at, :size, :pages);

-- name: number_results
-- Numbers of results in the order in which readers see them.
;  -- given already, since one transaction writes at a time

-- name: number_results/postgres
-- Only what is committed gets a number, by one hand at a time: no reader sees one before a smaller one.
WITH last AS (SELECT coalesce((SELECT value::bigint FROM setting WHERE key = 'results'), 0) AS number),
fresh AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM result WHERE number IS NULL),
given AS (
    UPDATE result SET number = last.number + fresh.place FROM fresh, last WHERE result.id = fresh.id
    RETURNING result.number
)
INSERT INTO setting (key, value) SELECT 'results', max(number)::text FROM given HAVING count(*) > 0
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: only_reader_of_results
-- One at a time gives numbers.
;  -- nothing, since one transaction writes at a time

-- name: only_reader_of_results/postgres
-- Many transactions write at a time.
SELECT pg_advisory_xact_lock(1634103910, 2);

-- name: results
-- Results from a number on, one at a time: each holds many pages.
SELECT number, at, pages FROM result WHERE number >= :number ORDER BY number LIMIT 1;

-- name: forget_results
-- Drops results of which all pages have been taken.
DELETE FROM result WHERE number * 16777216 + size - 1 <= :taken;

-- name: clear_results
-- Drops all results.
DELETE FROM result;

-- name: wait_all
-- Makes available sites wait again: the order by time needs no other.
UPDATE site SET state = 0 FROM (SELECT bucket, id AS number FROM site WHERE state = 1 {here_site} ORDER BY id {lock_sites}) AS picked
WHERE site.bucket = picked.bucket AND site.id = picked.number {here_site};

-- times --------------------------------------------------------------------------------------------------------------
-- What a clock that was wrong wrote. :late is now and what clocks may differ by.

-- name: latest_done
-- The latest times at which fetchers came, reports were taken over, lists handed out and sites found.
SELECT came.seen, reported.at, leased.at, came.registered, found.discovered
FROM (SELECT max(last_seen) AS seen, max(registered) AS registered FROM fetcher) AS came
CROSS JOIN (SELECT max(at) AS at FROM receipt) AS reported CROSS JOIN (SELECT max(at) AS at FROM lease) AS leased CROSS JOIN (
    SELECT max(site.discovered) AS discovered FROM last_site
    JOIN site ON site.bucket = last_site.bucket AND site.id = last_site.n * {buckets} + last_site.bucket
) AS found;

-- name: latest_ready
-- When the last site of a crawl is ready that nobody has blocked, or given a time, for so long; infinity means never.
SELECT ready FROM site WHERE crawl = :crawl AND state = 0 AND ready < 1e300 AND ready > blocked AND ready > dated ORDER BY ready DESC LIMIT 1;

-- name: visited_ahead
-- Sites with pages visited ahead of now: the latest of these visits, and by how much they lie ahead together.
SELECT site, max(visited), sum(visited - CAST(:now AS float8)) FROM page WHERE visited > :late GROUP BY site;

-- name: leased_ahead
-- Sites with lists handed out ahead of now, and the latest of them.
SELECT site, max(at) FROM lease WHERE at > :late GROUP BY site;

-- name: paused
-- Sites that are not asked for a while: when they are again, their delay, failures in a row, seconds an answer takes.
SELECT id, next_allowed, delay, errors, slow FROM site WHERE next_allowed > :late;

-- name: pull_back_visits
-- Pages visited ahead of now keep their interval.
UPDATE page SET visited = :now,
    due = CASE WHEN due > 1e300 OR due <= (SELECT dated FROM site WHERE site.bucket = page.bucket AND site.id = page.site) THEN due ELSE min(due, :now + max(0.0, min(:longest, due - visited))) END
WHERE visited > :late;

-- name: pull_back_due
-- Pages planned further ahead than any is: at that bound.
UPDATE page SET due = CAST(:now AS float8) + :longest WHERE due > :far AND due < 1e300
    AND due > (SELECT dated FROM site WHERE site.bucket = page.bucket AND site.id = page.site) RETURNING site;

-- name: pull_back_retries
-- Pages that failed, are gone or excluded by robots.txt, and wait longer than that makes them: as long as that.
UPDATE page SET due = :now + CASE WHEN status = 1 THEN CAST(:rules AS float8) WHEN status = 2 THEN :second_look WHEN failures > 20 THEN :longest_retry
        ELSE min(:longest_retry, :retry * (1 << (failures - 1))) END
WHERE due < 1e300 AND (failures > 0 OR status = 1)
    AND due > :late + CASE WHEN status = 1 THEN CAST(:rules AS float8) WHEN status = 2 THEN :second_look WHEN failures > 20 THEN :longest_retry
        ELSE min(:longest_retry, :retry * (1 << (failures - 1))) END
RETURNING site;

-- name: pull_back_big_pages
-- The same in what is ordered by due time.
;  -- nothing, since its index follows by itself

-- name: pull_back_big_pages/postgres
-- In a table of its own.
UPDATE big_page SET due = page.due FROM page
WHERE page.bucket = big_page.bucket AND page.site = big_page.site AND page.id = big_page.id AND big_page.due IS DISTINCT FROM page.due;

-- name: pull_back_discovered
-- Pages found ahead of now.
UPDATE address SET discovered = :now WHERE discovered > :late;

-- name: pull_back_discovered_sites
-- Sites found ahead of now.
UPDATE site SET discovered = :now WHERE discovered > :late;

-- name: pull_back_leases
-- Lists handed out ahead of now, or for too long, end in time.
UPDATE lease SET until = :now + max(0.0, min(:lease, until - max(at, :now))), at = min(at, :now)
WHERE at > :late OR until > :late + CAST(:lease AS float8) RETURNING site;

-- name: pull_back_locks
-- Pages locked ahead of now, or for too long, are free.
DELETE FROM page_lock WHERE until > :late + CAST(:lease AS float8);

-- name: pull_back_servings
-- Sites of such pages.
UPDATE site SET served = min(served, :now), locked = min(locked, :late + CAST(:lease AS float8))
WHERE served > :late OR locked > :late + CAST(:lease AS float8) RETURNING id;

-- name: pull_back_blocks
-- Blocks said ahead of now last as long as was said.
UPDATE site SET blocked = :now + max(0.0, blocked - blocked_at), blocked_at = :now WHERE blocked_at > :late RETURNING id;

-- name: pull_back_pauses
-- The rest of a pause, site by site: next allowed, site.
UPDATE site SET next_allowed = ? WHERE id = ?;

-- name: pull_back_pauses/postgres (arrays)
-- All rows at once.
UPDATE site SET next_allowed = new.next_allowed FROM unnest(?::float8[], ?::integer[]) AS new (next_allowed, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: pull_back_sums
-- Sums of visits, which lie less far ahead: less, site.
UPDATE site SET sum_visited = sum_visited - ? WHERE id = ?;

-- name: pull_back_sums/postgres (arrays)
-- All rows at once.
UPDATE site SET sum_visited = site.sum_visited - new.less FROM unnest(?::float8[], ?::integer[]) AS new (less, id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: queue_anew
-- Puts sites where they belong after their times changed.
UPDATE site SET state = 0,
    until = coalesce((SELECT lease.until FROM lease WHERE lease.number = site.lease), site.until),
    next_due = min(next_due, coalesce((SELECT min(due) FROM page WHERE id BETWEEN ?1 << 36 AND (?1 << 36) + 68719476735), next_due)),
    ready = CASE
        WHEN lease = 0 THEN max(next_allowed, blocked, min(next_due,
            coalesce((SELECT min(due) FROM page WHERE id BETWEEN ?1 << 36 AND (?1 << 36) + 68719476735), next_due)))
        ELSE max(next_allowed, blocked, coalesce((SELECT lease.until + lease.delay FROM lease WHERE lease.number = site.lease), site.until)) END
WHERE id = ?1;

-- name: queue_anew/postgres (arrays)
-- All rows at once.
UPDATE site SET state = 0, until = coalesce(found.until, site.until), next_due = least(site.next_due, found.due),
    ready = CASE WHEN site.lease = 0 THEN greatest(site.next_allowed, site.blocked, least(site.next_due, found.due))
        ELSE greatest(site.next_allowed, site.blocked, coalesce(found.until + found.delay, site.until)) END
FROM (
    SELECT site.bucket, site.id, lease.until, lease.delay,
        (SELECT min(due) FROM page WHERE page.bucket = site.bucket AND page.site = site.id {here_page}) AS due
    FROM unnest(?::integer[]) AS new (id) JOIN site ON site.bucket = new.id % {buckets} AND site.id = new.id {here_site}
    LEFT JOIN lease ON lease.bucket = site.bucket AND lease.number = site.lease {here_lease}
) AS found WHERE site.bucket = found.bucket AND site.id = found.id {here_site};

-- name: pull_back_receipts
-- Reports taken over ahead of now: their keys are forgotten in time.
UPDATE receipt SET at = :now WHERE at > :late;

-- name: pull_back_failures
-- Pages that failed ahead of now.
UPDATE failure SET at = :now WHERE at > :late;

-- name: pull_back_fetchers
-- Fetchers that came ahead of now.
UPDATE fetcher SET last_seen = min(last_seen, :now), registered = min(registered, :now) WHERE last_seen > :late OR registered > :late;

-- damage -------------------------------------------------------------------------------------------------------------

-- name: look_at_sites
-- Sites after one, all that can be damaged.
SELECT id, name, tld, home, ipv4, ipv6, state, next_allowed, blocked, blocked_at, next_due, until, delay, urls, visited, sum_visited,
    sum_rate, sum_pagerank, sum_in_degree, cash, discovered, errors, slow, soft_404, backlog, referrals, price, completed, crawl_limit,
    served, locked, dated, trouble, well, failed, left_out
FROM site WHERE id > :after ORDER BY id LIMIT :limit;

-- name: look_at_pages
-- Pages after one, all that can be damaged.
SELECT page.id, address.url, page.due, page.visited, page.status, page.failures, page.looks, page.changes, page.span, page.rate,
    page.content, address.discovered, address.pagerank, address.in_degree, address.cash, address.history, address.etag, address.last_modified,
    page_metadata.metadata
FROM page LEFT JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id
LEFT JOIN page_metadata ON page_metadata.bucket = page.bucket AND page_metadata.site = page.site AND page_metadata.id = page.id WHERE page.id > :after ORDER BY page.id LIMIT :limit;

-- name: look_at_leases
-- Lists after one, all that can be damaged.
SELECT number AS id, fetcher, at, until, delay, pages FROM lease WHERE number > :after ORDER BY number LIMIT :limit;

-- name: look_at_locks
-- Locks on pages after one, all that can be damaged.
SELECT id, until FROM page_lock WHERE id > :after ORDER BY id LIMIT :limit;

-- name: look_at_depths
-- How far pages are from where their crawl began, after one, all that can be damaged.
SELECT id, depth, links FROM page_depth WHERE id > :after ORDER BY id LIMIT :limit;

-- name: look_at_failures
-- Why pages failed, after one, all that can be damaged.
SELECT id, at, result, why, fetcher FROM failure WHERE id > :after ORDER BY id LIMIT :limit;

-- name: look_at_fetchers
-- All that can be damaged of a fetcher.
SELECT uuid AS id, contact, name, registered, token_digest, location, tld_preference, address, last_seen FROM fetcher;

-- name: look_at_receipts
-- All that can be damaged of a receipt.
SELECT bucket, fetcher, key, answer FROM receipt;

-- name: mend_row
-- Puts readable values into a row.
UPDATE {part} SET {values} WHERE {key} = :id;

-- name: set_page_aside
-- Nobody is given a page.
UPDATE page SET status = 7, due = :never WHERE bucket = (:id >> 36) % {buckets} AND id = :id;

-- name: set_site_aside
-- Nobody is given a site; its block is kept apart.
UPDATE site SET blocked = :never, state = 0, ready = :never WHERE bucket = :id % {buckets} AND id = :id;

-- name: free_site_of_lease
-- A site whose list cannot be read, as if that had expired.
UPDATE site SET lease = 0, next_due = 0.0, next_allowed = max(next_allowed, until), ready = max(next_allowed, until, blocked) WHERE lease = :id;

-- name: forget_lease
-- Forgets a list.
DELETE FROM lease WHERE number = :id;

-- name: forget_depth
-- How far a page is from where its crawl began is not known any more.
DELETE FROM page_depth WHERE bucket = (:id >> 36) % {buckets} AND id = :id;

-- name: forget_lock
-- Unlocks a page.
DELETE FROM page_lock WHERE bucket = (:id >> 36) % {buckets} AND id = :id;

-- name: forget_failure
-- Forgets why a page failed.
DELETE FROM failure WHERE bucket = (:id >> 36) % {buckets} AND id = :id;

-- name: forget_receipt
-- Forgets the answer that a report got.
DELETE FROM receipt WHERE bucket = :bucket AND fetcher = :fetcher AND key = :key;

-- name: note_aside
-- Notes what was set aside, and why.
INSERT INTO set_aside (part, id, name, wrong, lost, blocked) VALUES (:part, :id, :name, :wrong, :lost, :blocked)
ON CONFLICT (part, id) DO UPDATE SET wrong = excluded.wrong, lost = excluded.lost;

-- name: aside
-- What was set aside.
SELECT part, id, name, wrong, lost, blocked FROM set_aside ORDER BY part, id;

-- name: take_page_back
-- A page is handed out again.
UPDATE page SET status = 0, due = 0.0 WHERE bucket = (:id >> 36) % {buckets} AND id = :id AND status = 7;

-- name: take_site_back
-- A site is handed out again.
UPDATE site SET blocked = :blocked WHERE bucket = :id % {buckets} AND id = :id;

-- name: forget_aside
-- It is back.
DELETE FROM set_aside WHERE part = :part AND id = :id;

-- name: clear_aside
-- Nothing is set aside.
DELETE FROM set_aside;

-- name: resum_sites
-- The sums of all sites, from their pages.
UPDATE site SET urls = coalesce(counted.urls, 0), visited = coalesce(counted.visited, 0), sum_visited = coalesce(counted.sum_visited, 0),
    sum_rate = coalesce(counted.sum_rate, 0), sum_pagerank = coalesce(counted.sum_pagerank, 0),
    sum_in_degree = coalesce(counted.sum_in_degree, 0), cash = coalesce(counted.cash, 0), backlog = coalesce(counted.backlog, 0),
    completed = coalesce(counted.completed, 0), discovered = counted.discovered, well = counted.well, failed = counted.failed,
    left_out = counted.left_out
FROM (
    SELECT known.bucket, known.id, count(page.id) AS urls, count(page.visited) AS visited, sum(page.visited) AS sum_visited, sum(page.rate) AS sum_rate,
        sum(address.pagerank) AS sum_pagerank, sum(address.in_degree) AS sum_in_degree, sum(address.cash) AS cash,
        sum(CASE WHEN page.status = 5 THEN 1 ELSE 0 END) AS backlog, sum(CASE WHEN page.status = 6 THEN 1 ELSE 0 END) AS completed, min(address.discovered) AS discovered,
        count(*) FILTER (WHERE page.visited IS NOT NULL AND page.status NOT IN (1, 2, 3, 4) AND page.failures = 0) AS well,
        count(*) FILTER (WHERE page.status IN (2, 3, 4) OR (page.status <> 1 AND page.failures > 0)) AS failed, count(*) FILTER (WHERE page.status = 1) AS left_out
    FROM site AS known LEFT JOIN page ON page.bucket = known.bucket AND page.site = known.id
    LEFT JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id GROUP BY known.bucket, known.id
) AS counted WHERE site.bucket = counted.bucket AND site.id = counted.id;

-- name: count_everything
-- What the totals should be, from the sites.
SELECT known.sites, known.urls, known.visited, known.sum_visited, known.backlog, linked.edges, known.well, known.failed, known.left_out FROM (
    SELECT count(*) AS sites, CAST(coalesce(sum(urls), 0) AS bigint) AS urls, CAST(coalesce(sum(visited), 0) AS bigint) AS visited,
        coalesce(sum(sum_visited), 0.0) AS sum_visited, CAST(coalesce(sum(backlog), 0) AS bigint) AS backlog,
        CAST(coalesce(sum(well), 0) AS bigint) AS well, CAST(coalesce(sum(failed), 0) AS bigint) AS failed,
        CAST(coalesce(sum(left_out), 0) AS bigint) AS left_out FROM site
) AS known CROSS JOIN (SELECT count(*) AS edges FROM edge) AS linked;

-- name: retotal
-- Totals as they were counted.
UPDATE total SET sites = :sites, urls = :urls, visited = :visited, sum_visited = :sum_visited, backlog = :backlog, edges = :edges,
    well = :well, failed = :failed, left_out = :left_out WHERE bucket = :part;

-- name: clear_other_totals
-- The other parts of the totals.
;  -- nothing, since there is one

-- name: clear_other_totals/postgres
-- Many transactions count at a time.
UPDATE total SET sites = 0, urls = 0, visited = 0, sum_visited = 0, backlog = 0, edges = 0, well = 0, failed = 0, left_out = 0 WHERE bucket <> :part;

-- the graph ----------------------------------------------------------------------------------------------------------

-- name: cash
-- The cash of pages.
SELECT address.id, address.cash FROM json_each(:pages) AS wanted CROSS JOIN address ON address.id = wanted.value;

-- name: cash/postgres
-- The set is an array, whose members an index finds.
SELECT address.id, address.cash FROM unnest(:pages::bigint[]) AS wanted (id)
JOIN address ON address.bucket = ((wanted.id >> 36) % {buckets})::integer AND address.site = (wanted.id >> 36)::integer AND address.id = wanted.id {here_address};

-- name: add_edges
-- Links, unless they are known; answers with the new ones.
INSERT INTO edge (source, target) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
ON CONFLICT DO NOTHING RETURNING source, target;

-- name: add_edges/postgres (arrays)
-- All rows at once.
INSERT INTO edge (bucket, source, target) SELECT ((source >> 36) % {buckets})::integer, source, target FROM unnest(?::bigint[], ?::bigint[]) AS new (source, target)
ON CONFLICT DO NOTHING RETURNING source, target;

-- name: link_pages
-- Pages at one of the ends of a link: cash, in-degree, history, page.
UPDATE address SET cash = cash + ?, in_degree = in_degree + ?, history = history + ? WHERE id = ?;

-- name: link_pages/postgres (arrays)
-- All rows at once.
UPDATE address SET cash = address.cash + new.cash, in_degree = address.in_degree + new.in_degree, history = address.history + new.history
FROM unnest(?::float8[], ?::integer[], ?::float8[], ?::bigint[]) AS new (cash, in_degree, history, id)
WHERE address.bucket = ((new.id >> 36) % {buckets})::integer AND address.site = (new.id >> 36)::integer AND address.id = new.id {here_address};

-- name: link_sites
-- Sites with pages at one of the ends of a link: cash, in-degree, referrals, site.
UPDATE site SET cash = cash + ?, sum_in_degree = sum_in_degree + ?, referrals = referrals + ? WHERE id = ?;

-- name: link_sites/postgres (arrays)
-- All rows at once.
UPDATE site SET cash = site.cash + new.cash, sum_in_degree = site.sum_in_degree + new.in_degree, referrals = site.referrals + new.referrals
FROM unnest(?::float8[], ?::integer[], ?::integer[], ?::integer[]) AS new (cash, in_degree, referrals, id)
WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: count_edges
-- Counts new links.
UPDATE total SET edges = edges + :edges WHERE bucket = :part;

-- name: edges_after
-- Links after one, in order.
SELECT source, target FROM edge WHERE (source, target) > (:source, :target) ORDER BY source, target LIMIT :limit;

-- name: some_pagerank
-- A site of which some page has a PageRank.
SELECT id FROM site WHERE sum_pagerank > 0 LIMIT 1;

-- name: put_pageranks
-- PageRank of pages: score, page.
UPDATE address SET pagerank = ? WHERE id = ?;

-- name: put_pageranks/postgres (arrays)
-- All rows at once.
UPDATE address SET pagerank = new.score FROM unnest(?::float8[], ?::bigint[]) AS new (score, id)
WHERE address.bucket = ((new.id >> 36) % {buckets})::integer AND address.site = (new.id >> 36)::integer AND address.id = new.id {here_address};

-- name: resum_pagerank
-- The sum of PageRank of sites, from their pages.
UPDATE site SET sum_pagerank = (
    SELECT coalesce(sum(pagerank), 0.0) FROM address WHERE id BETWEEN ?1 << 36 AND (?1 << 36) + 68719476735) WHERE id = ?1;

-- name: resum_pagerank/postgres (arrays)
-- All rows at once.
UPDATE site SET sum_pagerank = (SELECT coalesce(sum(pagerank), 0.0) FROM address WHERE address.bucket = site.bucket AND address.site = site.id {here_address})
FROM unnest(?::integer[]) AS new (id) WHERE site.bucket = new.id % {buckets} AND site.id = new.id {here_site};

-- name: site_edges
-- Links between sites, and how many. By number: their names may be in different buckets.
SELECT source >> 36, target >> 36, count(*) FROM edge WHERE source >> 36 <> target >> 36 GROUP BY 1, 2;

-- name: names_of_sites
-- Names of sites by number.
SELECT id, name FROM site WHERE id IN (SELECT value FROM json_each(:sites));

-- name: names_of_sites/postgres
-- The set is an array, whose members an index finds.
SELECT id, name FROM unnest(:sites::integer[]) AS wanted (number)
JOIN site ON site.bucket = wanted.number % {buckets} AND site.id = wanted.number {here_site};

-- name: put_homes
-- Assigns sites: fetcher, site, bucket.
UPDATE site SET home = ?1 WHERE crawl = 1 AND name = ?2 AND bucket = ?3;

-- name: put_homes/postgres (arrays)
-- All rows at once.
UPDATE site SET home = new.home FROM unnest(?::text[], ?::text[], ?::integer[]) AS new (home, name, bucket)
WHERE site.bucket = new.bucket AND site.crawl = 1 AND site.name = new.name {here_site};

-- name: round_trips
-- Measurements since a time.
SELECT site.name, round_trip.fetcher, round_trip.seconds FROM round_trip JOIN site ON site.bucket = round_trip.bucket AND site.id = round_trip.site WHERE round_trip.at >= :since;

-- name: mirrors
-- Pairs of sites by the number of contents they share; contents that many sites have (empty pages) say nothing. By number: their
-- names may be in different buckets.
WITH copies AS (SELECT DISTINCT content, site FROM page WHERE content <> ''),
    shared AS (SELECT content FROM copies GROUP BY content HAVING count(*) BETWEEN 2 AND 20)
SELECT a.site, b.site, count(*) AS pages
FROM shared JOIN copies AS a ON a.content = shared.content JOIN copies AS b ON b.content = shared.content AND b.site > a.site
GROUP BY a.site, b.site HAVING count(*) > 1 ORDER BY pages DESC, a.site, b.site LIMIT :limit;

-- upkeep -------------------------------------------------------------------------------------------------------------

-- name: recount_sites
-- How many sites have sums that differ from their pages', and how many would wait although a page is due; as ``upkeep.SUMS``.
WITH counted AS (
    SELECT page.bucket AS bucket, page.site AS site, count(*) AS urls, count(page.visited) AS visited, sum(page.visited) AS sum_visited,
        sum(page.rate) AS sum_rate, sum(address.pagerank) AS sum_pagerank, sum(address.in_degree) AS sum_in_degree,
        sum(address.cash) AS cash, count(*) FILTER (WHERE page.status = 5) AS backlog, min(page.due) AS due, min(address.discovered) AS discovered,
        count(*) FILTER (WHERE page.status = 6) AS completed, count(*) FILTER (WHERE page.visited IS NOT NULL AND page.status NOT IN (1, 2, 3, 4) AND page.failures = 0) AS well,
        count(*) FILTER (WHERE page.status IN (2, 3, 4) OR (page.status <> 1 AND page.failures > 0)) AS failed, count(*) FILTER (WHERE page.status = 1) AS left_out
    FROM page JOIN address ON address.bucket = page.bucket AND address.site = page.site AND address.id = page.id GROUP BY page.bucket, page.site
)
SELECT count(*) FILTER (WHERE site.urls <> coalesce(counted.urls, 0)),
    count(*) FILTER (WHERE site.visited <> coalesce(counted.visited, 0)),
    count(*) FILTER (WHERE abs(site.sum_visited - coalesce(counted.sum_visited, 0)) > 1e-3 * (1 + site.urls)),
    count(*) FILTER (WHERE abs(site.sum_rate - coalesce(counted.sum_rate, 0)) > 1e-9 * (1 + abs(site.sum_rate))),
    count(*) FILTER (WHERE abs(site.sum_pagerank - coalesce(counted.sum_pagerank, 0)) > 1e-9 * (1 + abs(site.sum_pagerank))),
    count(*) FILTER (WHERE site.sum_in_degree <> coalesce(counted.sum_in_degree, 0)),
    count(*) FILTER (WHERE abs(site.cash - coalesce(counted.cash, 0)) > 1e-6 * (1 + abs(site.cash))),
    count(*) FILTER (WHERE site.backlog <> coalesce(counted.backlog, 0)),
    count(*) FILTER (WHERE site.discovered IS DISTINCT FROM counted.discovered),
    count(*) FILTER (WHERE site.completed <> coalesce(counted.completed, 0)),
    count(*) FILTER (WHERE site.well <> coalesce(counted.well, 0)),
    count(*) FILTER (WHERE site.failed <> coalesce(counted.failed, 0)),
    count(*) FILTER (WHERE site.left_out <> coalesce(counted.left_out, 0)),
    count(*) FILTER (WHERE site.lease = 0 AND site.state = 0 AND NOT (site.crawl_limit > 0 AND site.completed >= site.crawl_limit)
        AND site.ready > max(site.next_allowed, site.blocked, coalesce(counted.due, :never)) AND site.ready > site.locked)
FROM site LEFT JOIN counted ON counted.bucket = site.bucket AND counted.site = site.id;

-- name: recount_big_sites
-- How many big sites have pages that are not, or not rightly, in what is ordered by due time.
SELECT count(*) FROM site
WHERE big = 1 AND EXISTS (SELECT 1 FROM page WHERE id BETWEEN site.id << 36 AND (site.id << 36) + 68719476735 AND page.big = 0);

-- name: recount_big_sites/postgres
-- They are in a table of their own.
SELECT count(*) FROM site WHERE big = 1 AND EXISTS (
    SELECT 1 FROM page LEFT JOIN big_page ON big_page.bucket = page.bucket AND big_page.site = page.site AND big_page.id = page.id
    WHERE page.bucket = site.bucket AND page.site = site.id AND big_page.due IS DISTINCT FROM page.due);

-- name: recount_totals
-- Which totals differ from the sites'; as ``upkeep.TOTALS``.
WITH summed AS (
    SELECT sum(sites) AS sites, sum(urls) AS urls, sum(visited) AS visited, sum(sum_visited) AS sum_visited,
        sum(backlog) AS backlog, sum(edges) AS edges, sum(well) AS well, sum(failed) AS failed, sum(left_out) AS left_out FROM total
), counted AS (
    SELECT count(*) AS sites, coalesce(sum(urls), 0) AS urls, coalesce(sum(visited), 0) AS visited,
        coalesce(sum(sum_visited), 0) AS sum_visited, coalesce(sum(backlog), 0) AS backlog, coalesce(sum(well), 0) AS well,
        coalesce(sum(failed), 0) AS failed, coalesce(sum(left_out), 0) AS left_out FROM site
), linked AS (SELECT count(*) AS edges FROM edge), lost AS (
    SELECT count(*) AS leases FROM site LEFT JOIN lease ON lease.bucket = site.bucket AND lease.number = site.lease
    WHERE site.lease <> 0 AND lease.number IS NULL
)
SELECT summed.sites <> counted.sites, summed.urls <> counted.urls, summed.visited <> counted.visited,
    abs(summed.sum_visited - counted.sum_visited) > 1e-3 * (1 + CAST(summed.urls AS float8)),
    summed.backlog <> counted.backlog, summed.well <> counted.well, summed.failed <> counted.failed,
    summed.left_out <> counted.left_out, summed.edges <> linked.edges, lost.leases
FROM summed CROSS JOIN counted CROSS JOIN linked CROSS JOIN lost;

-- name: clear_fetchers
-- No fetchers.
DELETE FROM fetcher;

-- name: clear_homes
-- No site is assigned to anybody.
UPDATE site SET home = '' WHERE home <> '';

-- name: clear_leases_of_sites
-- Every site is free, but not before its delay has passed.
UPDATE site SET lease = 0, state = 0, next_due = CASE WHEN urls = 0 THEN next_due ELSE 0 END,
    ready = max(next_allowed, blocked, CASE WHEN urls = 0 THEN next_due ELSE 0 END) WHERE lease <> 0;

-- name: clear_leases
-- No lists.
DELETE FROM lease;

-- name: clear_edges
-- No links.
DELETE FROM edge;

-- name: clear_degrees_of_sites
-- No links: sites.
UPDATE site SET sum_in_degree = 0, referrals = 0;

-- name: clear_degrees
-- No links: pages.
UPDATE address SET in_degree = 0 WHERE in_degree <> 0;

-- name: clear_total_edges
-- No links: totals.
UPDATE total SET edges = 0;

-- name: clear_locks
-- No locks.
DELETE FROM page_lock;

-- name: clear_locks/postgres
-- Without a look at every row.
TRUNCATE page_lock;

-- name: clear_metadata
-- Nothing kept with pages.
DELETE FROM page_metadata;

-- name: clear_metadata/postgres
-- Without a look at every row.
TRUNCATE page_metadata;

-- name: clear_depths
-- No page is away from where its crawl began.
DELETE FROM page_depth;

-- name: clear_depths/postgres
-- Without a look at every row.
TRUNCATE page_depth;

-- name: clear_failures
-- Nothing has failed.
DELETE FROM failure;

-- name: clear_failures/postgres
-- Without a look at every row.
TRUNCATE failure;

-- name: clear_pages
-- No pages, the changing part.
DELETE FROM page;

-- name: clear_pages/postgres
-- Without a look at every row.
TRUNCATE page, big_page;

-- name: clear_addresses
-- No pages, the lasting part.
DELETE FROM address;

-- name: clear_addresses/postgres
-- Without a look at every row.
TRUNCATE address;

-- name: clear_sums
-- Sites without pages.
UPDATE site SET ready = :never, state = 0, next_due = :never, urls = 0, visited = 0, sum_visited = 0, sum_rate = 0, sum_pagerank = 0,
    cash = 0, discovered = NULL, backlog = 0, big = 0, completed = 0, locked = 0, trouble = 0, well = 0, failed = 0, left_out = 0;

-- name: clear_total_urls
-- Totals without pages.
UPDATE total SET urls = 0, visited = 0, sum_visited = 0, backlog = 0, well = 0, failed = 0, left_out = 0;

-- name: clear_sites
-- No sites.
DELETE FROM site;

-- name: clear_round_trips
-- No measurements.
DELETE FROM round_trip;

-- name: clear_total_sites
-- Totals without sites.
UPDATE total SET sites = 0;
