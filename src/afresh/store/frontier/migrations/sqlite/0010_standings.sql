-- How the pages of a site stand: well, failed or left out at their last try; the others wait for their first.
ALTER TABLE site ADD COLUMN well INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE total ADD COLUMN well INTEGER NOT NULL DEFAULT 0;
ALTER TABLE total ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE total ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
UPDATE site SET well = counted.well, failed = counted.failed, left_out = counted.left_out FROM (
    SELECT page.site, count(*) FILTER (WHERE page.visited IS NOT NULL AND page.status NOT IN (1, 2, 3, 4) AND page.failures = 0) AS well,
        count(*) FILTER (WHERE page.status IN (2, 3, 4) OR (page.status <> 1 AND page.failures > 0)) AS failed, count(*) FILTER (WHERE page.status = 1) AS left_out
    FROM page AS page GROUP BY page.site
) AS counted WHERE site.id = counted.site;
UPDATE total SET well = (SELECT coalesce(sum(well), 0) FROM site), failed = (SELECT coalesce(sum(failed), 0) FROM site),
    left_out = (SELECT coalesce(sum(left_out), 0) FROM site) WHERE bucket = 0;
