-- The statements of the frontier in SQLite. Values are always bound; sets arrive as JSON arrays.
-- In braces: text of the store itself (`partition`, `order`, `rank`), never a value from outside.

-- fetchers -----------------------------------------------------------------------------------------------------------

-- name: register
-- A new fetcher, unless its UUID or its contact and name are taken.
INSERT INTO fetcher (uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: fetcher
-- One fetcher.
SELECT uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen
FROM fetcher WHERE uuid = ?;

-- name: fetchers
-- All fetchers in the order of registration.
SELECT uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen
FROM fetcher ORDER BY registered, uuid;

-- name: replace_fetcher
-- Writes what may change about a fetcher, unless another one has that contact and name.
UPDATE OR IGNORE fetcher SET contact = ?, name = ?, token_digest = ?, location = ?, tld_preference = ?, address = ?, last_seen = ?
WHERE uuid = ?;

-- name: seen
-- Notes when a fetcher was last heard of.
UPDATE fetcher SET last_seen = ? WHERE uuid = ?;

-- name: remove_fetcher
-- Forgets a fetcher.
DELETE FROM fetcher WHERE uuid = ?;

-- name: free_sites_of_fetcher
-- Makes the sites free that a fetcher holds; the delay after what it was given stays.
UPDATE site SET lease = 0, next_due = min(next_due, :now), state = 0, ready = max(next_allowed, blocked)
WHERE (id, lease) IN (SELECT site, number FROM lease WHERE fetcher = :fetcher);

-- name: remove_leases_of_fetcher
-- Forgets the lists of a fetcher.
DELETE FROM lease WHERE fetcher = ?;

-- name: remove_homes
-- Takes the assignments to a fetcher back.
UPDATE site SET home = '' WHERE home = ?;

-- adding -------------------------------------------------------------------------------------------------------------

-- name: sites_by_fqdn
-- Numbers of sites by host.
SELECT site.fqdn, site.id FROM json_each(?) AS wanted CROSS JOIN site ON site.fqdn = wanted.value;

-- name: held
-- How many pages of a site may be handed out, and how many links from other sites it has.
SELECT urls - backlog, referrals FROM site WHERE id = ?;

-- name: last_site
-- The highest number that a site ever had.
SELECT last_site FROM total;

-- name: add_site
-- A new site without pages.
INSERT INTO site (id, fqdn, tld, hash, ready, next_due) VALUES (?, ?, ?, ?, 9e999, 9e999);

-- name: known_pages
-- URLs under these numbers.
SELECT address.id, address.url FROM json_each(?) AS wanted CROSS JOIN address ON address.id = wanted.value;

-- name: add_pages
-- Pages, the changing part.
INSERT INTO page (id, due, visited, status) VALUES {rows};

-- name: add_addresses
-- Pages, the lasting part.
INSERT INTO address (id, url, discovered, pagerank, cash) VALUES {rows};

-- name: grow_site
-- Counts new pages of a site (?1) and puts it at its place in the queue: pages, visited, sum of visits, sum of PageRank, first
-- found, first due, backlog, delay, cash.
UPDATE site SET urls = urls + ?2, visited = visited + ?3, sum_visited = sum_visited + ?4, sum_pagerank = sum_pagerank + ?5,
    discovered = min(coalesce(discovered, ?6), ?6), next_due = min(next_due, ?7), backlog = backlog + ?8, delay = coalesce(delay, ?9),
    cash = cash + ?10,
    ready = CASE WHEN lease <> 0 OR state = 1 THEN ready ELSE max(next_allowed, blocked, min(next_due, ?7)) END
WHERE id = ?1;

-- name: rank_sites
-- Ranks available sites anew after their sums changed.
UPDATE site SET rank = {rank} WHERE state = 1 AND id IN (SELECT value FROM json_each(:ids));

-- name: rank_range
-- Ranks the available among these sites anew, since time has passed.
UPDATE site SET rank = {rank} WHERE state = 1 AND id BETWEEN :first AND :last;

-- name: big_sites
-- Sites among these that are big, or have become too big to be looked through.
SELECT id FROM site WHERE id IN (SELECT value FROM json_each(?)) AND (big = 1 OR urls > ?);

-- name: index_site
-- Marks a site as big.
UPDATE site SET big = 1 WHERE id = ?;

-- name: index_pages
-- Puts the pages of a big site into the index by due time.
UPDATE page SET big = 1 WHERE id BETWEEN ? AND ? AND big = 0;

-- name: count_sites
-- Counts new sites.
UPDATE total SET sites = sites + ?, last_site = last_site + ?;

-- name: count_new
-- Counts new pages.
UPDATE total SET urls = urls + ?, visited = visited + ?, sum_visited = sum_visited + ?, backlog = backlog + ?;

-- leasing ------------------------------------------------------------------------------------------------------------

-- name: pick_waiting
-- Sites that are ready, when no other order than that of time is kept.
SELECT id, lease, fqdn, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big, slow
FROM site WHERE state = 0 AND ready <= :now {partition} ORDER BY {order} LIMIT :limit;

-- name: pick_available
-- Sites that are available, in the order that is set or another.
SELECT id, lease, fqdn, tld, hash, delay, urls, sum_pagerank, ipv4, ipv6, big, slow
FROM site WHERE state = 1 {partition} ORDER BY {order} LIMIT :limit;

-- name: promote
-- Makes sites available whose time has come.
UPDATE site SET state = 1, lease = 0, next_due = min(next_due, :now), rank = {rank}
WHERE id IN (SELECT id FROM site WHERE state = 0 AND ready <= :now ORDER BY ready LIMIT :limit);

-- name: due_pages
-- The pages of a site that are due first, and one more to tell when the rest is.
SELECT address.url, address.pagerank, address.discovered, p.visited, p.due, address.etag, address.last_modified, p.content, p.id
FROM (SELECT id, due, visited, content FROM page WHERE id BETWEEN ? AND ? ORDER BY due LIMIT ?) AS p
CROSS JOIN address ON address.id = p.id;

-- name: due_pages_big
-- The same for a big site, by its index.
SELECT address.url, address.pagerank, address.discovered, p.visited, p.due, address.etag, address.last_modified, p.content, p.id
FROM (SELECT id, due, visited, content FROM page WHERE id >> 36 = ? AND big = 1 ORDER BY due LIMIT ?) AS p
CROSS JOIN address ON address.id = p.id;

-- name: ordered_pages
-- Due pages of a site in another order.
SELECT address.url, address.pagerank, address.discovered, page.visited, page.due, address.etag, address.last_modified, page.content, page.id
FROM page CROSS JOIN address ON address.id = page.id
WHERE page.id BETWEEN :first AND :last AND page.due <= :now {seen} ORDER BY {order}, page.id LIMIT :limit;

-- name: next_due
-- When the first page of a site is due that is not among these.
SELECT coalesce(min(due), 9e999) FROM page WHERE id BETWEEN ? AND ? AND id NOT IN (SELECT value FROM json_each(?));

-- name: last_numbers
-- The last numbers given to a lease and to a site.
SELECT lease, last_site FROM total;

-- name: take_numbers
-- Takes lease numbers.
UPDATE total SET lease = lease + ?;

-- name: add_leases
-- Notes lists.
INSERT INTO lease (number, site, fetcher, at, until, delay, release, full, pages) VALUES {rows};

-- name: lease_site
-- Reserves a site that waited.
UPDATE site SET lease = ?, until = ?, ready = ?, next_allowed = ?, next_due = ? WHERE id = ?;

-- name: lease_site_ranked
-- Reserves a site that was available.
UPDATE site SET lease = ?, until = ?, ready = ?, next_allowed = ?, next_due = ?, state = 0 WHERE id = ?;

-- name: postpone
-- Puts a site back that had nothing due after all.
UPDATE site SET lease = 0, state = 0, next_due = :due, ready = max(next_allowed, blocked, :due) WHERE id = :id;

-- name: free_expired
-- Frees sites whose reservation has expired; the delay counts from its end, since nobody said when the last request was.
UPDATE site SET lease = 0, next_allowed = max(next_allowed, site.until + held.delay), next_due = min(next_due, :now),
    ready = max(next_allowed, site.until + held.delay, blocked)
FROM lease AS held WHERE site.id = held.site AND site.lease = held.number AND site.until <= :now;

-- name: forget_leases
-- Forgets lists that ended long ago.
DELETE FROM lease WHERE until < ? AND NOT EXISTS (SELECT 1 FROM site WHERE site.lease = lease.number AND site.id = lease.site);

-- reporting ----------------------------------------------------------------------------------------------------------

-- name: receipt
-- The answer that a report of this key got.
SELECT answer FROM receipt WHERE fetcher = ? AND key = ?;

-- name: add_receipt
-- Notes the answer that a report gets.
INSERT INTO receipt (fetcher, key, at, answer) VALUES (?, ?, ?, ?);

-- name: forget_receipts
-- Forgets old answers.
DELETE FROM receipt WHERE at < ?;

-- name: leases
-- Lists by number, with the sites as they are.
SELECT lease.number, lease.site, lease.fetcher, lease.at, lease.until, lease.delay, lease.release, lease.full, lease.pages,
    site.fqdn, site.lease, site.delay, site.errors, site.slow, site.price, site.blocked, site.next_due, site.big
FROM json_each(?) AS wanted CROSS JOIN lease ON lease.number = wanted.value CROSS JOIN site ON site.id = lease.site;

-- name: lease_by_fqdn
-- The number of the list that holds a site now.
SELECT lease FROM site WHERE fqdn = ?;

-- name: pages
-- What a visit changes, by number, in the order asked.
SELECT page.content, page.due, coalesce(page.visited, -1.0), page.status, page.failures, page.looks, page.changes, page.span, page.rate
FROM json_each(?) AS wanted CROSS JOIN page ON page.id = wanted.value;

-- name: plain_pages
-- What a visit that teaches nothing changes, by number, in the order asked.
SELECT coalesce(page.visited, -1.0), page.failures + page.status
FROM json_each(?) AS wanted CROSS JOIN page ON page.id = wanted.value;

-- name: visit_page
-- A page after a visit.
UPDATE page SET due = ?, visited = ?, status = ?, failures = ?, looks = ?, changes = ?, span = ?, rate = ?, content = ?, spare = NULL WHERE id = ?;

-- name: revisit_page
-- A page after a visit that taught nothing but its time.
UPDATE page SET due = ?, visited = ?, spare = NULL WHERE id = ?;

-- name: revisit_pages
-- The same for pages visited at the same time, or reported without one.
UPDATE page SET due = ?, visited = ?, spare = NULL WHERE id IN (SELECT value FROM json_each(?));

-- name: validators
-- What a server gave to ask "changed since?" with.
UPDATE address SET etag = ?, last_modified = ? WHERE id = ?;

-- name: end_lease
-- A site after the report of its list.
UPDATE site SET lease = 0, ready = ?1, next_allowed = ?2, next_due = ?3, visited = visited + ?4, sum_visited = sum_visited + ?5,
    sum_rate = sum_rate + ?6, errors = ?7, slow = ?8, delay = ?9, price = ?10, soft_404 = soft_404 + ?11 WHERE id = ?13 AND ?12 = 0;

-- name: keep_lease
-- A site after a report that does not free it: nothing becomes earlier.
UPDATE site SET next_allowed = max(next_allowed, :next_allowed), next_due = min(next_due, :next_due),
    visited = visited + :visited, sum_visited = sum_visited + :sum_visited, sum_rate = sum_rate + :sum_rate,
    errors = :errors, slow = :slow, delay = :delay, soft_404 = soft_404 + :soft_404,
    lease = CASE lease WHEN :ended THEN 0 ELSE lease END, state = 0, ready = max(ready, :next_allowed)
WHERE id = :site;

-- name: addresses_of_site
-- Where a site was found.
UPDATE site SET ipv4 = CASE ? WHEN '' THEN ipv4 ELSE ? END, ipv6 = CASE ? WHEN '' THEN ipv6 ELSE ? END WHERE id = ?;

-- name: end_leases
-- Forgets lists that were reported.
DELETE FROM lease WHERE number IN (SELECT value FROM json_each(?));

-- name: shorten_lease
-- Keeps a list with those of its pages that are not reported yet.
UPDATE lease SET pages = ? WHERE number = ?;

-- name: count_visits
-- Counts what was visited.
UPDATE total SET visits = visits + ?, visited = visited + ?, sum_visited = sum_visited + ?;

-- name: add_round_trip
-- A measurement.
INSERT OR REPLACE INTO round_trip (site, fetcher, at, seconds) VALUES (?, ?, ?, ?);

-- name: forget_round_trips
-- Forgets old measurements.
DELETE FROM round_trip WHERE at < ?;

-- questions ----------------------------------------------------------------------------------------------------------

-- name: totals
-- What is counted.
SELECT (SELECT count(*) FROM fetcher), sites, urls, visited, (SELECT count(*) FROM lease JOIN site ON site.id = lease.site AND site.lease = lease.number),
    sum_visited, visits, edges, backlog FROM total;

-- name: holdings
-- How many sites each fetcher has reserved, and when the first of these reservations ends.
SELECT lease.fetcher, count(*), min(site.until) FROM lease JOIN site ON site.id = lease.site AND site.lease = lease.number
GROUP BY lease.fetcher;

-- name: site_facts
-- Sites after one, by host.
SELECT site.fqdn, site.tld, site.hash, site.delay, site.ready, coalesce(lease.fetcher, ''), CASE site.lease WHEN 0 THEN NULL ELSE site.until END,
    site.urls, site.visited, site.discovered, site.sum_visited, site.sum_pagerank, site.sum_rate, site.sum_in_degree, site.cash,
    site.errors, site.slow, site.backlog, site.home, site.ipv4, site.ipv6
FROM site LEFT JOIN lease ON lease.number = site.lease AND site.lease <> 0
WHERE site.fqdn {which} ? ORDER BY site.fqdn LIMIT ?;

-- name: set_delay
-- The crawl delay of a site.
UPDATE site SET delay = ? WHERE fqdn = ?;

-- name: block
-- No list of a site before then; an earlier time takes a block back.
UPDATE site SET blocked = :until, state = 0,
    ready = max(next_allowed, :until, CASE lease WHEN 0 THEN next_due ELSE until END) WHERE fqdn = :fqdn;

-- name: site_numbers
-- The lowest and highest page number of a site, or of all.
SELECT (SELECT min(id) FROM address WHERE id BETWEEN ?1 AND ?2), (SELECT max(id) FROM address WHERE id BETWEEN ?1 AND ?2);

-- name: url_from
-- The first URL from a number on.
SELECT url FROM address WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1;

-- name: urls_between
-- URLs of a site.
SELECT url FROM address WHERE id BETWEEN ? AND ? ORDER BY id;

-- name: get_setting
-- One setting.
SELECT value FROM setting WHERE key = ?;

-- name: put_setting
-- Writes a setting.
INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: wait_all
-- Makes available sites wait again: the order by time needs no other.
UPDATE site SET state = 0 WHERE state = 1;

-- the graph ----------------------------------------------------------------------------------------------------------

-- name: cash
-- The cash of pages.
SELECT address.id, address.cash FROM json_each(?) AS wanted CROSS JOIN address ON address.id = wanted.value;

-- name: add_edges
-- Links, unless they are known.
INSERT INTO edge (source, target) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
ON CONFLICT DO NOTHING RETURNING source, target;

-- name: link_page
-- A page at one of the ends of a link.
UPDATE address SET cash = cash + ?, in_degree = in_degree + ?, history = history + ? WHERE id = ?;

-- name: link_site
-- A site with pages at one of the ends of a link.
UPDATE site SET cash = cash + ?, sum_in_degree = sum_in_degree + ?, referrals = referrals + ? WHERE id = ?;

-- name: count_edges
-- Counts new links.
UPDATE total SET edges = edges + ?;

-- name: sites_with_backlog
-- Sites among these that have a backlog, and how much they hold.
SELECT id, urls - backlog, referrals FROM site WHERE id IN (SELECT value FROM json_each(?)) AND backlog > 0;

-- name: admit_pages
-- Takes pages out of the backlog, in the order of their numbers.
UPDATE page SET status = 0, due = 0.0
WHERE id IN (SELECT id FROM page WHERE id BETWEEN ? AND ? AND status = 5 ORDER BY id LIMIT ?);

-- name: admit_site
-- A site after pages left its backlog.
UPDATE site SET backlog = backlog - :pages, next_due = min(next_due, 0.0),
    ready = CASE WHEN lease <> 0 OR state = 1 THEN ready ELSE max(next_allowed, blocked) END WHERE id = :site;

-- name: count_admitted
-- Counts pages that left a backlog.
UPDATE total SET backlog = backlog - ?;

-- name: edges_after
-- Links after one, in order.
SELECT source, target FROM edge WHERE (source, target) > (?, ?) ORDER BY source, target LIMIT ?;

-- name: resum_pagerank
-- The sum of PageRank of a site, from its pages.
UPDATE site SET sum_pagerank = (SELECT coalesce(sum(pagerank), 0.0) FROM address WHERE id BETWEEN ? << 36 AND (? << 36) + 68719476735)
WHERE id = ?;

-- name: site_edges
-- Links between sites, and how many.
SELECT source >> 36, target >> 36, count(*) FROM edge WHERE source >> 36 <> target >> 36 GROUP BY 1, 2 ORDER BY 1, 2;

-- name: round_trips
-- Measurements since a time.
SELECT site.fqdn, round_trip.fetcher, round_trip.seconds FROM round_trip JOIN site ON site.id = round_trip.site WHERE round_trip.at >= ?;

-- name: mirrors
-- Pairs of sites by the number of contents they share; contents that many sites have (empty pages) say nothing.
WITH copies AS (SELECT DISTINCT content, id >> 36 AS site FROM page WHERE content <> ''),
    shared AS (SELECT content FROM copies GROUP BY content HAVING count(*) BETWEEN 2 AND 20)
SELECT one.fqdn, other.fqdn, count(*) AS pages
FROM shared JOIN copies AS a ON a.content = shared.content JOIN copies AS b ON b.content = shared.content AND b.site > a.site
JOIN site AS one ON one.id = a.site JOIN site AS other ON other.id = b.site
GROUP BY a.site, b.site HAVING count(*) > 1 ORDER BY pages DESC, one.fqdn, other.fqdn LIMIT ?;

-- upkeep -------------------------------------------------------------------------------------------------------------

-- name: recount_sites
-- How many sites have sums that differ from their pages', and how many would wait although a page is due.
WITH counted AS (
    SELECT page.id >> 36 AS site, count(*) AS urls, count(page.visited) AS visited, total(page.visited) AS sum_visited,
        total(page.rate) AS sum_rate, total(address.pagerank) AS sum_pagerank, total(address.in_degree) AS sum_in_degree,
        total(address.cash) AS cash, total(page.status = 5) AS backlog, min(page.due) AS due, min(address.discovered) AS discovered
    FROM page JOIN address ON address.id = page.id GROUP BY page.id >> 36
)
SELECT total(site.urls <> coalesce(counted.urls, 0)) AS urls,
    total(site.visited <> coalesce(counted.visited, 0)) AS visited,
    total(abs(site.sum_visited - coalesce(counted.sum_visited, 0)) > 1e-3 * (1 + site.urls)) AS sum_visited,
    total(abs(site.sum_rate - coalesce(counted.sum_rate, 0)) > 1e-9 * (1 + abs(site.sum_rate))) AS sum_rate,
    total(abs(site.sum_pagerank - coalesce(counted.sum_pagerank, 0)) > 1e-9 * (1 + abs(site.sum_pagerank))) AS sum_pagerank,
    total(site.sum_in_degree <> coalesce(counted.sum_in_degree, 0)) AS sum_in_degree,
    total(abs(site.cash - coalesce(counted.cash, 0)) > 1e-6 * (1 + abs(site.cash))) AS cash,
    total(site.backlog <> coalesce(counted.backlog, 0)) AS backlog,
    total(site.discovered IS NOT counted.discovered) AS discovered,
    total(site.lease = 0 AND site.state = 0 AND site.ready > max(site.next_allowed, site.blocked, coalesce(counted.due, 9e999))) AS ready,
    total(site.big = 1 AND EXISTS (SELECT 1 FROM page WHERE id BETWEEN site.id << 36 AND (site.id << 36) + 68719476735 AND big = 0)) AS big
FROM site LEFT JOIN counted ON counted.site = site.id;

-- name: recount_totals
-- Which totals differ from the sites'.
SELECT total.sites <> count(site.id) AS total_sites, total.urls <> total(site.urls) AS total_urls,
    total.visited <> total(site.visited) AS total_visited,
    abs(total.sum_visited - total(site.sum_visited)) > 1e-3 * (1 + total.urls) AS total_sum_visited,
    total.backlog <> total(site.backlog) AS total_backlog, total.edges <> (SELECT count(*) FROM edge) AS total_edges,
    (SELECT count(*) FROM site AS held WHERE held.lease <> 0 AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.number = held.lease)) AS leases
