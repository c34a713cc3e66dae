-- The daemons that share a store, and what all of them may still spend.
CREATE TABLE daemon (
    name            text COLLATE "C" PRIMARY KEY,
    since           double precision NOT NULL,
    seen            double precision NOT NULL,
    requests        bigint NOT NULL,
    leads_since     double precision
) WITH (fillfactor = 50);

CREATE TABLE allowance (
    name            text COLLATE "C" PRIMARY KEY,
    tokens          double precision NOT NULL,
    at              double precision NOT NULL
) WITH (fillfactor = 50);
