-- What the pages count, find and sort without reading wide rows.
CREATE INDEX site_failing ON site (failures) WHERE failures > 0;
CREATE INDEX resource_by_title ON resource (kind, title, url, tags, folder);           -- search, and the order by title
