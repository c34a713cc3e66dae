-- The statements of the frontier in PostgreSQL. Values are always bound; sets arrive as arrays.
-- In braces: text of the store itself (`partition`, `order`, `rank`), never a value from outside.

-- fetchers -----------------------------------------------------------------------------------------------------------

-- name: register
-- A new fetcher, unless its UUID or its contact and name are taken.
INSERT INTO frontier.fetcher (uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING;

-- name: fetcher
-- One fetcher.
SELECT uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen
FROM frontier.fetcher WHERE uuid = %s;

-- name: fetchers
-- All fetchers in the order of registration.
SELECT uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen
FROM frontier.fetcher ORDER BY registered, uuid COLLATE "C";

-- name: replace_fetcher
-- Writes what may change about a fetcher, unless another one has that contact and name.
UPDATE frontier.fetcher SET contact = %(contact)s, name = %(name)s, token_digest = %(token_digest)s, location = %(location)s,
    tld_preference = %(tld_preference)s, address = %(address)s, last_seen = %(last_seen)s
WHERE uuid = %(uuid)s AND NOT EXISTS (
    SELECT 1 FROM frontier.fetcher AS other WHERE other.contact = %(contact)s AND other.name = %(name)s AND other.uuid <> %(uuid)s);

-- name: seen
-- Notes when fetchers were last heard of; one that another process is writing is left to it.
UPDATE frontier.fetcher SET last_seen = %(now)s
WHERE uuid IN (SELECT uuid FROM frontier.fetcher WHERE uuid = ANY(%(fetchers)s) FOR NO KEY UPDATE SKIP LOCKED);

-- name: remove_fetcher
-- Forgets a fetcher.
DELETE FROM frontier.fetcher WHERE uuid = %s;

-- name: free_sites_of_fetcher
-- Makes the sites free that a fetcher holds; the delay after what it was given stays.
UPDATE frontier.site SET lease = 0, next_due = least(next_due, %(now)s), state = 0, ready = greatest(next_allowed, blocked)
FROM (SELECT site.id FROM frontier.lease JOIN frontier.site ON site.id = lease.site AND site.lease = lease.number
    WHERE lease.fetcher = %(fetcher)s ORDER BY site.id FOR UPDATE OF site) AS held
WHERE site.id = held.id;

-- name: remove_leases_of_fetcher
-- Forgets the lists of a fetcher.
DELETE FROM frontier.lease WHERE fetcher = %s;

-- name: remove_homes
-- Takes the assignments to a fetcher back.
UPDATE frontier.site SET home = '' WHERE home = %s;

-- adding -------------------------------------------------------------------------------------------------------------

-- name: only_grower
-- One transaction at a time adds pages: it locks sites in no order that others could keep to.
SELECT pg_advisory_xact_lock(1634103910, 1);

-- name: sites_by_fqdn
-- Numbers of sites by host.
SELECT site.fqdn, site.id FROM unnest(%s::text[]) AS wanted (fqdn) JOIN frontier.site ON site.fqdn = wanted.fqdn;

-- name: held
-- How many pages of a site may be handed out, and how many links from other sites it has.
SELECT urls - backlog, referrals FROM frontier.site WHERE id = %s;

-- name: add_sites
-- New sites without pages.
INSERT INTO frontier.site (fqdn, tld, hash) SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[])
ON CONFLICT (fqdn) DO NOTHING RETURNING fqdn, id;

-- name: known_pages
-- URLs under these numbers.
SELECT address.id, address.url FROM unnest(%s::integer[], %s::bigint[]) AS wanted (site, id)
JOIN frontier.address ON address.site = wanted.site AND address.id = wanted.id;

-- name: copy_pages
-- Pages, the changing part, in bulk.
COPY frontier.page (site, id, due, visited, status) FROM STDIN (FORMAT BINARY);

-- name: copy_addresses
-- Pages, the lasting part, in bulk.
COPY frontier.address (site, id, url, discovered, pagerank, cash) FROM STDIN (FORMAT BINARY);

-- name: add_pages
-- Pages, the changing part, a few.
INSERT INTO frontier.page (site, id, due, visited, status)
SELECT * FROM unnest(%s::integer[], %s::bigint[], %s::float8[], %s::float8[], %s::smallint[]);

