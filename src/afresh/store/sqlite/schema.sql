-- The SQLite store. The truth for new databases; old ones get here by migrations/NNNN_*.sql.
-- All times are seconds since 1970 UTC, all spans are seconds, unless a comment says otherwise.
-- A column added later goes to the end of its table, here as in its migration.
--
-- Every row that belongs to a site has the site's bucket, of {buckets}: what a PostgreSQL of several servers divides its rows by.
-- Here they lie in one file and are found by their numbers alone, so that nothing is kept for it: a site's number tells the bucket,
-- a resource has its site, and all else has its resource.

-- The unit of politeness. One row a site; it stays when its last resource goes, so that its delay is remembered.
CREATE TABLE site (
    id              INTEGER PRIMARY KEY,            -- n * {buckets} + bucket of its name; a site made later has a larger one
    name            TEXT NOT NULL UNIQUE,           -- host, registrable domain or service; written by add
    delay           REAL,                           -- between requests; written by the operator; NULL: the settings' minimum
    next_allowed    REAL NOT NULL DEFAULT 0,        -- no request before this; written by record
    retry_after     REAL,                           -- until when the server wants to be left alone; by record; NULL: it did not ask
    ready           REAL,                           -- max(lease expiry, next_allowed, earliest due or next_turn of its active resources);
                                                    -- by every statement that changes one of them; NULL: nothing to visit
    resources       INTEGER NOT NULL DEFAULT 0,     -- how many it has; by add, remove, record when one moves
    requests        INTEGER NOT NULL DEFAULT 0,     -- how many were made; written by record
    failures        INTEGER NOT NULL DEFAULT 0,     -- in a row, over all its resources; written by record
    lease           INTEGER,                        -- number of the open lease, n * {buckets} + bucket; by lease, release, record; NULL: free
    leased_resource INTEGER,                        -- the resource handed out; NULL with lease
    leased_by       TEXT,                           -- the fetcher that has it; NULL with lease
    leased_until    REAL,                           -- when the lease may be handed out again; NULL with lease
    crawl_delay     REAL,                           -- of robots.txt; by record; NULL: it asks for none
    answer          REAL NOT NULL DEFAULT 0,        -- how long an answer takes, smoothed; by record; 0: not known
    price           REAL NOT NULL DEFAULT 0,        -- of its own, where politeness binds; by plan_sites; 0: it does not
    frequency       REAL NOT NULL DEFAULT 0,        -- visits a second of its pages in turn; by plan_sites, record
    turn            REAL NOT NULL DEFAULT 0,        -- the site's own time in turns, see resource.turn; by record, plan_sites
    next_turn       REAL,                           -- when the next page's turn is; by record, plan_sites, hasten; NULL: at once
    turn_at         REAL,                           -- when turn was true: it grows by speed a second since; NULL: it stands still
    speed           REAL,                           -- turns a second; by record, by plan_sites with frequency; NULL: frequency
    state           BLOB NOT NULL DEFAULT x''       -- the page policy's numbers of the site, float64s, little endian; by record
) STRICT;

CREATE INDEX site_by_ready ON site (ready) WHERE ready IS NOT NULL;         -- the queue of sites
CREATE UNIQUE INDEX site_by_lease ON site (lease) WHERE lease IS NOT NULL;  -- finds what a report is about
CREATE INDEX site_failing ON site (failures) WHERE failures > 0;

