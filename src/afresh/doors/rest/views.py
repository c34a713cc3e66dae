"""What REST answers and the pages' JSON twins are made of.

Times are ISO 8601 strings in UTC (``2026-01-31T12:00:00.000Z``), durations are seconds, null means "not known" or
"never". The dataclasses are the response models of the OpenAPI document and are encoded by orjson as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from afresh.base.models import Explanation, Kind, Resource, Result, Site, Status, StoredEntry, Visit
from afresh.doors.rest.times import finite, iso
from afresh.engine.supervision import Companion
from afresh.feeds.feedback import Relevance

Time = Annotated[str, Field(description="ISO 8601, UTC.", examples=["2026-01-31T12:00:00.000Z"])]
Seconds = Annotated[float, Field(description="Seconds.", examples=[3600.0])]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountersView:
    """How the visits of a resource went."""

    ok: Annotated[int, Field(description="Visits that brought a document or a 304.")]
    not_modified: Annotated[int, Field(description="Of these, answered 304.")]
    unreachable: Annotated[int, Field(description="Network failures and HTTP errors.")]
    unparsable: Annotated[int, Field(description="Documents that could not be read.")]
    misses: Annotated[int, Field(description="Windows that did not overlap the one before: entries may be lost.")]
    entries: Annotated[int, Field(description="Entries found.")]
    failures: Annotated[int, Field(description="Failures in a row.")]
    bytes: Annotated[int, Field(description="Bytes received.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """One watched URL."""

    id: Annotated[int, Field(description="Its number.", examples=[17])]
    url: Annotated[str, Field(description="Canonical URL.", examples=["https://example.org/feed.xml"])]
    site: Annotated[str, Field(description="The unit of politeness.", examples=["example.org"])]
    kind: Annotated[Kind, Field(description="What it is watched for.")]
    status: Annotated[Status, Field(description="Whether it is visited at all.")]
    title: Annotated[str, Field(description="The operator's title, else the feed's own.", examples=["Example news"])]
    folder: Annotated[str, Field(description="Folder, empty for none.", examples=["news/local"])]
    tags: Annotated[tuple[str, ...], Field(description="Tags.", examples=[["daily"]])]
    weight: Annotated[float, Field(description="Worth of an entry; 1 is usual.", examples=[1.0])]
    predictor: Annotated[str | None, Field(description="Rule by name; null: the default.", examples=["mavsync"])]
    pinned: Annotated[float | None, Field(description="The operator's own interval, seconds.", examples=[900.0])]
    alpha: Annotated[float | None, Field(description="Shortest interval, seconds; null: the default.")]
    beta: Annotated[float | None, Field(description="Longest interval, seconds; null: the default.")]
    eta: Annotated[float | None, Field(description="Interval where none can be computed; null: the default.")]
    added: Time | None
    due: Annotated[str | None, Field(description="Next visit; null: none planned.")]
    last_visit: Time | None
    last_ok: Annotated[str | None, Field(description="Last successful visit.")]
    last_interval: Annotated[float | None, Field(description="Seconds between the last visit and the next.")]
    last_result: Annotated[Result | None, Field(description="What the last visit came to.")]
    error: Annotated[str, Field(description="Of the last visit; empty: none.")]
    reason: Annotated[str, Field(description="Why the next visit is when it is.")]
    pattern: Annotated[str, Field(description="Update-pattern class; empty: not known yet.")]
    format: Annotated[str, Field(description="Feed format; empty: never parsed.", examples=["atom10"])]
    site_url: Annotated[str, Field(description="The page the feed belongs to.")]
    language: Annotated[str, Field(description="As the feed says.")]
    capacity: Annotated[int, Field(description="Largest number of entries seen in one document.")]
    counters: CountersView


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One entry of a feed."""

    seq: Annotated[int, Field(description="Its place in the one sequence consumers read by.", examples=[4711])]
    resource: Annotated[int, Field(description="Number of its feed.", examples=[17])]
    feed_url: Annotated[str, Field(description="URL of its feed.", examples=["https://example.org/feed.xml"])]
    uid: Annotated[str, Field(description="Identity within the feed, hexadecimal.")]
    title: str
    link: Annotated[str, Field(description="As published: not checked, may be anything.")]
    native_id: Annotated[str, Field(description="Atom id, RSS guid or JSON Feed id.")]
    author: str
    summary: Annotated[str, Field(description="As published, HTML or text: sanitise before showing.")]
    content: Annotated[str, Field(description="As published, HTML or text: sanitise before showing.")]
    categories: tuple[str, ...]
    published: Annotated[str | None, Field(description="Corrected time of publication.")]
    published_raw: Annotated[str | None, Field(description="As the feed says; null: no usable date.")]
    updated: Time | None
    found: Annotated[str | None, Field(description="When afresh found it.")]
    delay: Annotated[float | None, Field(description="Seconds from publication to finding; null for a first window.")]
    initial: Annotated[bool, Field(description="Was in the first window: no delay is counted.")]
    after_gap: Annotated[bool, Field(description="Entries may have been missed just before it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitView:
    """One request and what became of it."""

    id: Annotated[int, Field(description="Row of the log, to page by.")]
    resource: int
    started: Time | None
    finished: Time | None
    duration: Seconds | None
    result: Result
    status: Annotated[int | None, Field(description="HTTP status; null: no answer.")]
    bytes: int
    window_size: Annotated[int | None, Field(description="Entries in the document; null: none was read.")]
    new: Annotated[int, Field(description="New entries.")]
    missed: Annotated[bool, Field(description="The window did not overlap the one before.")]
    next_due: Time | None
    reason: Annotated[str, Field(description="Why the next visit was set when it was.")]
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteView:
    """One site: the unit of politeness."""

    name: Annotated[str, Field(examples=["example.org"])]
    delay: Annotated[float | None, Field(description="Seconds between requests; null: the default.")]
    next_allowed: Annotated[str | None, Field(description="No request before this.")]
    retry_after: Annotated[str | None, Field(description="Until when the server asked us to stay away.")]
    ready: Annotated[str | None, Field(description="When its next request may and should be made.")]
    resources: int
    requests: int
    failures: Annotated[int, Field(description="In a row, over all its resources.")]
    leased_by: Annotated[str, Field(description="The fetcher that has it; empty: none.")]
    leased_until: Time | None
    crawl_delay: Annotated[float | None, Field(description="Seconds between requests its robots.txt asks for.")]
    price: Annotated[float, Field(description="Of its own, where its politeness binds; 0: it does not.")]
    visits_per_hour: Annotated[float, Field(description="Planned for its pages together.")]
    answer: Annotated[float, Field(description="Seconds an answer takes, smoothed; 0: not known.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyView:
    """Why the next visit is when it is."""

    resource: int
    url: str
    due: Time | None
    rule: Annotated[str, Field(description="The rule that decided.", examples=["mavsync"])]
    summary: Annotated[str, Field(description="In words.")]
    numbers: Annotated[dict[str, float | None], Field(description="The rule's numbers by name.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourcePage:
    """A page of resources, ascending by id."""

    items: tuple[ResourceView, ...]
    next: Annotated[int | None, Field(description="Pass as `after` for the next page; null: this was the last.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPage:
    """Entries ascending by seq."""

    items: tuple[EntryView, ...]
    next: Annotated[int, Field(description="Pass as `after` to read on, now or later; never skips, never repeats.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPage:
    """Visits, newest first."""

    items: tuple[VisitView, ...]
    next: Annotated[int | None, Field(description="Pass as `before` for older ones; null: these were the last.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage:
    """Sites, ascending by name."""

    items: tuple[SiteView, ...]
    next: Annotated[str | None, Field(description="Pass as `after` for the next page; null: this was the last.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedView:
    """What became of one URL of a batch."""

    wanted: Annotated[str, Field(description="As given.")]
    url: Annotated[str, Field(description="Canonical; empty: not a URL.")]
    status: Annotated[int, Field(description="201 added, 200 known already, 422 not usable.", examples=[201])]
    id: int | None
    is_new: bool
    error: Annotated[str, Field(description="Empty: none.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedPage:
    """A status per URL, in the order given."""

    items: tuple[AddedView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsView:
    """Totals of the store."""

    at: Time | None
    totals: Annotated[dict[str, float | None], Field(examples=[{"resources": 3.0, "entries": 120.0}])]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthView:
    """Whether afresh is at work."""

    status: Annotated[str, Field(description="ok, offline (our network is down) or stopped.", examples=["ok"])]
    loop_alive: bool
    last_turn: Annotated[str | None, Field(description="Last turn of the loop.")]
    queue: Annotated[int, Field(description="Visits under way or waiting.")]
    offline: Annotated[bool, Field(description="Our own network is down.")]
    version: Annotated[str, Field(examples=["0.1.0"])]
    companions: Annotated[
        dict[str, Companion],
        Field(description="What runs beside the loop (recording, notices …); one that failed is started again."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceList:
    """What the feeds of judged entries are worth from now on."""

    items: tuple[Relevance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetView:
    """The price of a request, what was used, and what more would buy."""

    price: Annotated[float | None, Field(description="Entry-seconds that one request costs.")]
    per_hour: Annotated[float | None, Field(description="Requests allowed in an hour; null: no limit.")]
    used_last_hour: int
    mean_delay: Annotated[float | None, Field(description="Of entries found lately, seconds.")]
    mean_delay_with_ten_percent_more: Annotated[float | None, Field(description="To be expected, seconds.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """One option, its value and where it came from."""

    name: Annotated[str, Field(examples=["fetch.timeout"])]
    value: Annotated[str, Field(description="Secrets are hidden.", examples=["30s"])]
    origin: Annotated[str, Field(examples=["default"])]
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsView:
    """All options."""

    items: tuple[SettingView, ...]


def view_resource(resource: Resource) -> ResourceView:
    counters = resource.counters
    return ResourceView(
        id=resource.id,
        url=resource.url,
        site=resource.site,
        kind=resource.kind,
        status=resource.status,
        title=resource.title or resource.facts.title,
        folder=resource.folder,
        tags=tuple(resource.tags),
        weight=resource.weight,
        predictor=resource.predictor,
        pinned=finite(resource.pinned),
        alpha=finite(resource.alpha),
        beta=finite(resource.beta),
        eta=finite(resource.eta),
        added=iso(resource.added),
        due=iso(resource.due) if resource.status is Status.ACTIVE else None,
        last_visit=iso(resource.last_visit),
        last_ok=iso(resource.last_ok),
        last_interval=finite(resource.last_interval),
        last_result=resource.last_result,
        error=resource.error,
        reason=resource.reason,
        pattern=resource.pattern,
        format=resource.facts.format,
        site_url=resource.facts.site_url,
        language=resource.facts.language,
        capacity=resource.capacity,
        counters=CountersView(
            ok=counters.ok,
            not_modified=counters.not_modified,
            unreachable=counters.unreachable,
            unparsable=counters.unparsable,
            misses=counters.misses,
            entries=counters.entries,
            failures=counters.failures,
            bytes=counters.bytes,
        ),
    )


def view_entry(stored: StoredEntry) -> EntryView:
    entry, parsed = stored.entry, stored.entry.parsed
    return EntryView(
        seq=stored.seq,
        resource=stored.resource,
        feed_url=stored.url,
        uid=entry.uid.hex(),
        title=parsed.title,
        link=parsed.link,
        native_id=parsed.native_id,
        author=parsed.author,
        summary=parsed.summary,
        content=parsed.content,
        categories=tuple(parsed.categories),
        published=iso(entry.published),
        published_raw=iso(entry.published_raw),
        updated=iso(parsed.updated),
        found=iso(entry.found),
        delay=None if entry.initial else finite(entry.found - entry.published),
        initial=entry.initial,
        after_gap=entry.after_gap,
    )


def view_visit(number: int, visit: Visit) -> VisitView:
    return VisitView(
        id=number,
        resource=visit.resource,
        started=iso(visit.started),
        finished=iso(visit.finished),
        duration=finite(visit.finished - visit.started),
        result=visit.result,
        status=visit.status,
        bytes=visit.bytes,
        window_size=visit.window_size,
        new=visit.new,
        missed=visit.missed,
        next_due=iso(visit.next_due),
        reason=visit.reason,
        error=visit.error,
    )


def view_site(site: Site) -> SiteView:
    return SiteView(
        name=site.name,
        delay=finite(site.delay),
        next_allowed=iso(site.next_allowed),
        retry_after=iso(site.retry_after),
        ready=iso(site.ready),
        resources=site.resources,
        requests=site.requests,
        failures=site.failures,
        leased_by=site.leased_by,
        leased_until=iso(site.leased_until),
        crawl_delay=finite(site.state.crawl_delay),
        price=finite(site.state.price) or 0.0,
        visits_per_hour=3600.0 * site.state.frequency,
        answer=site.state.answer,
    )


def view_why(resource: Resource, explanation: Explanation) -> WhyView:
    return WhyView(
        resource=resource.id,
        url=resource.url,
        due=iso(resource.due) if resource.status is Status.ACTIVE else None,
        rule=explanation.rule,
        summary=explanation.summary,
        numbers=_numbers(explanation.numbers),
    )


def view_stats(totals: Mapping[str, float], now: float) -> StatsView:
    return StatsView(at=iso(now), totals=_numbers(totals))


def view_health(facts: Mapping[str, object], version: str) -> HealthView:
    alive, offline = bool(facts.get("loop_alive")), bool(facts.get("offline"))
    last, queue, companions = facts.get("last_turn"), facts.get("queue"), facts.get("companions")
    return HealthView(
        status="stopped" if not alive else "offline" if offline else "ok",
        loop_alive=alive,
        last_turn=iso(last) if isinstance(last, int | float) else None,
        queue=queue if isinstance(queue, int) else 0,
        offline=offline,
        version=version,
        companions=companions if isinstance(companions, dict) else {},
    )


def view_budget(facts: Mapping[str, object]) -> BudgetView:
    def known(name: str) -> float | None:
        value = facts.get(name)
        return finite(float(value)) if isinstance(value, int | float) else None

    return BudgetView(
        price=known("price"),
        per_hour=known("budget_per_hour"),
        used_last_hour=int(known("used_last_hour") or 0),
        mean_delay=known("mean_delay_lately"),
        mean_delay_with_ten_percent_more=known("delay_with_ten_percent_more"),
    )


def _numbers(named: Mapping[str, float]) -> dict[str, float | None]:
    return {name: finite(float(value)) for name, value in named.items()}