-- name: add_addresses
-- Pages, the lasting part, a few.
INSERT INTO frontier.address (site, id, url, discovered, pagerank, cash)
SELECT * FROM unnest(%s::integer[], %s::bigint[], %s::text[], %s::float8[], %s::float8[], %s::float8[]);

-- name: grow_sites
-- Counts new pages of sites and puts these at their place in the queue.
UPDATE frontier.site SET urls = site.urls + new.urls, visited = site.visited + new.visited,
    sum_visited = site.sum_visited + new.sum_visited, sum_pagerank = site.sum_pagerank + new.sum_pagerank,
    discovered = least(site.discovered, new.discovered), next_due = least(site.next_due, new.due),
    backlog = site.backlog + new.backlog, delay = coalesce(site.delay, new.delay), cash = site.cash + new.cash,
    ready = CASE WHEN site.lease <> 0 OR site.state = 1 THEN site.ready
        ELSE greatest(site.next_allowed, site.blocked, least(site.next_due, new.due)) END
FROM unnest(%s::integer[], %s::integer[], %s::integer[], %s::float8[], %s::float8[], %s::float8[], %s::float8[], %s::integer[], %s::float8[], %s::float8[])
    AS new (id, urls, visited, sum_visited, sum_pagerank, discovered, due, backlog, delay, cash)
WHERE site.id = new.id;

-- name: rank_sites
-- Ranks available sites anew after their sums changed.
UPDATE frontier.site SET rank = {rank} WHERE state = 1 AND id = ANY(%(ids)s::integer[]);

-- name: big_sites
-- Sites among these that are big, or have become too big to be looked through.
SELECT id FROM frontier.site WHERE id = ANY(%s::integer[]) AND (big = 1 OR urls > %s);

-- name: index_sites
-- Marks sites as big.
UPDATE frontier.site SET big = 1 WHERE id = ANY(%s::integer[]) AND big = 0;

-- name: index_pages
-- Puts the pages of sites into the table by due time that are not there yet.
INSERT INTO frontier.big_page (site, id, due) SELECT site, id, due FROM frontier.page WHERE site = ANY(%s::integer[]) ON CONFLICT DO NOTHING;

-- name: count_new
-- Counts new sites and pages.
UPDATE frontier.total SET sites = sites + %s, urls = urls + %s, visited = visited + %s, sum_visited = sum_visited + %s, backlog = backlog + %s
WHERE id = pg_backend_pid() %% 64;

-- leasing ------------------------------------------------------------------------------------------------------------

-- name: pick_waiting
-- Sites that are ready and that nobody else is looking at.
SELECT id, lease, fqdn, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big
FROM frontier.site WHERE state = 0 AND ready <= %(now)s {partition} ORDER BY {order} LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- name: pick_available
-- Sites that are available, in the order that is set or another, and that nobody else is looking at.
SELECT id, lease, fqdn, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big
FROM frontier.site WHERE state = 1 {partition} ORDER BY {order} LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- name: last_site
-- The highest number of a site.
SELECT coalesce(max(id), 0) FROM frontier.site;

-- name: rank_range
-- Ranks the available among these sites anew, since time has passed.
UPDATE frontier.site SET rank = {rank}
WHERE id IN (SELECT id FROM frontier.site WHERE state = 1 AND id BETWEEN %(first)s AND %(last)s FOR UPDATE SKIP LOCKED);

-- name: promote
-- Makes sites available whose time has come.
UPDATE frontier.site SET state = 1, lease = 0, next_due = least(next_due, %(now)s), rank = {rank}
WHERE id IN (SELECT id FROM frontier.site WHERE state = 0 AND ready <= %(now)s ORDER BY ready LIMIT %(limit)s FOR UPDATE SKIP LOCKED);

