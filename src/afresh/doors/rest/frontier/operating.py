"""Looking inside a frontier, pausing it, and removing from it: reads, asks the use case, answers."""

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from starlette.responses import Response

from afresh.base.records.frontier import FailedPage, PageResult, SiteFacts, UrlStanding
from afresh.base.records.queues import LONGEST_KEY, PageFacts, StoredPart, StoredUrl
from afresh.doors.presenting.showing import shown
from afresh.doors.rest.encoding import encode
from afresh.doors.rest.frontier.answers import Time, moment
from afresh.doors.rest.frontier.door import Asked, Routes, answer, in_query, stream
from afresh.doors.rest.problems import Refused
from afresh.doors.rest.who_asks import Need
from afresh.frontier.failures import group_of, why_failed, why_site
from afresh.frontier.queues import COUNTED_FAILURES, Queues, crawl_name

MOST_ITEMS = 1_000
_LONGEST = 8_192  # characters of a parameter
_LONGEST_AGE = 3_153_600_000  # seconds: a hundred years

routes = Routes()
_LIMIT = in_query("limit", "Most items.", type="integer", minimum=1, maximum=MOST_ITEMS, default=100)
_NEXT = "The `next` of the answer before."
_AFTER = in_query("after", _NEXT, type="string", maxLength=300, pattern="^[^\\x00]*$")
_CURSOR = in_query("after", _NEXT, type="string", pattern=r"^([0-9]{1,9}\.(-1|[0-9]{1,18}))?$")
CRAWL = in_query("crawl", "The crawl; left out: the first.", type="string", maxLength=255, pattern="^[^\\x00]*$")
FQDN = in_query("fqdn", "Only of this site.")
_CONTAINS = in_query("contains", "Only URLs with this in them.")
_REASON = in_query(
    "reason", f"Only those with this in their reason, in letters of either size; of the newest {COUNTED_FAILURES:,}."
)
_OLDER = in_query("older_than", "Seconds since they were found.", type="number", minimum=0, maximum=_LONGEST_AGE)
_ALL = in_query("all", "true: everything of the crawl.", type="boolean")


class Activity(Struct, forbid_unknown_fields=True, kw_only=True):
    """Whether anything is handed out."""

    active: bool


class SiteView(Struct, kw_only=True):
    """A site as the frontier sees it."""

    fqdn: str
    tld: str
    url_count: int
    visited_count: Annotated[
        int, Meta(description="Visited at least once, those among them that were not there (404).")
    ]
    visited_well_count: Annotated[int, Meta(description="Of which something came at the last try.")]
    failed_count: Annotated[int, Meta(description="Of which nothing came at the last try.")]
    left_out_count: Annotated[int, Meta(description="Not asked for: robots.txt forbids them.")]
    waiting_count: Annotated[int, Meta(description="Never tried. The four make up all URLs of the site.")]
    backlog_count: int
    crawl_delay: float | None
    ready: Annotated[Time | None, Meta(description="When it may be handed out; null: nothing to fetch.")]
    leased_by: Annotated[str, Meta(description="UUID of the fetcher that has it; empty: nobody.")]
    leased_by_name: Annotated[str, Meta(description="Its name; empty: nobody has it, or it is not registered.")]
    leased_until: Time | None
    first_discovered: Time | None
    mean_last_visited: Time | None
    mean_pagerank: float
    mean_changes_per_day: float
    mean_change_rate: Annotated[
        float,
        Meta(description="Old name: changes a second. Until the next version.", extra_json_schema={"deprecated": True}),
    ]
    errors: Annotated[int, Meta(description="Failures in a row.")]
    why: Annotated[
        str,
        Meta(
            description="Why nothing came of its last pages, and what robots.txt forbids; empty: all is well.",
            examples=["robots.txt forbids all: 12 URLs left out"],
        ),
    ]
    blocked_until: Annotated[Time | None, Meta(description="As an operator said; null: not blocked.")]
    limit: Annotated[int, Meta(description="Completed URLs after which nothing more is handed out; 0: none.")]
    completed: Annotated[int, Meta(description="URLs that are not to be fetched again, as a client said.")]


class SitePage(Struct, kw_only=True):
    """Some sites, by name."""

    items: list[SiteView]
    next: Annotated[str | None, Meta(description="Ask again with it as `after`; null: there are no more.")]


class UrlView(Struct, kw_only=True):
    """A URL as it is stored."""

    url: str
    fqdn: str
    standing: Annotated[UrlStanding, Meta(description="After the last try; `waiting`: there was none.")]
    visited: Annotated[Time | None, Meta(description="Last visit; null: never.")]
    due: Annotated[Time | None, Meta(description="When it is fetched next; null: not at all.")]
    discovered: Time | None
    metadata: Annotated[dict[str, list[str]], Meta(description="As a client sent it.")]