-- Everything known about one URL between two visits. AUTOINCREMENT: the number of a removed resource is never
-- given to another. Wide columns come last: reading those in front then does not walk overflow pages.
CREATE TABLE resource (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id         INTEGER NOT NULL REFERENCES site (id),  -- by add; by record when the URL moves
    url_key         INTEGER NOT NULL,               -- first 64 bits of BLAKE2b(url without #part), signed; equal keys are compared in full
    kind            TEXT NOT NULL,                  -- feed, page or link; by add, record
    status          TEXT NOT NULL,                  -- active, paused, gone, blocked or damaged; by the operator, record, lease
    due             REAL NOT NULL,                  -- next visit; by add, the operator, record; infinity: never
    last_visit      REAL,                           -- any visit; by record; NULL: none yet
    last_ok         REAL,                           -- last successful visit; by record; NULL: none yet
    last_interval   REAL,                           -- the interval decided last; by record; NULL: none yet
    added           REAL NOT NULL,                  -- by add
    weight          REAL NOT NULL,                  -- importance; by the operator
    rule       TEXT,                           -- rule by name; by the operator; NULL: the settings' default
    pinned          REAL,                           -- interval fixed by the operator; NULL: predicted
    shortest           REAL,                           -- shortest interval; by the operator; NULL: the settings'
    longest            REAL,                           -- longest interval; by the operator; NULL: the settings'
    standard             REAL,                           -- interval where none can be computed; by the operator; NULL: the settings'
    max_age         REAL,                           -- Cache-Control of the last answer; by record; NULL: none given
    clock_offset    REAL NOT NULL DEFAULT 0,        -- our clock minus the server's; by record
    capacity        INTEGER NOT NULL DEFAULT 0,     -- largest window seen, entries; by record
    ok              INTEGER NOT NULL DEFAULT 0,     -- successful visits; this and the next seven by record
    not_modified    INTEGER NOT NULL DEFAULT 0,     -- of these, answered 304
    unreachable     INTEGER NOT NULL DEFAULT 0,     -- network failures and HTTP errors
    unparsable      INTEGER NOT NULL DEFAULT 0,     -- documents that could not be read
    misses          INTEGER NOT NULL DEFAULT 0,     -- windows that did not overlap the one before
    entries         INTEGER NOT NULL DEFAULT 0,     -- found so far
    failures        INTEGER NOT NULL DEFAULT 0,     -- in a row; 0: the last visit went well
    bytes           INTEGER NOT NULL DEFAULT 0,     -- received so far
    moving_days     INTEGER NOT NULL DEFAULT 0,     -- different days on which moving_target was seen; by record
    moving_last_day INTEGER NOT NULL DEFAULT -1,    -- days since 1970; by record; -1: never
    pattern         TEXT NOT NULL DEFAULT '',       -- update-pattern class; by record; '': not known yet
    last_result     TEXT,                           -- of the last visit; by record; NULL: none yet
    url             TEXT NOT NULL,                  -- canonical; by add, record (a confirmed permanent redirect)
    title           TEXT NOT NULL DEFAULT '',       -- by add, the operator; by record only while it is ''
    folder          TEXT NOT NULL DEFAULT '',       -- by add, the operator; '': none
    tags            TEXT NOT NULL DEFAULT '[]',     -- JSON array of strings; by add, the operator
    state_of        TEXT NOT NULL DEFAULT '',       -- the rule that state belongs to; by record; '': none
    etag            TEXT NOT NULL DEFAULT '',       -- as received; by record; '': none
    last_modified   TEXT NOT NULL DEFAULT '',       -- as received; by record; '': none
    moving_target   TEXT NOT NULL DEFAULT '',       -- where permanent redirects point; by record; '': nowhere
    error           TEXT NOT NULL DEFAULT '',       -- of the last visit; by record; '': none
    reason          TEXT NOT NULL DEFAULT '',       -- why due is when it is; by record
    facts           TEXT NOT NULL DEFAULT '',       -- FeedFacts as JSON; by record; '': never parsed
    state           BLOB NOT NULL DEFAULT x'',      -- float64s, little endian; by record
    window          BLOB NOT NULL DEFAULT x'',      -- n identities of 20 bytes, then n times as float64, little endian; by record
    turn            REAL,                           -- place in the order of its site, in requests to pages; by record, hasten;
                                                    -- NULL: none, visited by due; else due is an estimate for people
    frequency       REAL NOT NULL DEFAULT 0,        -- visits a second planned; by record; 0: not in turn
    announced       TEXT NOT NULL DEFAULT '',       -- JSON {signal: [count, latest]} since the last visit; by announce, record; '': none
    note            TEXT NOT NULL DEFAULT '',       -- what its owner wrote about it; by add, the operator; '': nothing
    saved           REAL,                           -- when its owner saved it elsewhere; by add; NULL: not known
    repaired        TEXT NOT NULL DEFAULT '',       -- JSON array: what had to be repaired in the document read last; by record; '': nothing
    asked           REAL                            -- when somebody asked for a visit now; by the operator, record; NULL: nobody waits
) STRICT;

CREATE INDEX resource_by_key ON resource (url_key);                                    -- is this URL known?
-- Full indexes with the status inside: over a partial one SQLite would still fetch the row to look at its status.
CREATE INDEX resource_by_site ON resource (site_id, status, turn, due);                -- the queues inside a site: by due, by turn
CREATE INDEX resource_by_due ON resource (status, due);                                -- how much is overdue
CREATE INDEX resource_failing ON resource (failures) WHERE failures > 0;
CREATE INDEX resource_repaired ON resource (id) WHERE repaired <> '';
CREATE INDEX resource_remarked ON resource (last_result) WHERE error <> '' AND failures = 0;
CREATE INDEX resource_asked_for ON resource (asked) WHERE asked IS NOT NULL;             -- who takes the next request
CREATE INDEX resource_by_title ON resource (kind, title, url, tags, folder);           -- search, and the order by title

-- The log: one row a recorded visit.
CREATE TABLE visit (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    started         REAL NOT NULL,
    finished        REAL NOT NULL,
    result          TEXT NOT NULL,                  -- what it came to, see core.models.Result
    status          INTEGER,                        -- HTTP; NULL: no answer came
    bytes           INTEGER NOT NULL,               -- received
    etag            TEXT NOT NULL,                  -- '': none
    last_modified   TEXT NOT NULL,                  -- '': none
    date            REAL,                           -- the server's clock; NULL: not given
    expires         REAL,                           -- NULL: not given
    max_age         REAL,                           -- NULL: not given
    window_size     INTEGER,                        -- entries in the document; NULL: no document
    new             INTEGER NOT NULL,               -- entries not seen in the window before
    missed          INTEGER NOT NULL,               -- 1: the windows did not overlap
    next_due        REAL NOT NULL,                  -- what was decided
    reason          TEXT NOT NULL,                  -- and why
    error           TEXT NOT NULL,                  -- '': none
    repaired        TEXT NOT NULL DEFAULT ''        -- JSON array: what had to be repaired in the document; '': nothing
) STRICT;

CREATE INDEX visit_of_resource ON visit (resource_id);
CREATE INDEX visit_by_time ON visit (finished);                                        -- pruning

-- Entries found, in one sequence for all readers. AUTOINCREMENT and one writer at a time: a number is visible before
-- any later one is, so reading on from the last seen skips nothing. An entry that left the window and came back
-- is new again (Reichert §3.5.2), hence no uniqueness over (resource, uid); record drops doubles within one visit.
CREATE TABLE entry (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    uid             BLOB NOT NULL,                  -- identity, SHA-1
    published       REAL NOT NULL,                  -- corrected
    published_raw   REAL,                           -- as published; NULL: no usable date
    found           REAL NOT NULL,                  -- time of the visit that found it
    initial         INTEGER NOT NULL,               -- 1: was in the first window, its delay means nothing
    after_gap       INTEGER NOT NULL,               -- 1: entries before it may have been missed
    updated         REAL,                           -- as published; NULL: not given
    date_source     TEXT NOT NULL,                  -- the element the date came from; '': none
    native_id       TEXT NOT NULL,                  -- Atom id, RSS guid, JSON Feed id; '': none
    title           TEXT NOT NULL,
    link            TEXT NOT NULL,
    author          TEXT NOT NULL,
    categories      TEXT NOT NULL,                  -- JSON array of strings
    summary         TEXT NOT NULL,                  -- as received: hostile until shown safely
    content         TEXT NOT NULL,                  -- as received: hostile until shown safely
    language        TEXT NOT NULL DEFAULT '',       -- of the entry where it says so itself; '': that of the feed
    enclosures      TEXT NOT NULL DEFAULT ''        -- JSON array of {url, type, length}; '': none
) STRICT;

CREATE INDEX entry_of_resource ON entry (resource_id);
CREATE INDEX entry_by_publication ON entry (resource_id, published);                   -- counts of the last days
CREATE INDEX entry_by_time ON entry (found);                                           -- pruning

-- Entries with what readers and queries want to know of their resource.
CREATE VIEW offered_entry AS
SELECT entry.*, resource.url AS url, resource.folder AS folder, resource.tags AS tags, resource.weight AS weight,
    resource.title AS source_title, resource.kind AS kind
FROM entry JOIN resource ON resource.id = entry.resource_id;

-- Raw answers kept for study, oldest dropped first (record keeps the table within its limits).
CREATE TABLE document (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    at              REAL NOT NULL,                  -- when it arrived
    why             TEXT NOT NULL,                  -- unparsable or news
    stored          INTEGER NOT NULL,               -- bytes of body as kept here
    headers         TEXT NOT NULL,
    body            BLOB NOT NULL                   -- zlib
) STRICT;

CREATE INDEX document_of_resource ON document (resource_id);

-- What visits came to, minute by minute for the last two days; written by record. Minute -1 is the sum of all time.
CREATE TABLE activity (
    minute          INTEGER PRIMARY KEY,            -- of visit.finished, since 1970
    new             INTEGER NOT NULL DEFAULT 0,     -- visits by result: this and the next nine
    same            INTEGER NOT NULL DEFAULT 0,
    not_modified    INTEGER NOT NULL DEFAULT 0,
    unparsable      INTEGER NOT NULL DEFAULT 0,
    throttled       INTEGER NOT NULL DEFAULT 0,
    http_error      INTEGER NOT NULL DEFAULT 0,
    gone            INTEGER NOT NULL DEFAULT 0,
    unreachable     INTEGER NOT NULL DEFAULT 0,
    refused         INTEGER NOT NULL DEFAULT 0,
    offline         INTEGER NOT NULL DEFAULT 0,
    entries         INTEGER NOT NULL DEFAULT 0,     -- entries found
    delayed         INTEGER NOT NULL DEFAULT 0,     -- of these, not initial: those with a delay
    delay           REAL NOT NULL DEFAULT 0,        -- sum of their delays
    missed          INTEGER NOT NULL DEFAULT 0,     -- entries taken for lost, by estimate: windows that did not overlap
    bytes           INTEGER NOT NULL DEFAULT 0      -- received
) STRICT;

-- Small totals: 'sites', 'resources/KIND/STATUS'; by store.sql.counting.
CREATE TABLE tally (
    name            TEXT PRIMARY KEY,
    value           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Numbers that there is one of: 'lease' (the last n given, see site.lease), 'query/generation' (changes of queries so far),
-- 'query/cursor' (entries up to this number were matched with the queries).
CREATE TABLE counter (
    name            TEXT PRIMARY KEY,
    value           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the daemon remembers between runs: the price, learnt parameters; 'buckets': how many there are.
CREATE TABLE setting (
    key             TEXT PRIMARY KEY,
    value           TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO setting (key, value) VALUES ('buckets', '{buckets}');

-- Query feeds: new feeds composed from old ones. AUTOINCREMENT: the number of a dropped query is never given again.
CREATE TABLE query (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL UNIQUE,           -- part of its address; by put_query
    title           TEXT NOT NULL,                  -- of its feed; '': the name
    text            TEXT NOT NULL,                  -- the statement as written
    version         INTEGER NOT NULL,               -- generation (see tally) in which it was last written
    created         REAL NOT NULL,
    modified        REAL NOT NULL,                  -- when its feed last changed; by put_query, record_matches
    places          INTEGER NOT NULL DEFAULT 0      -- entries ever taken; by put_query, record_matches
) STRICT;

-- The sources of a query in the order they were written.
CREATE TABLE query_source (
    query_id        INTEGER NOT NULL REFERENCES query (id) ON DELETE CASCADE,
    branch          INTEGER NOT NULL,               -- from 0
    selector        TEXT NOT NULL,                  -- what selects its entries, see core.queries.index
    label           TEXT NOT NULL,                  -- as written
    resource_id     INTEGER REFERENCES resource (id) ON DELETE SET NULL,  -- of 'resource:N'; NULL: another kind, or gone
    source_query_id INTEGER REFERENCES query (id),  -- of 'query:N'; NULL: another kind
    seen_before     INTEGER NOT NULL,               -- query_seen.seen of its selector when the query was made
    seen_backlog    INTEGER NOT NULL,               -- entries older than the query that were tested when it was made
    matched         INTEGER NOT NULL DEFAULT 0,     -- entries that passed; by put_query, record_matches
    PRIMARY KEY (query_id, branch)
) STRICT, WITHOUT ROWID;

CREATE INDEX query_source_of_resource ON query_source (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX query_source_of_query ON query_source (source_query_id) WHERE source_query_id IS NOT NULL;

-- Entries offered under each selector in use; one row serves all queries over it. Written by record_matches.
CREATE TABLE query_seen (
    selector        TEXT PRIMARY KEY,
    seen            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The archive of each query feed. Places are dense and never given again; a removed entry leaves a hole.
CREATE TABLE query_entry (
    query_id        INTEGER NOT NULL REFERENCES query (id) ON DELETE CASCADE,
    place           INTEGER NOT NULL,               -- from 1, in the order of taking
    seq             INTEGER NOT NULL REFERENCES entry (seq) ON DELETE CASCADE,
    identity        BLOB NOT NULL,                  -- 16 bytes; an entry is published once a query
    score           REAL NOT NULL,                  -- how well it answers the query
    taken           REAL NOT NULL,                  -- when
    PRIMARY KEY (query_id, place)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX query_entry_identity ON query_entry (query_id, identity);
CREATE INDEX query_entry_of_entry ON query_entry (seq);                                -- removing entries

-- What versions of pages showed, each picture once; at most those of the versions that are kept (record trims).
CREATE TABLE picture (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    mark            BLOB NOT NULL,                  -- SHA-1 of the picture
    content         BLOB NOT NULL,                  -- zstd; a PNG whose pixels are not packed, see parse.pictures
    base_id         INTEGER REFERENCES picture (id)  -- packed as what differs from this one; NULL: by itself
) STRICT;

CREATE UNIQUE INDEX picture_of_resource ON picture (resource_id, mark);
CREATE INDEX picture_on_base ON picture (base_id) WHERE base_id IS NOT NULL;

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
    body            BLOB NOT NULL,                  -- zstd (before: zlib); hostile until shown in a sandbox
    base_id         INTEGER REFERENCES snapshot (id),  -- packed as what differs from this one; NULL: by itself
    picture_id      INTEGER REFERENCES picture (id) ON DELETE SET NULL,  -- what it showed; NULL: no picture was taken
    number          INTEGER NOT NULL DEFAULT 0      -- among those of its resource, from 1; 0: of no resource
) STRICT;

CREATE INDEX snapshot_of_resource ON snapshot (resource_id, at);
CREATE INDEX snapshot_on_base ON snapshot (base_id) WHERE base_id IS NOT NULL;
CREATE INDEX snapshot_by_picture ON snapshot (picture_id) WHERE picture_id IS NOT NULL;

-- What is known of one watched link besides its resource row. Written by record, accept_version, reject_version, set_usage.
CREATE TABLE link (
    resource_id     INTEGER PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
    usage           TEXT NOT NULL,                  -- referential, attributive or changing; by the operator
    entry           TEXT NOT NULL,                  -- waiting (never checked), ok, not_ok; running: its site is leased for it
    standing        TEXT NOT NULL,                  -- ok, moved, broken, suspect (failing, within grace) or unknown
    status          TEXT,                           -- of the newest check, see core.verdicts.status; NULL: none yet
    checked         REAL,                           -- when that was; NULL: none yet
    reference_id    INTEGER REFERENCES snapshot (id) ON DELETE SET NULL,  -- compared with; moves on acceptance only
    accepted        REAL,                           -- when the reference was accepted; NULL: none yet, or a candidate
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

-- What signals that a page has changed (sitemaps, feeds, pings) proved worth at a site. Written by record, announce.
CREATE TABLE signal (
    site_id         INTEGER NOT NULL REFERENCES site (id) ON DELETE CASCADE,
    kind            TEXT NOT NULL,                  -- see core.revisits.values.Signal
    announced_changes REAL NOT NULL DEFAULT 0,      -- visits that found a change that had been announced
    silent_changes  REAL NOT NULL DEFAULT 0,        -- visits that found one that had not
    false_alarms    REAL NOT NULL DEFAULT 0,        -- announcements of changes that were not there
    watched         REAL NOT NULL DEFAULT 0,        -- seconds between the visits counted
    PRIMARY KEY (site_id, kind)
) STRICT, WITHOUT ROWID;

-- Notices: which events are told to which target. AUTOINCREMENT: the number of a dropped notice is never given again.
CREATE TABLE notice (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    topic           TEXT NOT NULL,                  -- entries, query, tag, folder, failing, broken or pages
    subject         TEXT NOT NULL,                  -- name of a query feed, a tag or a folder; '': the topic has none
    query_id        INTEGER REFERENCES query (id) ON DELETE CASCADE,  -- of topic query; NULL: another topic
    target          TEXT NOT NULL,                  -- http(s): a signed webhook; else a URL of apprise. May hold passwords
    secret          TEXT NOT NULL,                  -- of a webhook's signature; '': none
    digest          REAL NOT NULL,                  -- seconds events are gathered; 0: sent at once
    quiet           TEXT NOT NULL,                  -- hours without notices; '': none
    cursor          REAL NOT NULL,                  -- place, entry, visit or time that was looked at last; by put_events
    created         REAL NOT NULL
) STRICT;

CREATE INDEX notice_of_query ON notice (query_id) WHERE query_id IS NOT NULL;

-- Events that go to a target together. Made before the first try: after a crash the same mark is tried again.
CREATE TABLE delivery (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    notice_id       INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    mark            TEXT NOT NULL,                  -- by which the other side knows it
    created         REAL NOT NULL,
    attempts        INTEGER NOT NULL DEFAULT 0,     -- so far; by settle_delivery
    next_try        REAL,                           -- NULL: settled, taken or given up
    sent            REAL,                           -- when the target took it; NULL: it did not
    error           TEXT NOT NULL DEFAULT ''        -- of the last try; '': none
) STRICT;

CREATE INDEX delivery_of_notice ON delivery (notice_id, sent);
CREATE INDEX delivery_open ON delivery (notice_id, id) WHERE next_try IS NOT NULL;

-- The outbox: events that wait, and those told lately, for an event is told once a notice.
CREATE TABLE outbox (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    notice_id       INTEGER NOT NULL REFERENCES notice (id) ON DELETE CASCADE,
    key             TEXT NOT NULL,                  -- identity of the event
    kind            TEXT NOT NULL,                  -- see base.records.notices.EventKind
    at              REAL NOT NULL,                  -- when it happened
    title           TEXT NOT NULL,                  -- as received: hostile
    link            TEXT NOT NULL,                  -- as received: hostile
    detail          TEXT NOT NULL,
    source          TEXT NOT NULL,                  -- title or URL of its feed
    created         REAL NOT NULL,                  -- when it was put here
    delivery_id     INTEGER REFERENCES delivery (id) ON DELETE CASCADE, -- NULL: waits
    resource        INTEGER,                        -- number of the feed, page or link; it may have been removed. NULL: none
    feed_url        TEXT NOT NULL DEFAULT '',       -- its address then
    summary         TEXT NOT NULL DEFAULT ''        -- of an entry, plain text; '': none
) STRICT;

CREATE UNIQUE INDEX outbox_once ON outbox (notice_id, key);
CREATE INDEX outbox_waiting ON outbox (notice_id, id) WHERE delivery_id IS NULL;
CREATE INDEX outbox_of_delivery ON outbox (delivery_id) WHERE delivery_id IS NOT NULL;

-- Subscriptions with WebSub hubs: one a resource.
CREATE TABLE subscription (
    resource_id     INTEGER PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
    hub             TEXT NOT NULL,                  -- whom we asked
    topic           TEXT NOT NULL,                  -- what for: the feed as it calls itself
    token           TEXT NOT NULL UNIQUE,           -- the secret part of our callback's address
    secret          TEXT NOT NULL,                  -- what the hub signs with
    state           TEXT NOT NULL,                  -- asked, live, refused or failed
    asked           REAL NOT NULL,                  -- when the hub was last asked
    expires         REAL,                           -- NULL: not verified yet
    next_try        REAL NOT NULL,                  -- when the hub is asked again; infinity: never
    failures        INTEGER NOT NULL,               -- in a row
    pings           INTEGER NOT NULL,               -- contents told and rightly signed
    last_ping       REAL,                           -- NULL: none yet
    misses          INTEGER NOT NULL,               -- polls since the last ping that found what had not been told
    error           TEXT NOT NULL                   -- '': none
) STRICT;

CREATE INDEX subscription_by_turn ON subscription (next_try);

-- The daemons that share this store (one, on SQLite).
CREATE TABLE daemon (
    name            TEXT PRIMARY KEY,               -- machine and process
    since           REAL NOT NULL,                  -- when it began
    seen            REAL NOT NULL,                  -- when it last said that it is there; by beat
    requests        INTEGER NOT NULL,               -- in the hour before
    leads_since     REAL,                           -- NULL: it follows
    status          TEXT NOT NULL DEFAULT 'ok',     -- ok, degraded, failing; stopped after an end in good order
    troubles        TEXT NOT NULL DEFAULT '[]'      -- JSON: what, why, since, times of each
) STRICT, WITHOUT ROWID;

-- Buckets that all daemons draw from: 'requests' and 'bytes'.
CREATE TABLE allowance (
    name            TEXT PRIMARY KEY,
    tokens          REAL NOT NULL,                  -- negative: owed
    at              REAL NOT NULL                   -- when that was true
) STRICT, WITHOUT ROWID;

-- What is watched of pages, where that is not usual: by page, by site or by tag.
CREATE TABLE watch (
    scope           TEXT PRIMARY KEY,               -- 'page:17', 'site:example.org' or 'tag:prices'
    resource_id     INTEGER REFERENCES resource (id) ON DELETE CASCADE,  -- of 'page:…'; NULL: of more than one
    parts           TEXT NOT NULL                   -- JSON, see base.records.watches
) STRICT;

CREATE INDEX watch_of_resource ON watch (resource_id);

-- What the last visits of a page showed.
CREATE TABLE page_memory (
    resource_id     INTEGER PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
    watch           TEXT NOT NULL,                  -- what was watched then, as in watch.parts
    lines           BLOB NOT NULL,                  -- zstd; what the visit before showed, a line a line
    told            BLOB,                           -- zstd; what was shown when a change was told last; NULL: the same
    restless        TEXT NOT NULL,                  -- JSON: parts that change at every visit
    remark          TEXT NOT NULL                   -- what it shows instead of itself; '': itself
) STRICT;

-- Addresses that resources had before they moved, or before somebody gave them another: lists that people keep name these.
CREATE TABLE former_address (
    url_key         INTEGER NOT NULL,               -- as in resource
    resource_id     INTEGER NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
    url             TEXT NOT NULL,
    PRIMARY KEY (url_key, resource_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX former_address_of_resource ON former_address (resource_id);

-- What robots.txt said, for the day that it holds.
CREATE TABLE robots (
    address         TEXT PRIMARY KEY,               -- of the robots.txt; by keep
    read            REAL NOT NULL,                  -- when; by keep
    status          INTEGER NOT NULL,               -- as of HTTP; 4xx: there is none; by keep
    body            BLOB NOT NULL                   -- zlib; by keep
) STRICT;

CREATE INDEX robots_by_read ON robots (read);