-- name: due_pages
-- The pages of sites that are due first, and one more of each to tell when the rest is.
SELECT a.url, a.pagerank, a.discovered, p.visited, p.due, a.etag, a.last_modified, p.content, p.id, wanted.site
FROM unnest(%(sites)s::integer[]) WITH ORDINALITY AS wanted (site, place)
CROSS JOIN LATERAL (
    SELECT id, due, visited, content FROM frontier.page WHERE page.site = wanted.site ORDER BY due LIMIT %(limit)s
) AS p
CROSS JOIN LATERAL (SELECT * FROM frontier.address WHERE address.site = wanted.site AND address.id = p.id LIMIT 1) AS a
ORDER BY wanted.place, p.due;

-- name: due_pages_big
-- The same for big sites.
SELECT a.url, a.pagerank, a.discovered, p.visited, p.due, a.etag, a.last_modified, p.content, p.id, wanted.site
FROM unnest(%(sites)s::integer[]) WITH ORDINALITY AS wanted (site, place)
CROSS JOIN LATERAL (
    SELECT id FROM frontier.big_page WHERE big_page.site = wanted.site ORDER BY due LIMIT %(limit)s
) AS first
CROSS JOIN LATERAL (SELECT * FROM frontier.page WHERE page.site = wanted.site AND page.id = first.id LIMIT 1) AS p
CROSS JOIN LATERAL (SELECT * FROM frontier.address WHERE address.site = wanted.site AND address.id = first.id LIMIT 1) AS a
ORDER BY wanted.place, p.due;

-- name: ordered_pages
-- Due pages of a site in another order.
SELECT address.url, address.pagerank, address.discovered, page.visited, page.due, address.etag, address.last_modified, page.content, page.id
FROM frontier.page JOIN frontier.address ON address.site = page.site AND address.id = page.id
WHERE page.site = %(site)s AND page.due <= %(now)s {seen} ORDER BY {order}, page.id LIMIT %(limit)s;

-- name: next_due
-- When the first page of a site is due that is not among these.
SELECT coalesce(min(due), 'Infinity') FROM frontier.page WHERE site = %s AND id <> ALL(%s::bigint[]);

-- name: lease_sites
-- Notes lists and reserves their sites; answers with the numbers of the lists.
WITH new AS (
    SELECT * FROM unnest(%(sites)s::integer[], %(delays)s::float8[], %(fulls)s::smallint[], %(pages)s::bytea[],
        %(ready)s::float8[], %(allowed)s::float8[], %(due)s::float8[]) AS new (site, delay, "full", pages, ready, allowed, due)
), made AS (
    INSERT INTO frontier.lease (number, site, fetcher, at, until, delay, release, "full", pages)
    SELECT nextval('frontier.lease_number'), site, %(fetcher)s, %(now)s, %(until)s, delay, %(release)s, "full", pages FROM new
    RETURNING number, site
)
UPDATE frontier.site SET lease = made.number, until = %(until)s, ready = new.ready, next_allowed = new.allowed, next_due = new.due, state = 0
FROM new JOIN made ON made.site = new.site WHERE site.id = new.site RETURNING site.id, site.lease;

-- name: postpone
-- Puts a site back that had nothing due after all.
UPDATE frontier.site SET lease = 0, state = 0, next_due = %(due)s, ready = greatest(next_allowed, blocked, %(due)s) WHERE id = %(id)s;

-- name: free_expired
-- Frees sites whose reservation has expired; the delay counts from its end, since nobody said when the last request was.
UPDATE frontier.site SET lease = 0, next_allowed = greatest(site.next_allowed, site.until + held.delay),
    next_due = least(site.next_due, %(now)s), ready = greatest(site.next_allowed, site.until + held.delay, site.blocked)
FROM (
    SELECT site.id, lease.delay FROM frontier.lease JOIN frontier.site ON site.id = lease.site AND site.lease = lease.number
    WHERE site.until <= %(now)s ORDER BY site.id FOR UPDATE OF site
) AS held WHERE site.id = held.id;

-- name: forget_leases
-- Forgets lists that ended long ago.
DELETE FROM frontier.lease WHERE until < %s
AND NOT EXISTS (SELECT 1 FROM frontier.site WHERE site.id = lease.site AND site.lease = lease.number);

-- reporting ----------------------------------------------------------------------------------------------------------

-- name: receipt
-- The answer that a report of this key got.
SELECT answer FROM frontier.receipt WHERE fetcher = %s AND key = %s;