class UrlPage(Struct, kw_only=True):
    """Some URLs, site by site."""

    items: list[UrlView]
    next: Annotated[str | None, Meta(description="Ask again with it as `after`; null: there are no more.")]


class UrlState(UrlView, kw_only=True):
    """One URL: how it stands, and what its visits have taught."""

    status: Annotated[str, Meta(description="active, excluded, gone, failing, refused, backlog or completed.")]
    last_try: Annotated[Time | None, Meta(description="Last visit, or a try since then that failed; null: none.")]
    why: Annotated[str, Meta(description="Why that try failed; empty: it did not.", examples=["HTTP 500"])]
    failures: Annotated[int, Meta(description="In a row.")]
    looks: Annotated[int, Meta(description="Visits that could tell whether it had changed.")]
    changes: Annotated[int, Meta(description="Of these, those that said yes.")]
    changes_per_day: Annotated[float, Meta(description="Estimated from these.")]
    change_rate: Annotated[
        float,
        Meta(description="Old name: changes a second. Until the next version.", extra_json_schema={"deprecated": True}),
    ]
    content_hash: str
    etag: str
    last_modified: str
    pagerank: float
    in_degree: int
    leased_by: Annotated[str, Meta(description="UUID of the fetcher that has it; empty: nobody.")]
    leased_by_name: Annotated[str, Meta(description="Its name; empty: nobody has it, or it is not registered.")]
    leased_until: Time | None


class Failure(Struct, kw_only=True):
    """A page of which nothing came at its last try."""

    at: Time | None
    url: str
    fqdn: str
    result: PageResult
    reason: Annotated[str, Meta(description="In words that all of its kind share.", examples=["HTTP 500"])]
    why: Annotated[str, Meta(examples=["HTTP 500: it is tried again"])]
    due: Annotated[Time | None, Meta(description="When it is tried again; null: not at all.")]
    fetcher: Annotated[str, Meta(description="UUID of the fetcher that said so.")]
    fetcher_name: Annotated[str, Meta(description="Its name; empty: it is not registered any more.")]


class ReasonCount(Struct, kw_only=True):
    """How many pages failed for a reason."""

    reason: str
    urls: int


class FailureList(Struct, kw_only=True):
    """Some of them, the newest first."""

    reasons: Annotated[
        list[ReasonCount], Meta(description=f"Of the newest {COUNTED_FAILURES:,}, whatever is asked for, most first.")
    ]
    items: list[Failure]


class Count(Struct, kw_only=True):
    """How many URLs."""

    urls: int


@routes("GET", "/active", "system", "Whether lists are handed out", answer=Activity, need=Need.MEMBER)
async def show_activity(asked: Asked[None]) -> Response:
    """False while the frontier is paused."""
    frontier = asked.door.frontier
    return await answer(asked.request, Activity(active=await frontier.run(frontier.is_active, frontier.now())))


@routes("PUT", "/active", "system", "Pause or resume all", answer=Activity, need=Need.ADMIN)
async def set_activity(asked: Asked[Activity]) -> Response:
    """While paused, lists are empty, over every door and for every scheduler process within a second; reports and
    imports go on. It is remembered across restarts.
    """
    body = asked.body
    frontier = asked.door.frontier
    await frontier.run(frontier.set_active, body.active)
    return await answer(asked.request, body)


@routes(
    "GET",
    "/sites",
    "urls",
    "Sites with their counts",
    answer=SitePage,
    need=Need.ADMIN,
    parameters=(FQDN, _AFTER, _LIMIT, CRAWL),
)
async def list_sites(asked: Asked[None]) -> Response:
    """By name, some at a time; or one of them."""
    queues, crawl, name = Queues(asked.door.frontier), crawl_in_query(asked), text_in_query(asked, "fqdn")
    limit = 1 if name else _limit(asked)
    found = await queues.sites(crawl, name, after=text_in_query(asked, "after"), limit=limit)
    more = found[-1].name if len(found) == limit and not name else None
    names = await fetcher_names(asked, [site.leased_by for site in found])
    return await answer(asked.request, SitePage(items=[site_view(site, names) for site in found], next=more))


