"""The table of what an operator looks at, pauses and removes."""

from typing import Any

from afresh.doors.rest.doorkeeper import Need
from afresh.doors.rest.frontier import inside as h
from afresh.doors.rest.frontier.door import Operation


def _query(name: str, words: str, **schema: Any) -> dict[str, Any]:
    text = {"type": "string", "maxLength": 8_192, "pattern": "^[^\\x00]*$"}
    return {"name": name, "in": "query", "required": False, "description": words, "schema": schema or text}


_LIMIT = _query("limit", "Most items.", type="integer", minimum=1, maximum=h.MOST_ITEMS, default=100)
_AFTER = _query("after", "The `next` of the answer before.", type="string", maxLength=300, pattern="^[^\\x00]*$")
_CURSOR = _query(
    "after", "The `next` of the answer before.", type="string", pattern=r"^([0-9]{1,9}\.(-1|[0-9]{1,18}))?$"
)
CRAWL = _query("crawl", "The crawl; left out: the first.", type="string", maxLength=255, pattern="^[^\\x00]*$")
FQDN = _query("fqdn", "Only of this site.")
_CONTAINS = _query("contains", "Only URLs with this in them.")

INSIDE: tuple[Operation, ...] = (
    Operation(
        "GET",
        "/active",
        h.show_activity,
        "Whether lists are handed out",
        "False while the frontier is paused.",
        tag="system",
        answer=h.Activity,
        problems=(403,),
        need=Need.MEMBER,
    ),
    Operation(
        "PUT",
        "/active",
        h.set_activity,
        "Pause or resume all",
        "While paused, lists are empty, over every door and for every scheduler process within a second; reports and "
        "imports go on. It is remembered across restarts.",
        tag="system",
        body=h.Activity,
        answer=h.Activity,
        problems=(403,),
        need=Need.ADMIN,
        example={"active": False},
    ),
    Operation(
        "GET",
        "/sites",
        h.list_sites,
        "Sites with their counts",
        "By name, some at a time; or one of them.",
        tag="urls",
        answer=h.SitePage,
        problems=(403, 422),
        need=Need.ADMIN,
        parameters=(FQDN, _AFTER, _LIMIT, CRAWL),
    ),
    Operation(
        "GET",
        "/urls",
        h.find_urls,
        "Look for URLs",
        "With `url`, how that one stands and what its visits have taught (404: not known). Otherwise some of those "
        "that are stored, site by site; a filter may leave none of a part, so go on while there is a `next`.",
        tag="urls",
        answer=h.UrlState | h.UrlPage,
        problems=(403, 404, 422),
        need=Need.ADMIN,
        parameters=(_query("url", "This URL."), FQDN, _CONTAINS, _CURSOR, _LIMIT, CRAWL),
    ),
    Operation(
        "GET",
        "/failures",
        h.list_failures,
        "Pages of which nothing came",
        "The newest first, each URL once, with the reason: what this scheduler process was told since it started, some "
        "thousands. With `fqdn` also pages of that site that were not asked for: robots.txt forbids them, or it could "
        "not be read.",
        tag="urls",
        answer=h.FailureList,
        problems=(403, 422),
        need=Need.ADMIN,
        parameters=(FQDN, _LIMIT, CRAWL),
    ),
    Operation(
        "GET",
        "/urls/count",
        h.count_urls,
        "Count URLs",
        "With `contains`, by a look at every one of them.",
        tag="urls",
        answer=h.Count,
        problems=(403, 422),
        need=Need.ADMIN,
        parameters=(FQDN, _CONTAINS, CRAWL),
    ),
    Operation(
        "GET",
        "/urls/export",
        h.export_urls,
        "Export URLs",
        "One JSON object a line, while the frontier runs; what comes meanwhile may be among it.",
        tag="urls",
        answer=h.UrlView,
        media_type="application/x-ndjson",
        problems=(403, 422),
        need=Need.ADMIN,
        parameters=(FQDN, _CONTAINS, CRAWL),
    ),
    Operation(
        "DELETE",
        "/urls",
        h.remove_urls,
        "Remove URLs",
        "A site with its URLs (`fqdn`); with `older_than`, URLs that were found so many seconds ago or more, of that "
        "site or of all, except those in a list that somebody may report; or all of a crawl (`all=true`).",
        tag="urls",
        answer=h.Count,
        problems=(403, 422),
        need=Need.ADMIN,
        parameters=(
            FQDN,
            _query("older_than", "Seconds since they were found.", type="number", minimum=0, maximum=3_153_600_000),
            _query("all", "true: everything of the crawl.", type="boolean"),
            CRAWL,
        ),
    ),
)