-- name: add_receipt
-- Notes the answer that a report gets.
INSERT INTO frontier.receipt (fetcher, key, at, answer) VALUES (%s, %s, %s, %s);

-- name: one_report_of_a_key
-- The same report, sent twice at once, is taken over once.
SELECT pg_advisory_xact_lock(hashtextextended(%s, 0));

-- name: forget_receipts
-- Forgets old answers.
DELETE FROM frontier.receipt WHERE at < %s;

-- name: lock_sites
-- The sites of lists, in order, for whoever reports them.
SELECT site.id FROM frontier.site WHERE id IN (SELECT site FROM frontier.lease WHERE number = ANY(%s::bigint[])) ORDER BY id FOR UPDATE;

-- name: leases
-- Lists by number, with the sites as they are.
SELECT lease.number, lease.site, lease.fetcher, lease.at, lease.until, lease.delay, lease.release, lease."full", lease.pages,
    site.fqdn, site.lease, site.delay, site.errors, site.slow, site.price, site.blocked, site.next_due, site.big
FROM frontier.lease JOIN frontier.site ON site.id = lease.site WHERE lease.number = ANY(%s::bigint[]);

-- name: lease_by_fqdn
-- The number of the list that holds a site now.
SELECT lease FROM frontier.site WHERE fqdn = %s;

-- name: pages
-- What a visit changes, by number, in the order asked.
SELECT page.content, page.due, coalesce(page.visited, -1.0), page.status, page.failures, page.looks, page.changes, page.span, page.rate
FROM unnest(%s::integer[], %s::bigint[]) WITH ORDINALITY AS wanted (site, id, place)
JOIN frontier.page ON page.site = wanted.site AND page.id = wanted.id ORDER BY wanted.place;

-- name: plain_pages
-- What a visit that teaches nothing changes, by number, in the order asked.
SELECT coalesce(page.visited, -1.0), page.failures + page.status
FROM unnest(%s::integer[], %s::bigint[]) WITH ORDINALITY AS wanted (site, id, place)
JOIN frontier.page ON page.site = wanted.site AND page.id = wanted.id ORDER BY wanted.place;

-- name: visit_pages
-- Pages after a visit.
UPDATE frontier.page SET due = new.due, visited = new.visited, status = new.status, failures = new.failures, looks = new.looks,
    changes = new.changes, span = new.span, rate = new.rate, content = new.content
FROM unnest(%s::integer[], %s::bigint[], %s::float8[], %s::float8[], %s::smallint[], %s::integer[], %s::integer[], %s::integer[],
    %s::float8[], %s::float8[], %s::text[])
    AS new (site, id, due, visited, status, failures, looks, changes, span, rate, content)
WHERE page.site = new.site AND page.id = new.id;

-- name: revisit_pages
-- Pages after a visit that taught nothing but its time.
UPDATE frontier.page SET due = new.due, visited = new.visited
FROM unnest(%s::integer[], %s::bigint[], %s::float8[], %s::float8[]) AS new (site, id, due, visited)
WHERE page.site = new.site AND page.id = new.id;

-- name: visit_big_pages
-- Pages of big sites after a visit.
UPDATE frontier.big_page SET due = new.due FROM unnest(%s::integer[], %s::bigint[], %s::float8[]) AS new (site, id, due)
WHERE big_page.site = new.site AND big_page.id = new.id;

-- name: validators
-- What servers gave to ask "changed since?" with.
UPDATE frontier.address SET etag = new.etag, last_modified = new.last_modified
FROM unnest(%s::text[], %s::text[], %s::bigint[]) AS new (etag, last_modified, id)
WHERE address.site = (new.id >> 36)::integer AND address.id = new.id;

-- name: end_lease
-- Sites after the reports of their lists.
UPDATE frontier.site SET lease = 0, ready = new.ready, next_allowed = new.next_allowed, next_due = new.next_due,
    visited = site.visited + new.visited, sum_visited = site.sum_visited + new.sum_visited, sum_rate = site.sum_rate + new.sum_rate,
    errors = new.errors, slow = new.slow, delay = new.delay, price = new.price, soft_404 = site.soft_404 + new.soft_404