@routes(
    "GET",
    "/urls",
    "urls",
    "Look for URLs",
    answer=UrlState | UrlPage,
    problems=(404,),
    need=Need.ADMIN,
    parameters=(in_query("url", "This URL."), FQDN, _CONTAINS, _CURSOR, _LIMIT, CRAWL),
)
async def find_urls(asked: Asked[None]) -> Response:
    """With `url`, how that one stands and what its visits have taught (404: not known). Otherwise some of those that
    are stored, site by site; a filter may leave none of a part, so go on while there is a `next`.
    """
    url = text_in_query(asked, "url")
    if url:
        return await answer(asked.request, await _state(asked, url))
    part = await Queues(asked.door.frontier).part(
        crawl_in_query(asked),
        text_in_query(asked, "fqdn"),
        place_in(text_in_query(asked, "after")),
        limit=_limit(asked),
        containing=text_in_query(asked, "contains"),
    )
    return await answer(asked.request, UrlPage(items=[_url_view(one) for one in part.urls], next=place_after(part)))


async def _state(asked: Asked[Any], url: str) -> UrlState:
    frontier = asked.door.frontier
    crawl, queues = crawl_in_query(asked), Queues(frontier)
    found = await queues.look_up(crawl, url, text_in_query(asked, "fqdn"))
    if found is not None:
        blocked = await queues.why_blocked(crawl, found.site)
        return _state_view(found, blocked, await fetcher_names(asked, [found.leased_by]))
    raise Refused(
        404, f"{url[:200]} is not known here; `afresh frontier add` adds it (POST /api/v1/urls)", where="query.url"
    )


@routes(
    "GET",
    "/failures",
    "urls",
    "Pages of which nothing came",
    answer=FailureList,
    need=Need.ADMIN,
    parameters=(FQDN, _REASON, _LIMIT, CRAWL),
)
async def list_failures(asked: Asked[None]) -> Response:
    """The newest first, each URL once, with the reason, and how many there are of each reason. With `fqdn` also pages
    of that site that were not asked for: robots.txt forbids them, or it could not be read.
    """
    queues, crawl, name = Queues(asked.door.frontier), crawl_in_query(asked), text_in_query(asked, "fqdn")
    found = await queues.failures(crawl, name, limit=_limit(asked), reason=text_in_query(asked, "reason"))
    counts = await queues.failure_reasons(crawl, name)
    names = await fetcher_names(asked, [one.failure.fetcher for one in found])
    told = FailureList(
        reasons=[ReasonCount(reason=reason, urls=urls) for reason, urls in counts],
        items=[_failure_view(one, names) for one in found],
    )
    return await answer(asked.request, told)


@routes("GET", "/urls/count", "urls", "Count URLs", answer=Count, need=Need.ADMIN, parameters=(FQDN, _CONTAINS, CRAWL))
async def count_urls(asked: Asked[None]) -> Response:
    """With `contains`, by a look at every one of them."""
    found = await Queues(asked.door.frontier).count(
        crawl_in_query(asked), text_in_query(asked, "fqdn"), containing=text_in_query(asked, "contains")
    )
    return await answer(asked.request, Count(urls=found))


@routes(
    "GET",
    "/urls/export",
    "urls",
    "Export URLs",
    answer=UrlView,
    media_type="application/x-ndjson",
    need=Need.ADMIN,
    parameters=(FQDN, _CONTAINS, CRAWL),
)
async def export_urls(asked: Asked[None]) -> Response:
    """One JSON object a line, while the frontier runs; what comes meanwhile may be among it."""
    parts = Queues(asked.door.frontier).stored(
        crawl_in_query(asked), text_in_query(asked, "fqdn"), containing=text_in_query(asked, "contains")
    )

    async def lines() -> AsyncIterator[bytes]:
        async for part in parts:
            yield b"".join([encode(_url_view(one)) + b"\n" for one in part])

    return stream(asked.request, lines(), media_type="application/x-ndjson")


@routes("DELETE", "/urls", "urls", "Remove URLs", answer=Count, need=Need.ADMIN, parameters=(FQDN, _OLDER, _ALL, CRAWL))
async def remove_urls(asked: Asked[None]) -> Response:
    """A site with its URLs (`fqdn`); with `older_than`, URLs that were found so many seconds ago or more, of that
    site or of all, except those in a list that somebody may report; or all of a crawl (`all=true`).
    """
    queues, crawl, key = Queues(asked.door.frontier), crawl_in_query(asked), text_in_query(asked, "fqdn")
    age = _age(asked)
    if age is not None:
        return await answer(asked.request, Count(urls=await queues.purge(crawl, key, age=age)))
    if not key and asked.request.query_params.get("all") != "true":
        raise Refused(422, "say what to remove: fqdn, older_than (seconds), or all=true", where="query.fqdn")
    return await answer(asked.request, Count(urls=await queues.remove(crawl, key)))


