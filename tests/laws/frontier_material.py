"""What the laws of a frontier are made of: a few sites, fetchers, lists and reports."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from afresh.base.records.frontier import (
    FetcherAccount,
    ListRequest,
    PageReport,
    PageResult,
    Receipt,
    Seed,
    SiteList,
    SiteReport,
)
from afresh.base.records.frontier_store import FrontierStore

OpenFrontier = Callable[[], FrontierStore]
NOW = 1_700_000_000.0
DELAY = 2.0
LEASE = 100.0  # seconds a list is reserved for


@contextmanager
def opened(open_frontier: OpenFrontier) -> Iterator[FrontierStore]:
    """A frontier for the time of a ``with`` block."""
    store = open_frontier()
    try:
        yield store
    finally:
        store.close()


@contextmanager
def filled(open_frontier: OpenFrontier, sites: int = 3, pages: int = 4) -> Iterator[FrontierStore]:
    """A frontier with sites of equally many pages, and the fetchers ``one`` and ``two``."""
    with opened(open_frontier) as store:
        store.add(seeds(sites, pages), now=NOW)
        store.register(account("one"))
        store.register(account("two"))
        yield store


def seeds(sites: int, pages: int, **more: Any) -> list[Seed]:
    """Pages of sites ``s0.example`` …, all due."""
    return [Seed(url(site, page), host(site), **more) for site in range(sites) for page in range(pages)]


def host(site: int) -> str:
    return f"s{site}.example"


def url(site: int, page: int) -> str:
    return f"http://s{site}.example/{page}"


def account(uuid: str, *, name: str | None = None, registered: float = NOW) -> FetcherAccount:
    return FetcherAccount(uuid=uuid, contact="a@b.example", name=name or uuid, registered=registered)


def take(
    store: FrontierStore, fetcher: str = "one", *, now: float = NOW, sites: int = 0, pages: int = 0, **more: Any
) -> list[SiteList]:
    """A list, reserved for ``LEASE`` seconds."""
    values: dict[str, Any] = {"default_delay": DELAY, "expires": now + LEASE} | more
    return store.lease(ListRequest(fetcher=fetcher, sites=sites, pages=pages, **values), now=now)


def hosts(lists: Sequence[SiteList]) -> list[str]:
    return [one.name for one in lists]


def urls(lists: Sequence[SiteList]) -> list[str]:
    return [page.url for one in lists for page in one.pages]


def fetched(one: SiteList, result: PageResult = PageResult.FETCHED, **more: Any) -> SiteReport:
    """A report that says the same of all pages of a list."""
    pages = tuple(PageReport(page.url, result=result, number=page.number, **more) for page in one.pages)
    return SiteReport(lease=one.lease, name=one.name, pages=pages)


def give_back(
    store: FrontierStore,
    lists: Sequence[SiteList],
    fetcher: str = "one",
    *,
    now: float = NOW,
    key: str = "",
    revisit_after: float | None = 1_000.0,
    **more: Any,
) -> Receipt:
    """Reports all pages of a list."""
    reports = [fetched(one, **more) for one in lists]
    return store.report(fetcher, reports, key=key, now=now, revisit_after=revisit_after)


def wrong_sums(store: FrontierStore) -> dict[str, int]:
    """Sums that differ from a recount."""
    return {name: count for name, count in store.recount().items() if count}


def missing_site() -> Any:
    """To be called where a site ought to be there."""
    raise AssertionError("there is no such site")


def laws_of(module: Mapping[str, Any]) -> tuple[Callable[[OpenFrontier], None], ...]:
    """The laws among the names of a module, told by their signature: none can be forgotten."""
    signature = {"open_frontier": OpenFrontier, "return": None}
    return tuple(law for law in module.values() if getattr(law, "__annotations__", {}) == signature)