FROM unnest(%s::float8[], %s::float8[], %s::float8[], %s::integer[], %s::float8[], %s::float8[], %s::integer[], %s::float8[],
    %s::float8[], %s::float8[], %s::integer[], %s::bigint[], %s::integer[])
    AS new (ready, next_allowed, next_due, visited, sum_visited, sum_rate, errors, slow, delay, price, soft_404, ended, id)
WHERE site.id = new.id;

-- name: keep_lease
-- Sites after reports that do not free them: nothing becomes earlier.
UPDATE frontier.site SET next_allowed = greatest(site.next_allowed, new.next_allowed), next_due = least(site.next_due, new.next_due),
    visited = site.visited + new.visited, sum_visited = site.sum_visited + new.sum_visited, sum_rate = site.sum_rate + new.sum_rate,
    errors = new.errors, slow = new.slow, delay = new.delay, soft_404 = site.soft_404 + new.soft_404,
    lease = CASE site.lease WHEN new.ended THEN 0 ELSE site.lease END, state = 0, ready = greatest(site.ready, new.next_allowed)
FROM unnest(%s::float8[], %s::float8[], %s::float8[], %s::integer[], %s::float8[], %s::float8[], %s::integer[], %s::float8[],
    %s::float8[], %s::float8[], %s::integer[], %s::bigint[], %s::integer[])
    AS new (ready, next_allowed, next_due, visited, sum_visited, sum_rate, errors, slow, delay, price, soft_404, ended, id)
WHERE site.id = new.id;

-- name: addresses_of_sites
-- Where sites were found.
UPDATE frontier.site SET ipv4 = coalesce(nullif(new.ipv4, ''), site.ipv4), ipv6 = coalesce(nullif(new.ipv6, ''), site.ipv6)
FROM unnest(%s::text[], %s::text[], %s::integer[]) AS new (ipv4, ipv6, id) WHERE site.id = new.id;

-- name: end_leases
-- Forgets lists that were reported.
DELETE FROM frontier.lease WHERE number = ANY(%s::bigint[]);

-- name: shorten_lease
-- Keeps a list with those of its pages that are not reported yet.
UPDATE frontier.lease SET pages = %s WHERE number = %s;

-- name: count_visits
-- Counts what was visited.
UPDATE frontier.total SET visits = visits + %s, visited = visited + %s, sum_visited = sum_visited + %s WHERE id = pg_backend_pid() %% 64;

-- name: add_round_trips
-- Measurements.
INSERT INTO frontier.round_trip (site, fetcher, at, seconds) SELECT * FROM unnest(%s::integer[], %s::text[], %s::float8[], %s::float8[])
ON CONFLICT DO NOTHING;

-- name: forget_round_trips
-- Forgets old measurements.
DELETE FROM frontier.round_trip WHERE at < %s;

-- questions ----------------------------------------------------------------------------------------------------------

-- name: totals
-- What is counted.
SELECT (SELECT count(*) FROM frontier.fetcher), sum(sites)::bigint, sum(urls)::bigint, sum(visited)::bigint,
    (SELECT count(*) FROM frontier.lease JOIN frontier.site ON site.id = lease.site AND site.lease = lease.number),
    sum(sum_visited), sum(visits)::bigint, sum(edges)::bigint, sum(backlog)::bigint FROM frontier.total;

-- name: holdings
-- How many sites each fetcher has reserved, and when the first of these reservations ends.
SELECT lease.fetcher, count(*), min(site.until) FROM frontier.lease
JOIN frontier.site ON site.id = lease.site AND site.lease = lease.number GROUP BY lease.fetcher;

-- name: site_facts
-- Sites after one, by host.
SELECT site.fqdn, site.tld, site.hash, site.delay, site.ready, coalesce(lease.fetcher, ''), CASE site.lease WHEN 0 THEN NULL ELSE site.until END,
    site.urls, site.visited, site.discovered, site.sum_visited, site.sum_pagerank, site.sum_rate, site.sum_in_degree, site.cash,
    site.errors, site.slow, site.backlog, site.home, site.ipv4, site.ipv6
