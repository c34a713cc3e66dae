-- Links: stored versions, the reference each is compared with, ratings and models.

-- Stored versions of links, at most some of each (record trims; the reference, a rejected version and pages of labels
-- stay). A version whose visible text is that of the newest one is not stored again, only seen again.
CREATE TABLE snapshot (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER REFERENCES resource (id) ON DELETE SET NULL,  -- NULL: a page of an example, or its link is gone
    at              REAL NOT NULL,                  -- when it was fetched, or when the archive did
    last_seen       REAL NOT NULL,                  -- when this text was seen last; by record
    origin          TEXT NOT NULL,                  -- check, archive or example (fetched for a manual example)
    url             TEXT NOT NULL,                  -- where it came from, after redirects
    title           TEXT NOT NULL,                  -- '': none
    content_type    TEXT NOT NULL,                  -- as received; '': none
    mark            BLOB NOT NULL,                  -- SHA-1 of the visible text, of the bytes where there is none
    size            INTEGER NOT NULL,               -- bytes of the document as read (it is cut at a limit)
    stored          INTEGER NOT NULL,               -- bytes of body as kept here
    body            BLOB NOT NULL                   -- zlib; hostile until shown in a sandbox
) STRICT;

CREATE INDEX snapshot_of_resource ON snapshot (resource_id, at);

-- What is known of one watched link besides its resource row. Written by record, accept_version, reject_version, set_usage.
CREATE TABLE link (
    resource_id     INTEGER PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
    usage           TEXT NOT NULL,                  -- referential or attributive; by the operator
    entry           TEXT NOT NULL,                  -- waiting (never checked), ok, not_ok; running: its site is leased for it
    standing        TEXT NOT NULL,                  -- ok, moved, broken, suspect (failing, within grace) or unknown
    status          TEXT,                           -- of the newest check, see core.verdicts.status; NULL: none yet
    checked         REAL,                           -- when that was; NULL: none yet
    reference_id    INTEGER REFERENCES snapshot (id) ON DELETE SET NULL,  -- compared with; moves on acceptance only
    accepted        REAL,                           -- when the reference was accepted; NULL: no reference yet
    accepted_by     TEXT NOT NULL DEFAULT '',       -- who accepted it; '': the first version, taken by itself
    probability     REAL,                           -- P(same page) against the reference; NULL: not compared
    step            REAL,                           -- P(same page) against the version before; NULL: not compared
    drifted         INTEGER NOT NULL DEFAULT 0,     -- 1: each step small, together no longer the page accepted
    turned          TEXT,                           -- what it turned into, see core.verdicts.signals; NULL: nothing
    new_url         TEXT NOT NULL DEFAULT '',       -- where it moved to; '': nowhere
    failures        INTEGER NOT NULL DEFAULT 0,     -- checks in a row without an answer that counts; our own outages left out
    failing_days    INTEGER NOT NULL DEFAULT 0,     -- different days with such a check
    failing_day     INTEGER NOT NULL DEFAULT -1,    -- the last of them, days since 1970; -1: none
    failing_since   REAL,                           -- the first of them; NULL: not failing
    changed         REAL,                           -- when standing changed last; NULL: never
    detail          TEXT NOT NULL DEFAULT '',       -- of the newest check, for people
    rejected_id     INTEGER REFERENCES snapshot (id) ON DELETE SET NULL  -- a version a person said is not the page; NULL: none
) STRICT;

CREATE INDEX link_by_standing ON link (standing, resource_id);

-- The checks of a link, newest last; at most some of each (record trims).
CREATE TABLE link_check (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    at              REAL NOT NULL,
    url             TEXT NOT NULL,                  -- where the answer came from, after redirects
    http            INTEGER,                        -- HTTP status; NULL: no answer came
    status          TEXT NOT NULL,                  -- see core.verdicts.status
    size            INTEGER NOT NULL,               -- bytes received
    snapshot_id     INTEGER REFERENCES snapshot (id) ON DELETE SET NULL,  -- what it brought; NULL: nothing, or trimmed since
    against_id      INTEGER REFERENCES snapshot (id) ON DELETE SET NULL,  -- the reference then; NULL: none
    probability     REAL,                           -- P(same page); NULL: not compared
    turned          TEXT,                           -- NULL: nothing
    new_url         TEXT NOT NULL,                  -- '': nowhere
    message         TEXT NOT NULL,                  -- reasons, or the error; '': none
    overruled       TEXT                            -- what a person said instead; by accept_version, reject_version; NULL: none
) STRICT;

CREATE INDEX link_check_of_resource ON link_check (resource_id, id);

-- Ratings: a pair of versions and what a person says of it. Versions a label speaks of are never trimmed.
CREATE TABLE label (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    old_id          INTEGER NOT NULL REFERENCES snapshot (id) ON DELETE CASCADE,  -- the older version
    new_id          INTEGER NOT NULL REFERENCES snapshot (id) ON DELETE CASCADE,  -- the newer one
    check_id        INTEGER REFERENCES link_check (id) ON DELETE SET NULL,  -- the check it corrects; NULL: none
    verdict         TEXT,                           -- equal, different, unknown or skip; NULL: waits for a rating
    machine         TEXT,                           -- what the model said when it was rated; NULL: not asked
    origin          TEXT NOT NULL,                  -- correction (by accept_version, reject_version), rating or manual
    rater           TEXT NOT NULL,                  -- who; '': the operator
    at              REAL NOT NULL,                  -- when it was rated, or put up for rating
    weight          REAL NOT NULL DEFAULT 1,        -- in training; 0: devalued
    session         TEXT NOT NULL DEFAULT '',       -- rating session not saved yet; '': saved
    vector          TEXT,                           -- measure values as a JSON object; NULL: not computed
    note            TEXT NOT NULL DEFAULT ''        -- of the rater
) STRICT;

CREATE INDEX label_of_old ON label (old_id);
CREATE INDEX label_of_new ON label (new_id);
CREATE INDEX label_of_check ON label (check_id) WHERE check_id IS NOT NULL;
CREATE INDEX label_of_rater ON label (rater, id);

-- Trained verdict models: plain arrays in JSON with a checksum, never code.
CREATE TABLE model (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    owner           TEXT NOT NULL,                  -- whose; '': everybody's
    version         INTEGER NOT NULL,               -- from 1, counted by owner
    parent_id       INTEGER REFERENCES model (id) ON DELETE SET NULL,  -- active when it was trained; NULL: the shipped one
    created         REAL NOT NULL,
    active          INTEGER NOT NULL DEFAULT 0,     -- 1: used for its owner's verdicts; at most one an owner
    activated       REAL,                           -- when it was put to use last; NULL: never
    kernel          TEXT NOT NULL,
    measures        TEXT NOT NULL,                  -- JSON array of names, in the order of the vector
    examples        INTEGER NOT NULL,               -- labels it was trained on
    settings        TEXT NOT NULL,                  -- JSON: how it was trained (C, gamma, time limit, transduction, seed)
    figures         TEXT NOT NULL,                  -- JSON: validation figures, beside those of its parent
    body            TEXT NOT NULL,                  -- as core.verdicts.dump_model writes it
    note            TEXT NOT NULL DEFAULT '',
    UNIQUE (owner, version)
) STRICT;

CREATE UNIQUE INDEX model_in_use ON model (owner) WHERE active = 1;

-- With its resource a link's versions go, but not those a label speaks of.
CREATE TRIGGER resource_versions BEFORE DELETE ON resource BEGIN
    DELETE FROM snapshot WHERE resource_id = old.id
        AND id NOT IN (SELECT old_id FROM label UNION ALL SELECT new_id FROM label);
END;
