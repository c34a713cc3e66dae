-- The PostgreSQL store. The truth for new databases; old ones get here by migrations/NNNN_*.sql.
-- Tables and columns mean what they mean in ../sqlite/schema.sql, where each is explained; comments here say what is
-- different, and why. All times are seconds since 1970 UTC, all spans are seconds.
--
-- Buckets: every table that grows has `bucket`, that of its site, as part of its key; rows of one bucket can be on one server of
-- several. A site's number tells its bucket, and so does a lease's (number % {buckets}); numbers that people know (of resources,
-- entries, visits, versions …) do not, for they stay when a resource moves to another site. They come first in their keys:
-- who asks by number alone finds its row by the index. What has no bucket is small, and stays whole wherever it is.
-- `resource` and what grows with it most (`visit`, `entry`, `document`) are partitioned by bucket, eight buckets a partition.
-- Leasing and recording touch one partition a row; indexes stay small and shallow, vacuum works on one part at a time.
--
-- Where a row of a bucket points to a row that goes, no foreign key can say what is to happen on several servers, so the
-- statements that remove resources, versions and entries do what ON DELETE would.
-- Counters that every transaction adds to are rows by bucket, of which a transaction changes one, so that writers do not wait
-- for each other; readers add them up.
-- Texts sort by code point (COLLATE "C"), as in SQLite and in Python, whatever the database's language is.

-- What SQLite has and PostgreSQL lacks, so that one text can say it for both: the larger and the smaller of two numbers (of
-- nothing nothing; greatest and least pass over NULL), the place of a text in another, whether a JSON array has a string.
CREATE FUNCTION max(a double precision, b double precision) RETURNS double precision
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$ SELECT CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN a >= b THEN a ELSE b END $$;
CREATE FUNCTION min(a double precision, b double precision) RETURNS double precision
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$ SELECT CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN a <= b THEN a ELSE b END $$;
CREATE FUNCTION instr(whole text, part text) RETURNS integer
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$ SELECT strpos(whole, part) $$;
-- Damaged tags are none: only what is an array of strings is read as one.
CREATE FUNCTION has_tag(tags text, tag text) RETURNS boolean
    IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
    SELECT CASE WHEN tags ~ '^\[\s*("([^"\\[:cntrl:]]|\\["\\/bfnrt]|\\u(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*"(\s*,\s*(?=")|\s*(?=\])))*\]$'
        THEN tags::jsonb ? tag ELSE false END $$;