FROM frontier.site LEFT JOIN frontier.lease ON lease.number = site.lease AND site.lease <> 0
WHERE site.fqdn {which} %s ORDER BY site.fqdn LIMIT %s;

-- name: set_delay
-- The crawl delay of a site.
UPDATE frontier.site SET delay = %s WHERE fqdn = %s;

-- name: block
-- No list of a site before then; an earlier time takes a block back.
UPDATE frontier.site SET blocked = %(until)s, state = 0,
    ready = greatest(next_allowed, %(until)s, CASE lease WHEN 0 THEN next_due ELSE until END) WHERE fqdn = %(fqdn)s;

-- name: site_number
-- The number of a site.
SELECT id FROM frontier.site WHERE fqdn = %s;

-- name: urls_of_site
-- URLs of a site.
SELECT url FROM frontier.address WHERE site = %s ORDER BY id;

-- name: all_urls
-- All URLs.
SELECT url FROM frontier.address ORDER BY id;

-- name: site_range
-- The lowest and highest number of a site, and how many pages there are.
SELECT min(id), max(id), (SELECT sum(urls)::bigint FROM frontier.total) FROM frontier.site;

-- name: url_from
-- The first URL of a site from a number on, or its first.
SELECT url FROM frontier.address WHERE site = %(site)s ORDER BY id < %(start)s, id LIMIT 1;

-- name: get_setting
-- One setting.
SELECT value FROM frontier.setting WHERE key = %s;

-- name: put_setting
-- Writes a setting.
INSERT INTO frontier.setting (key, value) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: wait_all
-- Makes available sites wait again.
UPDATE frontier.site SET state = 0 WHERE id IN (SELECT id FROM frontier.site WHERE state = 1 ORDER BY id FOR UPDATE);

-- the graph ----------------------------------------------------------------------------------------------------------

-- name: add_edges
-- Links, unless they are known.
INSERT INTO frontier.edge (source, target) SELECT * FROM unnest(%s::bigint[], %s::bigint[])
ON CONFLICT DO NOTHING RETURNING source, target;

-- name: cash
-- The cash of pages.
SELECT address.id, address.cash FROM unnest(%s::bigint[]) AS wanted (id)
JOIN frontier.address ON address.site = (wanted.id >> 36)::integer AND address.id = wanted.id;

-- name: link_pages
-- Pages at one of the ends of a link.
UPDATE frontier.address SET cash = address.cash + new.cash, in_degree = address.in_degree + new.in_degree, history = address.history + new.history
FROM unnest(%s::float8[], %s::integer[], %s::float8[], %s::bigint[]) AS new (cash, in_degree, history, id)
WHERE address.site = (new.id >> 36)::integer AND address.id = new.id;

-- name: link_sites
-- Sites with pages at one of the ends of a link.
UPDATE frontier.site SET cash = site.cash + new.cash, sum_in_degree = site.sum_in_degree + new.in_degree, referrals = site.referrals + new.referrals
FROM unnest(%s::float8[], %s::integer[], %s::integer[], %s::integer[]) AS new (cash, in_degree, referrals, id)
WHERE site.id = new.id;

-- name: sites_with_backlog
-- Sites among these that have a backlog, and how much they hold.
SELECT id, urls - backlog, referrals FROM frontier.site WHERE id = ANY(%s::integer[]) AND backlog > 0;

-- name: admit_pages
-- Takes pages out of the backlog, in the order of their numbers.
UPDATE frontier.page SET status = 0, due = 0 WHERE site = %(site)s
AND id IN (SELECT id FROM frontier.page WHERE site = %(site)s AND status = 5 ORDER BY id LIMIT %(room)s);

-- name: admit_big_pages
-- The same in the table by due time.
UPDATE frontier.big_page SET due = page.due FROM frontier.page
WHERE big_page.site = %s AND page.site = big_page.site AND page.id = big_page.id AND big_page.due <> page.due;

-- name: admit_site
-- A site after pages left its backlog.
UPDATE frontier.site SET backlog = backlog - %(pages)s, next_due = least(next_due, 0),
    ready = CASE WHEN lease <> 0 OR state = 1 THEN ready ELSE greatest(next_allowed, blocked) END WHERE id = %(site)s;

