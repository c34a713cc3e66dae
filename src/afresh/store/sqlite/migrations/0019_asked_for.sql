-- What somebody waits for takes the next request, before whatever else is due.
ALTER TABLE resource ADD COLUMN asked REAL;
CREATE INDEX resource_asked_for ON resource (asked) WHERE asked IS NOT NULL;
