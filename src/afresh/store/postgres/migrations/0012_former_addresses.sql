-- Addresses that resources had before they moved, or before somebody gave them another: lists that people keep name these.
CREATE TABLE former_address (
    url_key         bigint NOT NULL,
    resource_id     bigint NOT NULL,
    url             text NOT NULL,
    PRIMARY KEY (url_key, resource_id)
);

CREATE INDEX former_address_of_resource ON former_address (resource_id);
