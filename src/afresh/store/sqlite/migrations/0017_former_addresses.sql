-- Addresses that resources had before they moved, or before somebody gave them another: lists that people keep name these.
CREATE TABLE former_address (
    url_key         INTEGER NOT NULL,               -- as in resource
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    url             TEXT NOT NULL,
    PRIMARY KEY (url_key, resource_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX former_address_of_resource ON former_address (resource_id);
