"""The page of a frontier: what it does, how fast, for whom, what fails, and what its operator can do about it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from afresh import __version__
from afresh.base.iso_times import from_iso
from afresh.base.records.frontier import FailedPage, FetcherAccount, PageResult, SiteFacts, UrlStanding
from afresh.base.records.frontier_store import Holding
from afresh.base.records.queues import DEFAULT_CRAWL
from afresh.doors.pages.plots import Line, Plot, as_csv
from afresh.doors.pages.rendering import render
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import iso
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.frontier.door import Door
from afresh.doors.rest.frontier.operating import place_after, place_in
from afresh.doors.rest.incoming_gate import CALLER
from afresh.doors.rest.problems import Refused
from afresh.doors.rest.who_asks import Need
from afresh.frontier.failures import is_shut, why_failed, why_site
from afresh.frontier.queues import FOR_GOOD, Queues
from afresh.frontier.recent_rates import Rate
from afresh.frontier.scheduling import Frontier

_ALONE = (("/fetchers", "Frontier"),)  # the pages of a frontier
_ROWS = 25  # sites and failures shown at once
_SCANNED = 5_000  # sites looked at for those that stand out
_LONGEST = 8_192  # characters of a parameter
#: What can be looked at among the sites, and which of them come first; None: by name.
_VIEWS = {
    "name": "By name",
    "errors": "Failing",
    "shut": "Shut by robots.txt",
    "queue": "Longest queue",
    "held": "Held now",
    "blocked": "Blocked",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherRow:
    """One fetcher; its secret is no part of it."""

    uuid: str
    name: str
    contact: str
    location: str
    tld_preference: str
    registered: str | None
    last_seen: str | None  # last list or report
    is_away: bool  # silent for a while
    leased_sites: int  # each with a list of its own
    latest_return: str | None  # when the first of these reservations ends


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRow:
    """One site: its queue, its errors, who has it."""

    name: str
    urls: int
    visited: int  # at least once
    visited_well: int  # URLs of which something came at their last try
    failed: int  # nothing came
    left_out: int  # robots.txt forbids them
    waiting: int  # never tried
    errors: int  # failures in a row
    why: str  # what is the matter: its last failure, what robots.txt forbids; empty: nothing
    failed_at: str | None  # when that was
    is_failing: bool  # pages in a row fail, it cannot be asked, or robots.txt forbids all; else `why` is past
    crawl_delay: float | None
    ready: str | None  # when it may be handed out; None: nothing to fetch, or somebody has it
    is_ready: bool
    leased_by: str  # name of the fetcher; empty: nobody
    leased_until: str | None
    limit: int  # completed URLs after which nothing more is handed out; 0: none
    blocked_until: str | None  # as an operator said; None: not blocked
    is_blocked: bool
    is_blocked_for_good: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRow:
    """A page of which nothing came, and why."""

    at: str | None
    url: str
    site: str
    why: str
    due: str | None  # when it is tried again; None: not at all
    is_due: bool
    fetcher: str  # its name


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlRow:
    """A URL of the site that is looked at."""

    url: str
    standing: str  # in words
    visited: str | None  # None: never
    due: str | None  # None: it is not asked for (again)
    is_due: bool
    discovered: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteUrls:
    """Some URLs of the site that is looked at."""

    items: tuple[UrlRow, ...]
    containing: str  # only those with this in them
    next: str | None  # go on with it as `urls_after`; None: there are no more


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlFacts:
    """One URL that was looked for."""

    url: str
    site: str
    status: str  # empty: not known here
    standing: str = ""  # after its last try
    why: str = ""  # what the status means, or why it is not known
    due: str | None = None
    is_due: bool = False
    discovered: str | None = None
    visited: str | None = None
    last_try: str | None = None  # that failed, after the last visit; None: there was none
    failed_because: str = ""
    failures: int = 0
    looks: int = 0
    changes: int = 0
    changes_per_day: float = 0.0  # estimated from these
    leased_by: str = ""
    leased_until: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPage:
    """A frontier at a glance."""

    at: str | None
    is_active: bool
    totals: dict[str, float | None]
    visits_per_minute: float | None  # lately; None: not known yet
    scope: tuple[str, ...]  # how far links are followed, in words; empty: everywhere
    troubles: tuple[str, ...]
    items: tuple[FetcherRow, ...]  # the fetchers
    view: str
    site: str  # that was looked for
    sites: tuple[SiteRow, ...]
    next: str | None  # sites by name go on after this one
    is_part: bool  # there are more sites than were looked at
    urls: SiteUrls | None  # of the site that was looked for; None: of none
    reason: str  # that failures are looked for by; empty: all are
    reasons: tuple[tuple[str, int], ...]  # of the newest failures, and how many have each, most first
    failures: tuple[FailureRow, ...]
    url: UrlFacts | None  # None: none was looked for


_STATUS_WORDS = {
    "excluded": "the robots.txt of its site forbids it",
    "gone": "its server says that it is not there (HTTP 404, 410) or not for us (401, 403): hygiene.second_look",
    "failing": "it failed too often in a row: hygiene.failures",
    "refused": "a fetcher may not ask there: its own fetch.allowed_networks says where; it is tried again",
    "backlog": "its site has more pages than its budget allows: hygiene.budget",
    "completed": "a client said that it shall not be fetched again",
}
#: The same of what is handed out.
_STANDING_WORDS = {
    UrlStanding.VISITED_WELL: "it is visited again when it is due",
    UrlStanding.FAILED: "it is tried again when it is due",
    UrlStanding.WAITING: "it waits for its turn",
}


async def show_frontier(door: Door, request: Request) -> Response:
    """The page, its twin or its picture, for whoever may list the fetchers: with tokens, an administrator."""
    if not request.scope[CALLER].may(Need.ADMIN):
        raise Refused(403, "this token does not allow that; ask with an administrator's")
    path = request.url.path
    if path == "/":
        return RedirectResponse("/fetchers", status_code=303)
    if path.startswith("/plots/"):
        plot = rates_plot(door.frontier.lately.rates())
        return as_csv(plot) if path.endswith(".csv") else Json(plot)
    page = await frontier_page(door.frontier, request)
    if path.endswith(".json"):
        return Json(page)
    return render(
        "frontier.html",
        page=page,
        now=from_iso(page.at),
        twin=f"/fetchers.json?{request.url.query}" if request.url.query else "/fetchers.json",
        here="/fetchers",
        version=__version__,
        places=_ALONE,
        views=_VIEWS,
        for_good=FOR_GOOD,
        seconds=door.frontier.now(),
    )


async def frontier_page(frontier: Frontier, request: Request) -> FrontierPage:
    """Everything an operator looks at; ``view``, ``site``, ``after``, ``url`` … of the query say what more."""
    now, stats = frontier.now(), await frontier.stats()
    # Asked of the store: what the frontier remembers of its fetchers may be some seconds old.
    accounts = await frontier.run(frontier.store.fetchers)
    silent = await frontier.run(frontier.heard.silent, now)
    held = await frontier.run(frontier.store.holdings)
    names = {account.uuid: account.name for account in accounts}
    view, site, url, reason = (_text(request, name) for name in ("view", "site", "url", "reason"))
    view = view if view in _VIEWS else "name"
    found, more, is_part = await _sites(frontier, view, site, _text(request, "after"), now)
    queues = Queues(frontier)
    failed = await queues.failures(DEFAULT_CRAWL, site, limit=_ROWS, reason=reason)
    rates = frontier.lately.rates()
    return FrontierPage(
        at=iso(now),
        is_active=await frontier.run(frontier.is_active, now),
        totals=asdict(stats)
        | {
            "waiting": stats.waiting,
            "out_of_scope": frontier.lately.out_of_scope(),
            "links_left_out": frontier.lately.links_left_out(),
        },
        visits_per_minute=rates[-1].visits if rates else None,
        scope=tuple(await frontier.run(frontier.scope.told, frontier.store)),
        troubles=tuple(f"{trouble.what}: {trouble.why}" for trouble in frontier.troubles.current()),
        items=tuple(
            _fetcher_row(account, held.get(account.uuid), is_away=account.uuid in silent) for account in accounts
        ),
        view=view,
        site=site,
        sites=tuple(_site_row(one, names, now) for one in found),
        next=more,
        is_part=is_part,
        urls=await _site_urls(frontier, site, request, now) if site and found else None,
        reason=reason,
        reasons=tuple(await queues.failure_reasons(DEFAULT_CRAWL, site)),
        failures=tuple(_failure_row(one, names, now) for one in failed),
        url=await _url_facts(frontier, url, names) if url else None,
    )


def rates_plot(rates: Sequence[Rate]) -> Plot:
    """What happened in a minute, over time."""
    times = tuple(iso(rate.at) for rate in rates)
    lines = (("Visits", "visits"), ("URLs found", "found"), ("Failures", "failed"))
    return Plot(
        title="What happened in a minute",
        x="Time (UTC)",
        y="in a minute",
        times=True,
        height=220,
        empty="Two samples are needed, a few seconds apart.",
        series=tuple(
            Line(name=words, x=times, y=tuple(round(float(getattr(rate, name)), 2) for rate in rates))
            for words, name in lines
        ),
    )


async def _sites(
    frontier: Frontier, view: str, site: str, after: str, now: float
) -> tuple[list[SiteFacts], str | None, bool]:
    """Some sites, where they go on by name, and whether there are more than were looked at."""
    queues = Queues(frontier)
    if site:
        return await queues.sites(DEFAULT_CRAWL, site, after="", limit=1), None, False
    if view == "name":
        found = await queues.sites(DEFAULT_CRAWL, after=after, limit=_ROWS)
        return found, found[-1].name if len(found) == _ROWS else None, False
    found = await queues.sites(DEFAULT_CRAWL, after="", limit=_SCANNED)
    return _standing_out(found, view, now)[:_ROWS], None, len(found) == _SCANNED


def _standing_out(sites: Iterable[SiteFacts], view: str, now: float) -> list[SiteFacts]:
    if view == "errors":
        return sorted(filter(_is_failing, sites), key=attrgetter("errors"), reverse=True)
    if view == "shut":
        return [one for one in sites if is_shut(one) or _cannot_be_asked(one)]
    if view == "held":
        return sorted((one for one in sites if one.leased_by), key=lambda one: one.leased_until or 0.0)
    if view == "blocked":
        return [one for one in sites if one.blocked > now]
    return sorted(sites, key=attrgetter("waiting"), reverse=True)


def _is_failing(site: SiteFacts) -> bool:
    """Pages in a row failed, or none could be asked for: its robots.txt cannot be read, nobody answers."""
    return site.errors > 0 or _cannot_be_asked(site)


def _cannot_be_asked(site: SiteFacts) -> bool:
    return site.failure is not None and site.failure.result is PageResult.SKIPPED


async def _site_urls(frontier: Frontier, site: str, request: Request, now: float) -> SiteUrls:
    place, containing = place_in(_text(request, "urls_after")), _text(request, "contains")
    part = await Queues(frontier).part(DEFAULT_CRAWL, site, place, limit=_ROWS, containing=containing)
    rows = tuple(
        UrlRow(
            url=one.url,
            standing=one.standing.replace("_", " "),
            visited=iso(one.visited),
            due=_due(one.due),
            is_due=one.due <= now,
            discovered=iso(one.created or None),
        )
        for one in part.urls
    )
    return SiteUrls(items=rows, containing=containing, next=place_after(part))


def _due(time: float) -> str | None:
    return None if math.isinf(time) else iso(time)


async def _url_facts(frontier: Frontier, url: str, names: dict[str, str]) -> UrlFacts:
    found = await Queues(frontier).look_up(DEFAULT_CRAWL, url)
    if found is None:
        named = url if "://" in url else f"https://{url}"  # looked for with http:// as well
        why = frontier.urls.why_refused(named) or "it was never imported, and no fetched page links to it"
        return UrlFacts(url=url, site="", status="", why=why)
    blocked = await Queues(frontier).why_blocked(DEFAULT_CRAWL, found.site)
    return shown(
        UrlFacts,
        found,
        standing=found.standing.value,
        changes_per_day=found.changes_per_day,
        why=blocked or _STATUS_WORDS.get(found.status) or _STANDING_WORDS.get(found.standing, ""),
        due=_due(found.due),
        is_due=found.due <= frontier.now(),
        last_try=iso(found.failure.at) if found.failure else None,
        failed_because=why_failed(found.failure, due=found.due),
        leased_by=names.get(found.leased_by, found.leased_by),
    )


def _fetcher_row(account: FetcherAccount, held: Holding | None, *, is_away: bool) -> FetcherRow:
    return shown(
        FetcherRow,
        account,
        is_away=is_away,
        leased_sites=held.sites if held else 0,
        latest_return=iso(held.first_end) if held else None,
    )


def _site_row(site: SiteFacts, names: dict[str, str], now: float) -> SiteRow:
    return shown(
        SiteRow,
        site,
        why=why_site(site),
        failed_at=iso(site.failure.at) if site.failure else None,
        is_failing=_is_failing(site) or is_shut(site),
        waiting=site.waiting,
        is_ready=site.ready is not None and site.ready <= now,
        leased_by=names.get(site.leased_by, site.leased_by),
        blocked_until=iso(site.blocked) if site.blocked > now else None,
        is_blocked=site.blocked > now,
        is_blocked_for_good=site.blocked >= FOR_GOOD,
    )


def _failure_row(one: FailedPage, names: dict[str, str], now: float) -> FailureRow:
    fetcher = one.failure.fetcher
    return FailureRow(
        at=iso(one.failure.at),
        url=one.url,
        site=one.site,
        why=why_failed(one.failure, due=one.due),
        due=_due(one.due),
        is_due=one.due <= now,
        fetcher=names.get(fetcher, fetcher),
    )


def _text(request: Request, name: str) -> str:
    text: str = request.query_params.get(name, "").strip()
    return text[:_LONGEST].replace("\0", "").encode("utf-8", "replace").decode()
