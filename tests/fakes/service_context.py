"""A running afresh as the doors see it: a real store, a clock that stands still, a loop that only takes notes."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ParamSpec, TypeVar

from afresh.base.errors import UsageError
from afresh.base.models import (
    Counters,
    Entry,
    Explanation,
    FeedFacts,
    Kind,
    NewResource,
    ParsedEntry,
    Report,
    Resource,
    Result,
    Visit,
)
from afresh.base.protocols import Store
from afresh.base.records.daemons import DaemonRecord
from afresh.base.records.explained import PriceOrigin, PriceSource
from afresh.base.records.links import NewVersion, Origin
from afresh.base.records.pages import Announcement
from afresh.base.settings import Settings
from afresh.base.troubles import Trouble
from afresh.doors.rest.context import PushReceiver
from afresh.engine.add import AddResult, Wanted, add
from afresh.engine.budget_report import BudgetReport
from afresh.engine.supervision import Companion
from afresh.engine.take_address import change_address, take_address
from afresh.pages.watching import PageWatching, Watches
from afresh.parse.documents import mark_of, read_document

P = ParamSpec("P")
T = TypeVar("T")
NOW = 1_800_000_000.0  # 2027-01-15 08:00 UTC


@dataclass
class FakeContext:
    """Answers at once, in the caller's thread."""

    store: Store
    version: str = "0.0.test"
    time: float = NOW
    settings: Settings = field(default_factory=Settings)
    polled: list[int] = field(default_factory=list)
    alive: bool = True
    troubles: tuple[Trouble, ...] = ()
    daemons: list[DaemonRecord] = field(default_factory=list)  # that share the store
    pokes: int = 0
    hub_url: str = ""
    spending: BudgetReport | None = None
    store_url: str = ""  # for the processes it starts
    pages: dict[str, bytes] = field(default_factory=dict)  # the web, as far as somebody names its pages
    pushes: PushReceiver | None = None
    known_options: list[tuple[str, str, str, str]] = field(
        default_factory=lambda: [
            ("fetch.timeout", "30s", "default", "longest wait for an answer"),
            ("service.tokens", "very-secret-token", "environment", "who may ask"),
            ("store.url", "postgresql://me:pa55@db/afresh", "file", "where things are kept"),
        ]
    )

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)

    def now(self) -> float:
        return self.time

    async def take_announced(self, resource_id: int) -> list[AddResult]:
        page = self.store.get(resource_id)
        return await self.add_discovered([page.url], folder=page.folder, tags=page.tags)

    async def add_discovered(self, sites: Sequence[str], *, folder: str, tags: tuple[str, ...]) -> list[AddResult]:
        return await self.add_wanted([Wanted(url=url, folder=folder, tags=tags) for url in sites])

    async def add_wanted(self, wanted: Sequence[Wanted]) -> list[AddResult]:
        return add(self.store, wanted, self.settings, now=self.time)

    async def take_address(self, resource_id: int, url: str) -> None:
        take_address(self.store, resource_id, url, self.settings, now=self.time)

    async def change_address(self, resource_id: int, url: str) -> None:
        change_address(self.store, resource_id, url, self.settings, now=self.time)

    def poke(self) -> None:
        self.pokes += 1

    async def fetch_page(self, url: str, *, render: bool = False) -> NewVersion:
        if url not in self.pages:
            raise UsageError(f"{url} brought no page: HTTP 404; name another, or try again later")
        body = self.pages[url]
        page = read_document(body, url=url, content_type="text/html")
        return NewVersion(
            at=self.time,
            url=url,
            mark=mark_of(page, body),
            body=body,
            content_type="text/html",
            title=page.title,
            origin=Origin.EXAMPLE,
        )

    @property
    def beside(self) -> Mapping[str, str]:
        return {"AFRESH_STORE_URL": self.store_url}

    def check_target(self, target: str) -> None:
        if "://" not in target:
            raise UsageError("apprise does not understand this target")

    async def test_notice(self, number: int) -> str:
        return "" if self.store.notices.notice(number).is_webhook else "the service did not take the message"

    async def explain(self, resource_id: int) -> Explanation:
        resource = self.store.get(resource_id)
        numbers = {"interval": resource.last_interval or 3600.0, "entries_a_day": 12.5, "endless": float("inf")}
        price = PriceOrigin(
            price=500.0, weight=2.0, source=PriceSource.BUDGET, name="600 requests an hour", since=NOW - 60
        )
        summary = "12.5 entries a day: the mean gap is 1h55m"
        watched = PageWatching(self.store, watches=Watches(self.store)).described(resource)
        is_page = resource.kind is Kind.PAGE
        return Explanation(
            rule="mavsync", summary=summary, numbers=numbers, price=price, watched=watched if is_page else ()
        )

    async def announce(self, urls: Sequence[str], *, signal: str) -> int:
        """Notes what was said; every watched page is news."""
        known = [Announcement(url=url) for url in urls]
        return len(self.store.pages.announce(known, signal=signal))

    async def visit_now(self, resource_id: int) -> None:
        self.polled.append(resource_id)

    @property
    def hub(self) -> str:
        return self.hub_url

    def public_address(self, url: str) -> str:
        return url

    def options(self) -> list[tuple[str, str, str, str]]:
        return self.known_options

    def budget(self) -> BudgetReport | None:
        return self.spending

    def health(self) -> Mapping[str, object]:
        companions = {"push": Companion(failures=2, error="StoreBusy: locked")}
        known = {"last_turn": self.time - 0.5, "queue": 3, "offline": False, "companions": companions}
        return {"loop_alive": self.alive, "troubles": self.troubles, "daemons": self.daemons, **known}


