-- What robots.txt said is kept for the day it holds: a restart and commands beside the daemon need not ask again.
CREATE TABLE robots (
    address         text COLLATE "C" PRIMARY KEY,
    read            double precision NOT NULL,
    status          bigint NOT NULL,
    body            bytea NOT NULL
);

CREATE INDEX robots_by_read ON robots (read);
