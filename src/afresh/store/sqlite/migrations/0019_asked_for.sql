-- What somebody waits for takes the next request, before whatever else is due.
ALTER TABLE resource ADD COLUMN asked REAL;
CREATE INDEX resource_asked_for ON resource (asked) WHERE asked IS NOT NULL;
-- A page that answers and does not show what is watched of it needs attention, too.
CREATE INDEX resource_remarked ON resource (last_result) WHERE error <> '' AND failures = 0;