-- name: count_admitted
-- Counts pages that left a backlog.
UPDATE frontier.total SET backlog = backlog - %s WHERE id = pg_backend_pid() %% 64;

-- name: count_edges
-- Counts new links.
UPDATE frontier.total SET edges = edges + %s WHERE id = pg_backend_pid() %% 64;

-- name: edges_after
-- Links after one, in order.
SELECT source, target FROM frontier.edge WHERE (source, target) > (%s, %s) ORDER BY source, target LIMIT %s;

-- name: put_pageranks
-- PageRank of pages.
UPDATE frontier.address SET pagerank = new.score FROM unnest(%s::bigint[], %s::float8[]) AS new (id, score)
WHERE address.site = (new.id >> 36)::integer AND address.id = new.id;

-- name: resum_pagerank
-- The sum of PageRank of sites, from their pages.
UPDATE frontier.site SET sum_pagerank = new.total
FROM (SELECT site, sum(pagerank) AS total FROM frontier.address WHERE site = ANY(%s::integer[]) GROUP BY site) AS new
WHERE site.id = new.site;

-- name: site_edges
-- Links between sites, and how many.
SELECT (source >> 36)::integer, (target >> 36)::integer, count(*) FROM frontier.edge WHERE source >> 36 <> target >> 36
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: put_homes
-- Assigns sites.
UPDATE frontier.site SET home = new.home FROM unnest(%s::text[], %s::text[]) AS new (fqdn, home) WHERE site.fqdn = new.fqdn;

-- name: round_trips
-- Medians since a time.
SELECT site.fqdn, round_trip.fetcher, percentile_cont(0.5) WITHIN GROUP (ORDER BY round_trip.seconds)
FROM frontier.round_trip JOIN frontier.site ON site.id = round_trip.site WHERE round_trip.at >= %s
GROUP BY site.fqdn, round_trip.fetcher ORDER BY site.fqdn, round_trip.fetcher COLLATE "C";

-- name: mirrors
-- Pairs of sites by the number of contents they share; contents that many sites have (empty pages) say nothing.
WITH copies AS (SELECT DISTINCT content, site FROM frontier.page WHERE content <> ''),
    shared AS (SELECT content FROM copies GROUP BY content HAVING count(*) BETWEEN 2 AND 20)
SELECT one.fqdn, other.fqdn, count(*) AS pages
FROM shared JOIN copies AS a ON a.content = shared.content JOIN copies AS b ON b.content = shared.content AND b.site > a.site
JOIN frontier.site AS one ON one.id = a.site JOIN frontier.site AS other ON other.id = b.site
GROUP BY one.fqdn, other.fqdn HAVING count(*) > 1 ORDER BY pages DESC, one.fqdn, other.fqdn LIMIT %s;

-- upkeep -------------------------------------------------------------------------------------------------------------