CREATE TABLE site (
    bucket          bigint NOT NULL,                -- of its name, see base.hashing
    id              bigint NOT NULL,                -- n * {buckets} + bucket, n of site_number
    name            text COLLATE "C" NOT NULL,
    delay           double precision,
    next_allowed    double precision NOT NULL DEFAULT 0,
    retry_after     double precision,
    ready           double precision,
    resources       bigint NOT NULL DEFAULT 0,
    requests        bigint NOT NULL DEFAULT 0,
    failures        bigint NOT NULL DEFAULT 0,
    lease           bigint,
    leased_resource bigint,
    leased_by       text,
    leased_until    double precision,
    crawl_delay     double precision,
    answer          double precision NOT NULL DEFAULT 0,
    price           double precision NOT NULL DEFAULT 0,
    frequency       double precision NOT NULL DEFAULT 0,
    turn            double precision NOT NULL DEFAULT 0,
    next_turn       double precision,
    turn_at         double precision,
    speed           double precision,
    state           bytea NOT NULL DEFAULT '',
    PRIMARY KEY (id, bucket),
    UNIQUE (name, bucket)                           -- the name tells the bucket; first, since sites are listed by name
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX site_by_ready ON site (ready) WHERE ready IS NOT NULL;
CREATE UNIQUE INDEX site_by_lease ON site (lease, bucket) WHERE lease IS NOT NULL;
CREATE INDEX site_failing ON site (failures) WHERE failures > 0;

-- The last n of a site's number: a site made later has a larger one.
CREATE SEQUENCE site_number AS bigint;

-- The last n of a lease's number, n * {buckets} + bucket. They only ever grow, among all processes: a late report can be told
-- from its successor's.
CREATE SEQUENCE lease_number AS bigint;

-- The last number given to a resource: never given to another. Adding is one at a time, so it is read and set.
CREATE SEQUENCE resource_number AS bigint;

CREATE TABLE resource (
    bucket          bigint NOT NULL,
    id              bigint NOT NULL,                -- by add, see resource_number
    site_id         bigint NOT NULL,
    url_key         bigint NOT NULL,                -- unique with url over all partitions: adding is one at a time
    kind            text NOT NULL,
    status          text NOT NULL DEFAULT 'active',
    due             double precision NOT NULL,
    last_visit      double precision,
    last_ok         double precision,
    last_interval   double precision,
    added           double precision NOT NULL,
    weight          double precision NOT NULL,
    rule       text,
    pinned          double precision,
    shortest           double precision,
    longest            double precision,
    standard             double precision,
    max_age         double precision,
    clock_offset    double precision NOT NULL DEFAULT 0,
    capacity        bigint NOT NULL DEFAULT 0,
    ok              bigint NOT NULL DEFAULT 0,
    not_modified    bigint NOT NULL DEFAULT 0,
    unreachable     bigint NOT NULL DEFAULT 0,
    unparsable      bigint NOT NULL DEFAULT 0,
    misses          bigint NOT NULL DEFAULT 0,
    entries         bigint NOT NULL DEFAULT 0,
    failures        bigint NOT NULL DEFAULT 0,
    bytes           bigint NOT NULL DEFAULT 0,
    moving_days     bigint NOT NULL DEFAULT 0,
    moving_last_day bigint NOT NULL DEFAULT -1,
    pattern         text NOT NULL DEFAULT '',
    last_result     text,
    url             text COLLATE "C" NOT NULL,
    title           text COLLATE "C" NOT NULL DEFAULT '',
    folder          text COLLATE "C" NOT NULL DEFAULT '',
    tags            text NOT NULL DEFAULT '[]',
    state_of        text NOT NULL DEFAULT '',
    etag            text NOT NULL DEFAULT '',
    last_modified   text NOT NULL DEFAULT '',
    moving_target   text NOT NULL DEFAULT '',
    error           text NOT NULL DEFAULT '',
    reason          text NOT NULL DEFAULT '',
    facts           text NOT NULL DEFAULT '',
    state           bytea NOT NULL DEFAULT ''::bytea,
    "window"        bytea NOT NULL DEFAULT ''::bytea,
    turn            double precision,
    frequency       double precision NOT NULL DEFAULT 0,
    announced       text NOT NULL DEFAULT '',
    note            text NOT NULL DEFAULT '',
    saved           double precision,
    repaired        text NOT NULL DEFAULT '',
    asked           double precision,
    PRIMARY KEY (id, bucket),
    FOREIGN KEY (site_id, bucket) REFERENCES site (id, bucket)
) PARTITION BY RANGE (bucket);

CREATE INDEX resource_by_key ON resource (url_key);
-- The queues inside a site, by due and by turn. Partial, unlike SQLite's: PostgreSQL does not take "turn IS NULL" for a
-- constant, and would sort.
CREATE INDEX resource_by_site ON resource (site_id, due) WHERE status = 'active' AND turn IS NULL;
CREATE INDEX resource_in_turn ON resource (site_id, turn, due) WHERE status = 'active' AND turn IS NOT NULL;
CREATE INDEX resource_by_due ON resource (status, due);
CREATE INDEX resource_failing ON resource (failures) WHERE failures > 0;
CREATE INDEX resource_repaired ON resource (id) WHERE repaired <> '';
CREATE INDEX resource_remarked ON resource (last_result) WHERE error <> '' AND failures = 0;
CREATE INDEX resource_asked_for ON resource (asked) WHERE asked IS NOT NULL;

-- When a site's next visit is wanted: the earliest due, or the next turn of its pages; NULL: never.
CREATE FUNCTION wanted(due double precision, has_turns boolean, next_turn double precision) RETURNS double precision
IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
    SELECT nullif(least(due, CASE WHEN has_turns THEN coalesce(next_turn, 0) END), 'Infinity')
$$;

CREATE TABLE visit (
    bucket          bigint NOT NULL,
    id              bigint GENERATED BY DEFAULT AS IDENTITY,
    resource_id     bigint NOT NULL,
    started         double precision NOT NULL,
    finished        double precision NOT NULL,
    result          text NOT NULL,
    status          bigint,
    bytes           bigint NOT NULL,
    etag            text NOT NULL,
    last_modified   text NOT NULL,
    date            double precision,
    expires         double precision,
    max_age         double precision,
    window_size     bigint,
    new             bigint NOT NULL,
    missed          bigint NOT NULL,
    next_due        double precision NOT NULL,
    reason          text NOT NULL,
    error           text NOT NULL,
    repaired        text NOT NULL DEFAULT '',
    PRIMARY KEY (id, bucket)
) PARTITION BY RANGE (bucket);

CREATE INDEX visit_of_resource ON visit (resource_id, id);
CREATE INDEX visit_by_time ON visit (finished);

-- Entries in one sequence for all readers. A number must be visible before any later one is, or a reader would pass it
-- by; with several writers that holds because numbers are drawn under an advisory lock kept until the commit.
CREATE TABLE entry (
    bucket          bigint NOT NULL,
    seq             bigint GENERATED BY DEFAULT AS IDENTITY,
    resource_id     bigint NOT NULL,
    uid             bytea NOT NULL,
    published       double precision NOT NULL,
    published_raw   double precision,
    found           double precision NOT NULL,
    initial         bigint NOT NULL,
    after_gap       bigint NOT NULL,
    updated         double precision,
    date_source     text NOT NULL,
    native_id       text NOT NULL,
    title           text NOT NULL,
    link            text NOT NULL,
    author          text NOT NULL,
    categories      text NOT NULL,
    summary         text NOT NULL,
    content         text NOT NULL,
    language        text NOT NULL DEFAULT '',
    enclosures      text NOT NULL DEFAULT '',
    PRIMARY KEY (seq, bucket)
) PARTITION BY RANGE (bucket);

CREATE INDEX entry_of_resource ON entry (resource_id, seq);
CREATE INDEX entry_by_publication ON entry (resource_id, published);
CREATE INDEX entry_by_time ON entry (found);

-- Entries with what readers and queries want to know of their resource.
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title, resource.kind AS kind
FROM entry JOIN resource ON resource.bucket = entry.bucket AND resource.id = entry.resource_id;

CREATE TABLE document (
    bucket          bigint NOT NULL,
    id              bigint GENERATED BY DEFAULT AS IDENTITY,
    resource_id     bigint NOT NULL,
    at              double precision NOT NULL,
    why             text NOT NULL,
    stored          bigint NOT NULL,
    headers         text NOT NULL,
    body            bytea NOT NULL,                 -- zlib
    PRIMARY KEY (id, bucket)
) PARTITION BY RANGE (bucket);

CREATE INDEX document_of_resource ON document (resource_id, id);

DO $$
DECLARE
    part integer;
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['resource', 'visit', 'entry', 'document'] LOOP
        FOR part IN 0..7 LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%s) TO (%s) %s',
                parent || '_' || part, parent, part * {buckets} / 8, (part + 1) * {buckets} / 8,
                -- A resource's row is rewritten at every visit: leave room beside it, and clean up early.
                CASE WHEN parent = 'resource'
                    THEN 'WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)' ELSE '' END);
        END LOOP;
    END LOOP;
