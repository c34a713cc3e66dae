-- What fetchers reported, kept for sinks until every one of them has taken it; empty where there is no sink.
CREATE TABLE frontier.result (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number bigint,                            -- given to committed rows by one hand; NULL: not yet
    at float8 NOT NULL,
    size integer NOT NULL,
    pages bytea NOT NULL
);
CREATE INDEX result_number ON frontier.result (number);