-- name: recount_sites
-- How many sites have sums that differ from their pages', and how many would wait although a page is due.
WITH counted AS (
    SELECT page.site, count(*) AS urls, count(page.visited) AS visited, coalesce(sum(page.visited), 0) AS sum_visited,
        sum(page.rate) AS sum_rate, sum(address.pagerank) AS sum_pagerank, sum(address.in_degree) AS sum_in_degree,
        sum(address.cash) AS cash, count(*) FILTER (WHERE page.status = 5) AS backlog, min(page.due) AS due, min(address.discovered) AS discovered
    FROM frontier.page JOIN frontier.address ON address.site = page.site AND address.id = page.id GROUP BY page.site
)
SELECT count(*) FILTER (WHERE site.urls <> coalesce(counted.urls, 0)) AS urls,
    count(*) FILTER (WHERE site.visited <> coalesce(counted.visited, 0)) AS visited,
    count(*) FILTER (WHERE abs(site.sum_visited - coalesce(counted.sum_visited, 0)) > 1e-3 * (1 + site.urls)) AS sum_visited,
    count(*) FILTER (WHERE abs(site.sum_rate - coalesce(counted.sum_rate, 0)) > 1e-9 * (1 + abs(site.sum_rate))) AS sum_rate,
    count(*) FILTER (WHERE abs(site.sum_pagerank - coalesce(counted.sum_pagerank, 0)) > 1e-9 * (1 + abs(site.sum_pagerank))) AS sum_pagerank,
    count(*) FILTER (WHERE site.sum_in_degree <> coalesce(counted.sum_in_degree, 0)) AS sum_in_degree,
    count(*) FILTER (WHERE abs(site.cash - coalesce(counted.cash, 0)) > 1e-6 * (1 + abs(site.cash))) AS cash,
    count(*) FILTER (WHERE site.backlog <> coalesce(counted.backlog, 0)) AS backlog,
    count(*) FILTER (WHERE site.discovered IS DISTINCT FROM counted.discovered) AS discovered,
    count(*) FILTER (WHERE site.lease = 0 AND site.state = 0
        AND site.ready > greatest(site.next_allowed, site.blocked, coalesce(counted.due, 'Infinity'))) AS ready,
    count(*) FILTER (WHERE site.big = 1 AND EXISTS (
        SELECT 1 FROM frontier.page LEFT JOIN frontier.big_page ON big_page.site = page.site AND big_page.id = page.id
        WHERE page.site = site.id AND big_page.due IS DISTINCT FROM page.due)) AS big
FROM frontier.site LEFT JOIN counted ON counted.site = site.id;

-- name: recount_totals
-- Which totals differ from the sites'.
WITH total AS (
    SELECT sum(sites) AS sites, sum(urls) AS urls, sum(visited) AS visited, sum(sum_visited) AS sum_visited,
        sum(backlog) AS backlog, sum(edges) AS edges FROM frontier.total
), counted AS (
    SELECT count(*) AS sites, coalesce(sum(urls), 0) AS urls, coalesce(sum(visited), 0) AS visited,
        coalesce(sum(sum_visited), 0) AS sum_visited, coalesce(sum(backlog), 0) AS backlog FROM frontier.site
)
SELECT (total.sites <> counted.sites)::integer AS total_sites, (total.urls <> counted.urls)::integer AS total_urls,
    (total.visited <> counted.visited)::integer AS total_visited,
    (abs(total.sum_visited - counted.sum_visited) > 1e-3 * (1 + total.urls::float8))::integer AS total_sum_visited,
    (total.backlog <> counted.backlog)::integer AS total_backlog,
    (total.edges <> (SELECT count(*) FROM frontier.edge))::integer AS total_edges,
    (SELECT count(*) FROM frontier.site WHERE lease <> 0 AND NOT EXISTS (SELECT 1 FROM frontier.lease WHERE lease.number = site.lease)) AS leases
FROM total, counted;

-- name: clear_homes
-- No site is assigned to anybody.
UPDATE frontier.site SET home = '' WHERE home <> '';

-- name: clear_reservations
-- Every site is free, but not before its delay has passed.
UPDATE frontier.site SET lease = 0, state = 0, next_due = CASE urls WHEN 0 THEN next_due ELSE 0 END,
    ready = greatest(next_allowed, blocked, CASE urls WHEN 0 THEN next_due ELSE 0 END) WHERE lease <> 0;

-- name: clear_degrees_of_sites
-- No links: sites.
UPDATE frontier.site SET sum_in_degree = 0, referrals = 0;

-- name: clear_degrees
-- No links: pages.
UPDATE frontier.address SET in_degree = 0 WHERE in_degree <> 0;

-- name: clear_total_edges
-- No links: totals.
UPDATE frontier.total SET edges = 0;

-- name: clear_sums
-- Sites without pages.
UPDATE frontier.site SET ready = 'Infinity', state = 0, next_due = 'Infinity', urls = 0, visited = 0, sum_visited = 0, sum_rate = 0,
    sum_pagerank = 0, cash = 0, discovered = NULL, backlog = 0, big = 0;

-- name: clear_total_urls
-- Totals without pages.
UPDATE frontier.total SET urls = 0, visited = 0, sum_visited = 0, backlog = 0;

-- name: clear_total_sites
-- Totals without sites.
UPDATE frontier.total SET sites = 0;
