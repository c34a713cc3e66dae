"""The table of the frontier's REST interface (spec §4)."""

from afresh.doors.rest.doorkeeper import Need
from afresh.doors.rest.frontier import answers, bodies
from afresh.doors.rest.frontier import handlers as h
from afresh.doors.rest.frontier.door import IMPORT_TYPES, Operation
from afresh.doors.rest.frontier.inside_operations import CRAWL, INSIDE
from afresh.doors.rest.frontier.queue_operations import QUEUEING

_FETCHER = "6f2c1f0e-8a50-4d1c-9a0f-2f6f6d0a6b1e"
_KEY_HEADER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes a repetition harmless; the same as `key` in the body.",
    "schema": {"type": "string", "maxLength": 200, "pattern": "^[ -~]*$"},
}
_AMOUNT = {
    "name": "amount",
    "in": "query",
    "required": False,
    "description": "How many.",
    "schema": {"type": "integer", "minimum": 0, "maximum": h.MOST_RANDOM, "default": 1},
}
_FQDN = {
    "name": "fqdn",
    "in": "query",
    "required": False,
    "description": "Only of this site.",
    "schema": {"type": "string", "maxLength": 300, "pattern": "^[^\\x00]*$"},
}

_ALL: tuple[Operation, ...] = (
    Operation(
        "POST",
        "/fetchers",
        h.create_fetcher,
        "Register a fetcher",
        "Creates an account. The answer holds its UUID and its secret token, which is shown this once.",
        tag="fetchers",
        body=bodies.NewFetcher,
        answer=answers.NewAccount,
        status=201,
        problems=(403, 409),
        need=Need.JOIN,
        example={"contact": "ops@example.org", "name": "fetcher-1", "location": "Vienna", "tld_preference": "at"},
    ),
    Operation(
        "PUT",
        "/fetchers",
        h.reset_fetcher,
        "Reset a fetcher",
        "Sets what is given and empties the rest; contact and name stay if left out.",
        tag="fetchers",
        body=bodies.ResetFetcher,
        answer=answers.Fetcher,
        problems=(403, 404, 409),
        example={"uuid": _FETCHER, "tld_preference": "de"},
    ),
    Operation(
        "PATCH",
        "/fetchers",
        h.update_fetcher,
        "Change a fetcher",
        "Sets what is given and leaves the rest.",
        tag="fetchers",
        body=bodies.ChangedFetcher,
        answer=answers.Fetcher,
        problems=(403, 404, 409),
        example={"uuid": _FETCHER, "location": "Graz"},
    ),
    Operation(
        "DELETE",
        "/fetchers",
        h.delete_fetcher,
        "Delete a fetcher",
        "With its reservations: its sites become free, their delays stay.",
        tag="fetchers",
        body=bodies.FetcherKey,
        status=204,
        problems=(403, 404),
        example={"uuid": _FETCHER},
    ),
    Operation(
        "POST",
        "/fetchers/restart",
        h.restart_fetcher,
        "Begin anew",
        "A fetcher's process has started and knows nothing of the lists of the one before: their sites become free, "
        "each after its pause from now on. A report of such a list that still arrives is `late`.",
        tag="fetchers",
        body=bodies.FetcherKey,
        answer=answers.Restart,
        problems=(403, 404),
        example={"uuid": _FETCHER},
    ),
    Operation(
        "GET",
        "/fetchers",
        h.list_fetchers,
        "All fetchers",
        "By registration, which is the order hash partitionings count them in.",
        tag="fetchers",
        answer=list[answers.Fetcher],
        problems=(403,),
        need=Need.ADMIN,
    ),
    Operation(
        "POST",
        "/frontiers",
        h.reserve_list,
        "Ask for a list",
        "Chooses sites and reserves them in one step: until `latest_return` nobody else gets them. Nothing to "
        "fetch is an empty list. A list is full with 50,000 URLs, however many sites are asked for; a long one is "
        "sent while it is made. An answer above 150 kB is packed if the client accepts gzip.",
        tag="crawl",
        body=bodies.WantedList,
        answer=answers.UrlFrontier,
        problems=(403, 404),
        example={"fetcher_uuid": _FETCHER, "amount": 50, "length": 10},
    ),
    Operation(
        "POST",
        "/results",
        h.take_results,
        "Report results",
        "Takes over what was fetched and found, and releases the sites. Each site gets a standing: `accepted`, "
        "`late` (its reservation had expired; visits are kept) or `unknown` (never reserved by this fetcher; "
        "nothing is taken over). A site with `partial: true` stays reserved for the pages of its list that are not "
        "reported yet, until the `latest_return` of the answer. With a key, sending the same again changes nothing "
        "and gives the same answer; another body under the same key is refused (409).",
        tag="crawl",
        body=bodies.Results,
        answer=answers.Submission,
        problems=(403, 404, 409, 413),
        parameters=(_KEY_HEADER,),
        example={
            "uuid": _FETCHER,
            "key": "fetcher-1/17",
            "fqdns": [
                {
                    "fqdn": "www.example.com",
                    "reservation": 4711,
                    "fqdn_crawl_delay": 5.0,
                    "url_list": [
                        {"url": "https://www.example.com/", "links": ["https://www.example.com/next"], "bytes": 5120},
                        {"url": "https://www.example.com/old", "result": "not_found"},
                    ],
                }
            ],
        },
    ),
    Operation(
        "POST",
        "/urls",
        h.import_urls,
        "Import URLs",
        "As JSON (8 MB at most), as one JSON value (a URL or an object) a line, or as one URL a line; gzip is "
        "understood. A body that is wrong somewhere is refused as a whole. Known URLs stay as they are. What is no "
        "URL of the public web is counted as refused.",
        tag="urls",
        answer=answers.Import,
        problems=(400, 403, 413, 415, 422),
        raw_types=tuple(sorted(IMPORT_TYPES)),
        parameters=(CRAWL,),
        need=Need.ADMIN,
        example={"urls": ["https://www.example.com/", {"url": "https://e.org/", "fqdn_crawl_delay": 2}]},
    ),
    Operation(
        "GET",
        "/urls/random",
        h.random_urls,
        "Random known URLs",
        "For simulators and samples.",
        tag="urls",
        answer=answers.UrlList,
        problems=(403,),
        need=Need.MEMBER,
        parameters=(_AMOUNT, _FQDN),
    ),
    Operation(
        "GET",
        "/health",
        h.show_health,
        "How the frontier is doing",
        "Whether its store can be used, and what else does not work; answers whatever the store does.",
        tag="system",
        answer=answers.Health,
        problems=(403,),
        need=Need.MEMBER,
    ),
    Operation(
        "GET",
        "/stats",
        h.show_stats,
        "Totals",
        "Fetchers, sites, URLs, reservations, visits, links.",
        tag="system",
        answer=answers.Stats,
        problems=(403,),
        need=Need.MEMBER,
    ),
    Operation(
        "GET",
        "/settings",
        h.show_settings,
        "The settings",
        "Global strategies and limits, and what simulators read at start.",
        tag="system",
        answer=bodies.Settings,
        problems=(403,),
        need=Need.MEMBER,
    ),
    Operation(
        "PUT",
        "/settings",
        h.replace_settings,
        "Change the settings",
        "Resets what is left out. Every scheduler process follows within a second.",
        tag="system",
        body=bodies.Settings,
        answer=bodies.Settings,
        problems=(403,),
        need=Need.ADMIN,
        example={"fqdn_amount": 50, "url_amount": 10, "long_term_part_mode": "consistent_hashing"},
    ),
    Operation(
        "POST",
        "/database",
        h.generate_database,
        "Generate an example database",
        "The test system's sites and pages (only with --dev).",
        tag="development",
        body=bodies.ExampleDatabase,
        answer=answers.Stats,
        status=202,
        problems=(400, 403, 501),
        need=Need.ADMIN,
        example={"fqdn_amount": 20, "min_url_amount": 10, "max_url_amount": 100},
        dev=True,
    ),
    Operation(
        "DELETE",
        "/database",
        h.delete_database,
        "Delete the database, wholly or in part",
        "Only with --dev.",
        tag="development",
        body=bodies.Deletion,
        answer=answers.Stats,
        status=202,
        problems=(403,),
        need=Need.ADMIN,
        example={"delete_urls": True, "delete_fqdns": True},
        dev=True,
    ),
)

OPERATIONS = (*_ALL, *INSIDE, *QUEUEING)