# --- parameters ---


def text_in_query(asked: Asked[Any], name: str) -> str:
    """A parameter that is text; '' if it is left out."""
    text: str = asked.request.query_params.get(name, "")
    if len(text) > _LONGEST or "\0" in text:
        raise Refused(422, f"query.{name}: at most {_LONGEST:,} characters, none of them NUL", where=f"query.{name}")
    return text.encode("utf-8", "replace").decode()


def crawl_in_query(asked: Asked[Any]) -> str:
    """The crawl that is meant."""
    name = text_in_query(asked, "crawl")
    if len(name) > LONGEST_KEY:
        raise Refused(422, f"query.crawl: at most {LONGEST_KEY} characters", where="query.crawl")
    return crawl_name(name)


def _limit(asked: Asked[Any]) -> int:
    text = asked.request.query_params.get("limit", "100")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MOST_ITEMS):
        raise Refused(422, f"query.limit: a whole number from 1 to {MOST_ITEMS:,}", where="query.limit")
    return int(text)


def place_after(part: StoredPart) -> str | None:
    """Where the stored URLs go on, for whoever asks again; None: there are no more."""
    return None if part.cursor is None else f"{part.cursor[0]}.{part.cursor[1]}"


def place_in(text: str) -> tuple[int, int]:
    """The same, as it comes back; '' is the beginning."""
    site, _, page = text.partition(".")
    if not text:
        return 0, -1
    if not (
        site.isascii() and site.isdigit() and len(site) < 10 and page.removeprefix("-").isdigit() and len(page) < 20
    ):
        raise Refused(422, "query.after: send back what was the answer's `next`", where="query.after")
    return int(site), min(int(page), 2**63 - 1)


def _age(asked: Asked[Any]) -> float | None:
    text = asked.request.query_params.get("older_than")
    if text is None:
        return None
    try:
        age = float(text)
    except ValueError:
        age = math.nan
    if not 0.0 <= age <= _LONGEST_AGE:
        raise Refused(422, "query.older_than: a number of seconds, 0 or more", where="query.older_than")
    return age


# --- views ---


async def fetcher_names(asked: Asked[Any], uuids: Sequence[str]) -> Mapping[str, str]:
    """How people call these fetchers, as far as they are registered; the store is asked if there are any."""
    return {one.uuid: one.name for one in await asked.door.frontier.fetchers()} if any(uuids) else {}


def site_view(site: SiteFacts, names: Mapping[str, str]) -> SiteView:
    """A site as it is shown, with why it fails."""
    return shown(
        SiteView,
        site,
        fqdn=site.name,
        url_count=site.urls,
        visited_count=site.visited,
        visited_well_count=site.visited_well,
        failed_count=site.failed,
        left_out_count=site.left_out,
        waiting_count=site.waiting,
        backlog_count=site.backlog,
        mean_changes_per_day=site.mean_changes_per_day,
        why=why_site(site),
        leased_by_name=names.get(site.leased_by, ""),
        blocked_until=moment(site.blocked or None),
    )


def _url_view(one: StoredUrl) -> UrlView:
    common = _common(one.due, one.created or None, one.metadata)
    return UrlView(url=one.url, fqdn=one.key, standing=one.standing, visited=moment(one.visited), **common)


def _failure_view(one: FailedPage, names: Mapping[str, str]) -> Failure:
    return shown(
        Failure,
        one.failure,
        url=one.url,
        at=moment(one.failure.at),
        fqdn=one.site,
        reason=group_of(one.failure.result, one.failure.why),
        why=why_failed(one.failure, due=one.due),
        due=moment(one.due) if math.isfinite(one.due) else None,
        fetcher_name=names.get(one.failure.fetcher, ""),
    )


def _state_view(page: PageFacts, blocked: str, names: Mapping[str, str]) -> UrlState:
    return shown(
        UrlState,
        page,
        fqdn=page.site,
        standing=page.standing,
        changes_per_day=page.changes_per_day,
        leased_by_name=names.get(page.leased_by, ""),
        last_try=moment(page.visited if page.failure is None else page.failure.at),
        why="; ".join(filter(None, (blocked, why_failed(page.failure, due=page.due)))),
        **_common(page.due, page.discovered, page.metadata),
    )


def _common(due: float, discovered: float | None, metadata: str) -> dict[str, Any]:
    return {
        "due": None if math.isinf(due) else moment(due),
        "discovered": moment(discovered),
        "metadata": msgspec.json.decode(metadata) if metadata else {},
    }
