-- How the pages of a site stand: well, failed or left out at their last try; the others wait for their first.
ALTER TABLE frontier.site ADD COLUMN well integer NOT NULL DEFAULT 0;
ALTER TABLE frontier.site ADD COLUMN failed integer NOT NULL DEFAULT 0;
ALTER TABLE frontier.site ADD COLUMN left_out integer NOT NULL DEFAULT 0;
ALTER TABLE frontier.total ADD COLUMN well bigint NOT NULL DEFAULT 0;
ALTER TABLE frontier.total ADD COLUMN failed bigint NOT NULL DEFAULT 0;
ALTER TABLE frontier.total ADD COLUMN left_out bigint NOT NULL DEFAULT 0;
UPDATE frontier.site SET well = counted.well, failed = counted.failed, left_out = counted.left_out FROM (
    SELECT page.bucket, page.site, count(*) FILTER (WHERE page.visited IS NOT NULL AND page.status NOT IN (1, 2, 3, 4) AND page.failures = 0) AS well,
        count(*) FILTER (WHERE page.status IN (2, 3, 4) OR (page.status <> 1 AND page.failures > 0)) AS failed, count(*) FILTER (WHERE page.status = 1) AS left_out
    FROM frontier.page AS page GROUP BY page.bucket, page.site
) AS counted WHERE site.bucket = counted.bucket AND site.id = counted.site;
UPDATE frontier.total SET well = (SELECT coalesce(sum(well), 0) FROM frontier.site), failed = (SELECT coalesce(sum(failed), 0) FROM frontier.site),
    left_out = (SELECT coalesce(sum(left_out), 0) FROM frontier.site) WHERE bucket = 0;
