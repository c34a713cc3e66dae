"""A frontier in plain Python lists: slow, obvious, the oracle of the real ones."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from afresh.base.hashing import site_hash
from afresh.base.records.frontier import (
    Everything,
    FetcherAccount,
    FrontierStats,
    HashArcs,
    HashClass,
    Home,
    Imported,
    ListRequest,
    PageLine,
    PageOrder,
    PageResult,
    Partition,
    Receipt,
    Seed,
    SiteFacts,
    SiteList,
    SiteOrder,
    SiteReport,
    Standing,
    TopLevelDomain,
)
from tests.laws.site_orders import KEYS


@dataclass
class Page:
    number: int
    url: str
    name: str
    pagerank: float
    discovered: float
    last_visited: float | None
    due: float
    rate: float = 0.0
    links_in: int = 0


@dataclass
class Site:
    name: str
    delay: float | None
    allowed: float = -inf
    leased_by: str = ""
    lease: int = 0
    until: float = 0.0
    home: str = ""
    pages: list[Page] = field(default_factory=list)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


class ModelFrontier:
    """What a frontier promises, without any index."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._members: dict[str, FetcherAccount] = {}
        self._sites: dict[str, Site] = {}
        self._pages: dict[str, Page] = {}
        self._edges: Counter[tuple[int, int]] = Counter()
        self._lease = 0
        self._visits = 0
        self._asked: dict[int, ListRequest] = {}

    def register(self, account: FetcherAccount) -> bool:
        taken = account.uuid in self._members or any(
            (one.contact, one.name) == (account.contact, account.name) for one in self._members.values()
        )
        if not taken:
            self._members[account.uuid] = account
        return not taken

    def fetchers(self) -> list[FetcherAccount]:
        return sorted(self._members.values(), key=lambda one: (one.registered, one.uuid))

    def fetcher(self, uuid: str) -> FetcherAccount | None:
        return self._members.get(uuid)

    def add(self, seeds: Sequence[Seed], *, now: float) -> Imported:
        urls = sites = 0
        for seed in seeds:
            if seed.site not in self._sites:
                self._sites[seed.site] = Site(seed.site, seed.crawl_delay)
                sites += 1
            if seed.url not in self._pages:
                found = now if seed.discovered is None else seed.discovered
                page = Page(len(self._pages), seed.url, seed.site, seed.pagerank, found, seed.last_visited, seed.due)
                self._pages[seed.url] = page
                self._sites[seed.site].pages.append(page)
                urls += 1
        return Imported(urls, sites, len(seeds) - urls)

    def site(self, name: str) -> SiteFacts | None:
        site = self._sites.get(name)
        if site is None:
            return None
        seen = [page.last_visited for page in site.pages if page.last_visited is not None]
        due = min((page.due for page in site.pages), default=None)
        return SiteFacts(
            name=name,
            tld=name.rpartition(".")[2],
            hash=site_hash(name),
            crawl_delay=site.delay,
            ready=None if due is None else max(due, site.allowed),
            leased_by=site.leased_by,
            leased_until=site.until if site.leased_by else None,
            urls=len(site.pages),
            visited=len(seen),
            first_discovered=min((page.discovered for page in site.pages), default=None),
            mean_last_visited=mean(seen) if seen else None,
            mean_pagerank=mean([page.pagerank for page in site.pages]),
            mean_change_rate=mean([page.rate for page in site.pages]),
            mean_in_degree=mean([page.links_in for page in site.pages]),
            cash=0.0,
            errors=0,
            slow=0.0,
            backlog=0,
            home=site.home,
        )

    def sites(self, *, after: str = "", limit: int = 100) -> list[SiteFacts]:
        names = sorted(name for name in self._sites if name > after)[:limit]
        return [facts for name in names if (facts := self.site(name)) is not None]

    def lease(self, request: ListRequest, *, now: float) -> list[SiteList]:
        self.expire(now=now)
        free = [
            site
            for site in self._sites.values()
            if not site.leased_by and site.allowed <= now and any(page.due <= now for page in site.pages)
            if _inside(site, request.partition)
        ]
        facts = {site.name: facts for site in free if (facts := self.site(site.name)) is not None}
        if request.site_order in KEYS:
            free.sort(key=lambda site: KEYS[SiteOrder(request.site_order)](facts[site.name], now))
        else:
            self._rng.shuffle(free)
        return [self._reserve(site, facts[site.name], request, now) for site in free[: request.sites or len(free)]]

    def _reserve(self, site: Site, facts: SiteFacts, request: ListRequest, now: float) -> SiteList:
        due = [page for page in site.pages if page.due <= now]
        self._rng.shuffle(due)
        due.sort(key=_PAGE_KEYS[request.page_order])
        chosen = due[: request.pages or len(due)]
        self._lease += 1
        site.leased_by, site.until, site.lease = request.fetcher, request.expires, self._lease
        self._asked[self._lease] = request
        delay = request.default_delay if site.delay is None else site.delay
        site.allowed = now + delay * len(chosen)
        lines = [
            PageLine(
                url=page.url,
                pagerank=page.pagerank,
                discovered=page.discovered,
                last_visited=page.last_visited,
                due=page.due,
            )
            for page in chosen
        ]
        return SiteList(
            lease=self._lease,
            name=site.name,
            tld=facts.tld,
            hash=facts.hash,
            crawl_delay=site.delay,
            url_count=len(site.pages),
            avg_pagerank=facts.mean_pagerank,
            pages=tuple(lines),
        )

    def report(
        self, fetcher: str, sites: Sequence[SiteReport], *, key: str, now: float, revisit_after: float | None
    ) -> Receipt:
        standings, visited, found, known = [], 0, 0, 0
        for report in sites:
            site = self._sites.get(report.name)
            if site is None or site.leased_by != fetcher:
                standings.append(Standing.UNKNOWN)
                continue
            for line in report.pages:
                if line.result is PageResult.FETCHED:
                    page = self._pages[line.url]
                    page.last_visited = now if line.fetched is None else line.fetched
                    page.due = page.last_visited + (1e12 if revisit_after is None else revisit_after)
                    visited += 1
                for link in line.links:
                    host = link.split("/")[2]
                    new = self.add([Seed(url=link, site=host, due=now)], now=now).urls
                    found, known = found + new, known + 1 - new
                    edge = (self._pages[line.url].number, self._pages[link].number)
                    if edge not in self._edges:
                        self._edges[edge] += 1
                        self._pages[link].links_in += 1
            standings.append(Standing.ACCEPTED)
            if self._asked[site.lease].release_on_report:
                site.leased_by = ""
        self._visits += visited
        return Receipt(standings=tuple(standings), visited=visited, discovered=found, known=known)

    def expire(self, *, now: float) -> int:
        late = [site for site in self._sites.values() if site.leased_by and site.until <= now]
        for site in late:
            site.leased_by = ""
        return len(late)

    def set_site_order(self, order: str) -> None:
        pass

    def random_urls(self, amount: int, *, site: str | None = None, seed: int | None = None) -> list[str]:
        urls = [page.url for page in self._pages.values() if site in (None, page.name)]
        return random.Random(seed).sample(urls, min(amount, len(urls)))

    def stats(self) -> FrontierStats:
        seen = [page.last_visited for page in self._pages.values() if page.last_visited is not None]
        return FrontierStats(
            fetchers=len(self._members),
            sites=len(self._sites),
            urls=len(self._pages),
            visited=len(seen),
            leased_sites=sum(bool(site.leased_by) for site in self._sites.values()),
            mean_last_visited=mean(seen) if seen else None,
            visits=self._visits,
            edges=len(self._edges),
            backlog=0,
        )

    def edges(self) -> Iterator[tuple[int, int]]:
        return iter(self._edges)

    def put_pageranks(self, scores: Iterable[tuple[int, float]]) -> None:
        by_number = {page.number: page for page in self._pages.values()}
        for number, score in scores:
            by_number[number].pagerank = score

    def site_edges(self) -> Iterator[tuple[str, str, int]]:
        of = {page.number: page.name for page in self._pages.values()}
        pairs = Counter((of[one], of[other]) for one, other in self._edges)
        return ((one, other, count) for (one, other), count in pairs.items())

    def put_homes(self, homes: Iterable[tuple[str, str]]) -> None:
        for site, uuid in homes:
            self._sites[site].home = uuid

    def round_trips(self, *, since: float) -> Iterator[tuple[str, str, float]]:
        return iter(())

    def remove_fetcher(self, uuid: str, *, now: float) -> bool:
        for site in self._sites.values():
            if site.leased_by == uuid:
                site.leased_by = ""
        return self._members.pop(uuid, None) is not None

    def replace_fetcher(self, account: FetcherAccount) -> bool:
        if account.uuid not in self._members:
            return False
        self._members[account.uuid] = replace(account)
        return True

    def clear(self, *, fetchers: bool, urls: bool, sites: bool, leases: bool, edges: bool) -> None:
        if fetchers:
            self._members.clear()
        if urls or sites:
            self._pages.clear()
            self._sites.clear()
            self._edges.clear()
            self._visits = 0

    def recount(self) -> Mapping[str, int]:
        return {}

    def get_setting(self, key: str) -> str | None:
        return None

    def put_setting(self, key: str, value: str) -> None:
        pass

    def set_delay(self, site: str, delay: float | None) -> None:
        self._sites[site].delay = delay

    def block(self, site: str, until: float) -> None:
        self._sites[site].allowed = until

    def forget_keys(self, *, before: float) -> int:
        return 0

    def mirrors(self, *, limit: int = 100) -> list[tuple[str, str, int]]:
        return []

    def close(self) -> None:
        pass


def _inside(site: Site, partition: Partition) -> bool:
    number = site_hash(site.name)
    match partition:
        case Everything():
            return True
        case TopLevelDomain(tld):
            return site.name.rpartition(".")[2] == tld
        case HashClass(index, count):
            return number % count == index
        case HashArcs(arcs):
            return any(start <= number < end for start, end in arcs)
        case Home(fetcher):
            return site.home in ("", fetcher)


_PAGE_KEYS = {
    PageOrder.RANDOM: lambda page: 0.0,
    PageOrder.OLD: lambda page: -inf if page.last_visited is None else page.last_visited,
    PageOrder.NEW: lambda page: inf if page.last_visited is None else -page.last_visited,
    PageOrder.PAGERANK: lambda page: -page.pagerank,
    PageOrder.CHANGE_RATE: lambda page: -page.rate,
    PageOrder.IN_DEGREE: lambda page: -page.links_in,
    PageOrder.OPIC: lambda page: 0.0,
    PageOrder.DUE: lambda page: page.due,
}