def watch(store: Store, url: str, *, title: str = "", folder: str = "", tags: tuple[str, ...] = ()) -> int:
    """Adds a feed that is due now."""
    site = url.split("/")[2]
    new = NewResource(url=url, site=site, title=title, folder=folder, tags=tags, due=NOW - 60)
    return store.add([new], now=NOW - 86_400)[0].id


def visit(
    store: Store,
    *,
    result: Result = Result.NEW,
    titles: Sequence[str] = (),
    links: Sequence[str] = (),
    summary: str = "",
    error: str = "",
    reason: str = "polled every 10m on average; pushed back by jitter",
    due: float = NOW + 600,
    pattern: str = "zombie",
    feed_title: str = "",
    at: float = NOW - 30,
) -> int:
    """Leases the most overdue feed and reports one visit of it; says which feed it was."""
    [lease] = store.lease(holder="test", now=NOW, until=NOW + 60, limit=1)
    entries = tuple(
        Entry(
            uid=hashlib.sha1(f"{lease.resource.id}-{title}".encode("utf-8", "replace")).digest(),
            published=at - 90 + place,
            published_raw=at - 90 + place,
            found=at,
            initial=False,
            after_gap=False,
            parsed=ParsedEntry(title=title, link=link, native_id=title, summary=summary),
        )
        for place, (title, link) in enumerate(zip(titles, links, strict=True))
    )
    entry = Visit(
        resource=lease.resource.id,
        started=at - 0.25,
        finished=at,
        result=result,
        status=200 if result.is_success else 500,
        bytes=2048,
        window_size=20 if result.is_success else None,
        new=len(entries),
        next_due=due,
        reason=reason,
        error=error,
    )
    after = _after_visit(lease.resource, entry, pattern, feed_title)
    assert store.record([Report(lease=lease.id, visit=entry, resource=after, next_allowed=NOW, entries=entries)]) == [
        True
    ]
    return lease.resource.id


def _after_visit(resource: Resource, visited: Visit, pattern: str, feed_title: str) -> Resource:
    counters, good = resource.counters, visited.result.is_success
    return replace(
        resource,
        due=visited.next_due,
        last_visit=visited.finished,
        last_ok=visited.finished if good else resource.last_ok,
        last_interval=visited.next_due - visited.finished,
        last_result=visited.result,
        error=visited.error,
        reason=visited.reason,
        pattern=pattern,
        facts=FeedFacts(format="rss20", title=feed_title, site_url="https://example.org/"),
        counters=Counters(
            ok=counters.ok + good,
            unreachable=counters.unreachable + (not good),
            entries=counters.entries + visited.new,
            failures=0 if good else counters.failures + 1,
            bytes=counters.bytes + visited.bytes,
        ),
    )
