-- The statements about single sites.

-- name: site_by_name
-- One site.
SELECT * FROM site WHERE {bucket = :bucket AND} name = :name;

-- name: sites_after
-- A page of sites, by name.
SELECT * FROM site WHERE name > :after ORDER BY name LIMIT :limit;

-- name: sites_like
-- A page of sites with this in their name, by name.
SELECT * FROM site WHERE name > :after AND instr(lower(name), :text) > 0 ORDER BY name LIMIT :limit;

-- name: failing_sites_like
-- The same of sites that failed at their last request.
SELECT * FROM site WHERE failures > 0 AND name > :after AND instr(lower(name), :text) > 0 ORDER BY name LIMIT :limit;

-- name: set_site_delay
-- The operator's delay for a site.
UPDATE site SET delay = :delay WHERE {bucket = :bucket AND} name = :name;

-- name: take_site
-- Reserves one site without a resource, if it may be asked now and nobody has it.
UPDATE site SET lease = :lease, leased_resource = NULL, leased_by = :holder, leased_until = :until,
    ready = CASE WHEN ready IS NULL THEN ready ELSE :until END
WHERE {bucket = :bucket AND} name = :name AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now
RETURNING max(coalesce(delay, 0), coalesce(crawl_delay, 0)) AS pause;

-- name: leave_site
-- Ends such a reservation after a request; the site is left alone until then at least.
UPDATE site SET lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = max(next_allowed, :next_allowed), requests = requests + 1
WHERE {bucket = :lease % {buckets} AND} lease = :lease RETURNING id;
