-- Statements about single sites, taken for a request that no plan foresaw.

-- name: take_site
-- Reserves one site without a resource, if it may be asked now and nobody has it.
UPDATE site SET lease = :lease, leased_resource = NULL, leased_by = :holder, leased_until = :until,
    ready = CASE WHEN ready IS NULL THEN ready ELSE :until END
WHERE name = :name AND next_allowed <= :now AND coalesce(leased_until, 0) <= :now RETURNING id;

-- name: leave_site
-- Ends such a reservation after a request; the site is left alone until then at least.
UPDATE site SET lease = NULL, leased_resource = NULL, leased_by = NULL, leased_until = NULL,
    next_allowed = max(next_allowed, :next_allowed), requests = requests + 1
WHERE lease = :lease RETURNING id;
