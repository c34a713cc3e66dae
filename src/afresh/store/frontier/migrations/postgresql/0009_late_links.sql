-- Links of visited pages that lead to a server which did not answer: added when it is back. Empty on a single server.
CREATE TABLE frontier.late_link (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    crawl integer NOT NULL,
    at float8 NOT NULL,
    links bytea NOT NULL                      -- JSON, compressed: pages, each with all it links to
);