FROM total LEFT JOIN site ON true;

-- name: clear_homes
-- No site is assigned to anybody.
UPDATE site SET home = '' WHERE home <> '';

-- name: clear_reservations
-- Every site is free, but not before its delay has passed.
UPDATE site SET lease = 0, state = 0, next_due = CASE urls WHEN 0 THEN next_due ELSE 0 END,
    ready = max(next_allowed, blocked, CASE urls WHEN 0 THEN next_due ELSE 0 END) WHERE lease <> 0;

-- name: clear_degrees_of_sites
-- No links: sites.
UPDATE site SET sum_in_degree = 0, referrals = 0;

-- name: clear_degrees
-- No links: pages.
UPDATE address SET in_degree = 0 WHERE in_degree <> 0;

-- name: clear_total_edges
-- No links: totals.
UPDATE total SET edges = 0;

-- name: clear_sums
-- Sites without pages.
UPDATE site SET ready = 9e999, state = 0, next_due = 9e999, urls = 0, visited = 0, sum_visited = 0, sum_rate = 0, sum_pagerank = 0,
    cash = 0, discovered = NULL, backlog = 0, big = 0;

-- name: clear_total_urls
-- Totals without pages.
UPDATE total SET urls = 0, visited = 0, sum_visited = 0, backlog = 0;