END $$;

CREATE TABLE activity (
    bucket          bigint NOT NULL,                -- the writer's; sums over buckets are what counts
    minute          bigint NOT NULL,
    new             bigint NOT NULL DEFAULT 0,
    same            bigint NOT NULL DEFAULT 0,
    not_modified    bigint NOT NULL DEFAULT 0,
    unparsable      bigint NOT NULL DEFAULT 0,
    throttled       bigint NOT NULL DEFAULT 0,
    http_error      bigint NOT NULL DEFAULT 0,
    gone            bigint NOT NULL DEFAULT 0,
    unreachable     bigint NOT NULL DEFAULT 0,
    refused         bigint NOT NULL DEFAULT 0,
    offline         bigint NOT NULL DEFAULT 0,
    entries         bigint NOT NULL DEFAULT 0,
    delayed         bigint NOT NULL DEFAULT 0,
    delay           double precision NOT NULL DEFAULT 0,
    missed          bigint NOT NULL DEFAULT 0,
    bytes           bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (minute, bucket)
) WITH (fillfactor = 50);

CREATE TABLE tally (
    bucket          bigint NOT NULL,                -- the writer's; sums over buckets are what counts
    name            text COLLATE "C" NOT NULL,
    value           bigint NOT NULL,
    PRIMARY KEY (name, bucket)
) WITH (fillfactor = 50);

