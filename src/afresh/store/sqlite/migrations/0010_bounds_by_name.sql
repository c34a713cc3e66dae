-- The operator's wishes for a resource carry the names that options and settings have.
ALTER TABLE resource RENAME COLUMN predictor TO rule;
ALTER TABLE resource RENAME COLUMN alpha TO shortest;
ALTER TABLE resource RENAME COLUMN beta TO longest;
ALTER TABLE resource RENAME COLUMN eta TO standard;
