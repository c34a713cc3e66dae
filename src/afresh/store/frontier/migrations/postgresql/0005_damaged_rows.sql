-- Rows that could not be read: made readable, and handed out to nobody until somebody has looked at them.
CREATE TABLE frontier.set_aside (
    part text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    wrong text NOT NULL,
    lost smallint NOT NULL,
    blocked float8 NOT NULL DEFAULT 0,
    PRIMARY KEY (part, id)
);