-- 'query/generation', 'query/cursor'; leases are counted by a sequence.
CREATE TABLE counter (
    name            text COLLATE "C" PRIMARY KEY,
    value           bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE setting (
    key             text COLLATE "C" PRIMARY KEY,
    value           text NOT NULL
);
INSERT INTO setting (key, value) VALUES ('buckets', '{buckets}');

CREATE TABLE query (
    id              bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name            text COLLATE "C" NOT NULL UNIQUE,
    title           text NOT NULL,
    text            text NOT NULL,
    version         bigint NOT NULL,
    created         double precision NOT NULL,
    modified        double precision NOT NULL,
    places          bigint NOT NULL DEFAULT 0
);

CREATE TABLE query_source (
    query_id        bigint NOT NULL REFERENCES query (id) ON DELETE CASCADE,
    branch          bigint NOT NULL,
    selector        text COLLATE "C" NOT NULL,
    label           text NOT NULL,
    resource_id     bigint,                         -- set to NULL when the resource goes
    source_query_id bigint REFERENCES query (id),
    seen_before     bigint NOT NULL,
    seen_backlog    bigint NOT NULL,
    matched         bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (query_id, branch)
);

CREATE INDEX query_source_of_resource ON query_source (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX query_source_of_query ON query_source (source_query_id) WHERE source_query_id IS NOT NULL;

CREATE TABLE query_seen (
    selector        text COLLATE "C" PRIMARY KEY,
    seen            bigint NOT NULL
);

CREATE TABLE query_entry (
    query_id        bigint NOT NULL REFERENCES query (id) ON DELETE CASCADE,
    place           bigint NOT NULL,
    seq             bigint NOT NULL,                -- removed with its entry
    identity        bytea NOT NULL,
    score           double precision NOT NULL,
    taken           double precision NOT NULL,
    PRIMARY KEY (query_id, place)
);

CREATE UNIQUE INDEX query_entry_identity ON query_entry (query_id, identity);
CREATE INDEX query_entry_of_entry ON query_entry (seq);

CREATE TABLE picture (
    bucket          bigint NOT NULL,
    id              bigint GENERATED BY DEFAULT AS IDENTITY,
    resource_id     bigint NOT NULL,
    mark            bytea NOT NULL,
    content         bytea NOT NULL,
    base_id         bigint,
    PRIMARY KEY (id, bucket),
    FOREIGN KEY (base_id, bucket) REFERENCES picture (id, bucket)
);

CREATE UNIQUE INDEX picture_of_resource ON picture (resource_id, mark, bucket);
CREATE INDEX picture_on_base ON picture (base_id) WHERE base_id IS NOT NULL;

CREATE TABLE snapshot (
    bucket          bigint NOT NULL,                -- of its resource, also when that is gone; 0: of an example
    id              bigint GENERATED BY DEFAULT AS IDENTITY,
    resource_id     bigint,
    at              double precision NOT NULL,
    last_seen       double precision NOT NULL,
    origin          text NOT NULL,
    url             text NOT NULL,
    title           text NOT NULL,
    content_type    text NOT NULL,
    mark            bytea NOT NULL,
    size            bigint NOT NULL,
    stored          bigint NOT NULL,
    body            bytea NOT NULL,
    base_id         bigint,
    picture_id      bigint,                         -- set to NULL when the resource goes, and its pictures with it
    number          bigint NOT NULL DEFAULT 0,      -- among those of its resource, from 1; 0: of no resource
    PRIMARY KEY (id, bucket),
    FOREIGN KEY (base_id, bucket) REFERENCES snapshot (id, bucket)
);

CREATE INDEX snapshot_of_resource ON snapshot (resource_id, at);
CREATE INDEX snapshot_on_base ON snapshot (base_id) WHERE base_id IS NOT NULL;
CREATE INDEX snapshot_by_picture ON snapshot (picture_id) WHERE picture_id IS NOT NULL;

CREATE TABLE link (
    bucket          bigint NOT NULL,
    resource_id     bigint NOT NULL,
    usage           text NOT NULL,
    entry           text NOT NULL,
    standing        text NOT NULL,
    status          text,
    checked         double precision,
    reference_id    bigint,                         -- never forgotten while it is one
    accepted        double precision,
    accepted_by     text NOT NULL DEFAULT '',
    probability     double precision,
    step            double precision,
    drifted         bigint NOT NULL DEFAULT 0,
    turned          text,
    new_url         text NOT NULL DEFAULT '',
    failures        bigint NOT NULL DEFAULT 0,
    failing_days    bigint NOT NULL DEFAULT 0,
    failing_day     bigint NOT NULL DEFAULT -1,
    failing_since   double precision,
    changed         double precision,
    detail          text NOT NULL DEFAULT '',
    rejected_id     bigint,                         -- never forgotten while it is one
    PRIMARY KEY (resource_id, bucket)
);

CREATE INDEX link_by_standing ON link (standing, resource_id);

CREATE TABLE link_check (
    bucket          bigint NOT NULL,
    id              bigint GENERATED BY DEFAULT AS IDENTITY,
    resource_id     bigint NOT NULL,
    at              double precision NOT NULL,
    url             text NOT NULL,
    http            bigint,
    status          text NOT NULL,
    size            bigint NOT NULL,
    snapshot_id     bigint,                         -- set to NULL when the version goes
    against_id      bigint,                         -- set to NULL when the version goes
    probability     double precision,
    turned          text,
    new_url         text NOT NULL,
    message         text NOT NULL,
    overruled       text,
    PRIMARY KEY (id, bucket)
);

CREATE INDEX link_check_of_resource ON link_check (resource_id, id);

CREATE TABLE label (
    id              bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    old_id          bigint NOT NULL,                -- never forgotten while a label speaks of it
    new_id          bigint NOT NULL,                -- never forgotten while a label speaks of it
    check_id        bigint,                         -- set to NULL when the check goes
    verdict         text,
    machine         text,
    origin          text NOT NULL,
    rater           text NOT NULL,
    at              double precision NOT NULL,
    weight          double precision NOT NULL DEFAULT 1,
    session         text NOT NULL DEFAULT '',
    vector          text,
    note            text NOT NULL DEFAULT ''
);

CREATE INDEX label_of_old ON label (old_id);
CREATE INDEX label_of_new ON label (new_id);
CREATE INDEX label_of_check ON label (check_id) WHERE check_id IS NOT NULL;
CREATE INDEX label_of_rater ON label (rater, id);

CREATE TABLE model (
    id              bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    owner           text NOT NULL,
    version         bigint NOT NULL,
    parent_id       bigint REFERENCES model (id) ON DELETE SET NULL,
    created         double precision NOT NULL,
    active          bigint NOT NULL DEFAULT 0,
    activated       double precision,
    kernel          text NOT NULL,
    measures        text NOT NULL,
    examples        bigint NOT NULL,
    settings        text NOT NULL,
    figures         text NOT NULL,
    body            text NOT NULL,
    note            text NOT NULL DEFAULT '',
    UNIQUE (owner, version)
);

CREATE UNIQUE INDEX model_in_use ON model (owner) WHERE active = 1;

CREATE TABLE signal (
    bucket          bigint NOT NULL,
    site_id         bigint NOT NULL,
    kind            text NOT NULL,
    announced_changes double precision NOT NULL DEFAULT 0,
    silent_changes  double precision NOT NULL DEFAULT 0,
    false_alarms    double precision NOT NULL DEFAULT 0,
    watched         double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (site_id, kind, bucket),
    FOREIGN KEY (site_id, bucket) REFERENCES site (id, bucket) ON DELETE CASCADE
);

CREATE TABLE notice (
    id              bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    topic           text NOT NULL,
    subject         text NOT NULL,
    query_id        bigint REFERENCES query (id) ON DELETE CASCADE,
    target          text NOT NULL,
    secret          text NOT NULL,
    digest          double precision NOT NULL,
    quiet           text NOT NULL,
    cursor          double precision NOT NULL,
    created         double precision NOT NULL
);

CREATE INDEX notice_of_query ON notice (query_id) WHERE query_id IS NOT NULL;

CREATE TABLE delivery (
    id              bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    notice_id       bigint NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    mark            text NOT NULL,
    created         double precision NOT NULL,
    attempts        bigint NOT NULL DEFAULT 0,
    next_try        double precision,
    sent            double precision,
    error           text NOT NULL DEFAULT ''
);

CREATE INDEX delivery_of_notice ON delivery (notice_id, sent);
CREATE INDEX delivery_open ON delivery (notice_id, id) WHERE next_try IS NOT NULL;

CREATE TABLE outbox (
    id              bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    notice_id       bigint NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    key             text NOT NULL,
    kind            text NOT NULL,
    at              double precision NOT NULL,
    title           text NOT NULL,
    link            text NOT NULL,
    detail          text NOT NULL,
    source          text NOT NULL,
    created         double precision NOT NULL,
    delivery_id     bigint REFERENCES delivery (id) ON DELETE CASCADE,
    resource        bigint,
    feed_url        text NOT NULL DEFAULT '',
    summary         text NOT NULL DEFAULT ''
);

CREATE UNIQUE INDEX outbox_once ON outbox (notice_id, key);
CREATE INDEX outbox_waiting ON outbox (notice_id, id) WHERE delivery_id IS NULL;
CREATE INDEX outbox_of_delivery ON outbox (delivery_id) WHERE delivery_id IS NOT NULL;

CREATE TABLE subscription (
    bucket          bigint NOT NULL,
    resource_id     bigint NOT NULL,
    hub             text NOT NULL,
    topic           text NOT NULL,
    token           text NOT NULL,
    secret          text NOT NULL,
    state           text NOT NULL,
    asked           double precision NOT NULL,
    expires         double precision,
    next_try        double precision NOT NULL,
    failures        bigint NOT NULL,
    pings           bigint NOT NULL,
    last_ping       double precision,
    misses          bigint NOT NULL,
    error           text NOT NULL,
    PRIMARY KEY (resource_id, bucket),
    UNIQUE (token, bucket)
);

CREATE INDEX subscription_by_turn ON subscription (next_try);

CREATE TABLE daemon (
    name            text COLLATE "C" PRIMARY KEY,
    since           double precision NOT NULL,
    seen            double precision NOT NULL,
    requests        bigint NOT NULL,
    leads_since     double precision,
    status          text NOT NULL DEFAULT 'ok',
    troubles        text NOT NULL DEFAULT '[]'
) WITH (fillfactor = 50);

CREATE TABLE allowance (
    name            text COLLATE "C" PRIMARY KEY,
    tokens          double precision NOT NULL,
    at              double precision NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE watch (
    scope           text COLLATE "C" PRIMARY KEY,
    resource_id     bigint,
    parts           text NOT NULL
);

CREATE INDEX watch_of_resource ON watch (resource_id);

CREATE TABLE page_memory (
    bucket          bigint NOT NULL,
    resource_id     bigint NOT NULL,
    watch           text NOT NULL,
    lines           bytea NOT NULL,
    told            bytea,
    restless        text NOT NULL,
    remark          text NOT NULL,
    PRIMARY KEY (resource_id, bucket)
);

CREATE TABLE former_address (
    url_key         bigint NOT NULL,
    resource_id     bigint NOT NULL,
    url             text NOT NULL,
    PRIMARY KEY (url_key, resource_id)
);

CREATE INDEX former_address_of_resource ON former_address (resource_id);

CREATE TABLE robots (
    address         text COLLATE "C" PRIMARY KEY,
    read            double precision NOT NULL,
    status          bigint NOT NULL,
    body            bytea NOT NULL
);

CREATE INDEX robots_by_read ON robots (read);
