"""The seam of the frontier: what its store promises, over SQLite and PostgreSQL alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from afresh.base.records.damage import Damaged
from afresh.base.records.frontier import (
    FailedPage,
    FetcherAccount,
    FrontierStats,
    Imported,
    KeptResult,
    KeyTaken,
    ListRequest,
    PageResult,
    Receipt,
    Seed,
    SiteFacts,
    SiteList,
    SiteReport,
)
from afresh.base.records.queues import (
    DEFAULT_CRAWL,
    PageFacts,
    Put,
    QueueControl,
    QueueRequest,
    QueueStats,
    QueueUrl,
    Removed,
    StoredPart,
    StoredUrl,
    Taken,
)
from afresh.base.timekeeping import SeenTimes, TimeBounds


class Reported(NamedTuple):
    """One report as it arrived."""

    fetcher: str
    sites: Sequence[SiteReport]
    key: str = ""
    digest: str = ""  # of what was sent: the key stands for nothing else; '': not compared


class Holding(NamedTuple):
    """What one fetcher has leased."""

    sites: int
    first_end: float  # when the first of these leases ends


class Waiting(NamedTuple):
    """Sites with something to fetch that nobody holds."""

    due: int  # may be handed out now
    later: int  # rest, or nothing of them is due yet


class FrontierStore(Protocol):
    """Keeps sites, pages, links and fetchers; hands out lists. Synchronous, set-based, every method one transaction.

    Laws (``tests.laws.frontier``): a site is leased at most once at a time, whoever asks and however many processes
    share the store; it is not handed out again before its delay has passed for every page of the list; an expired
    lease is handed out again; a report with a key known before changes nothing; a discovered URL never
    overwrites a known one; the sums kept per site equal a recount; a crash loses nothing that was answered.
    """

    def register(self, account: FetcherAccount) -> bool:
        """False if (contact, name) or the UUID is taken."""
        ...

    def fetcher(self, uuid: str) -> FetcherAccount | None: ...

    def fetchers(self) -> list[FetcherAccount]:
        """All, by registration, then UUID: a fetcher's place here is its index for hash partitioning."""
        ...

    def replace_fetcher(self, account: FetcherAccount) -> bool:
        """Writes location, preference, address, contact, name, token and last_seen; False if the UUID is unknown."""
        ...

    def remove_fetcher(self, uuid: str, *, now: float) -> bool:
        """With its leases, whose sites become free; a site's delay stays."""
        ...

    def take_lists_back(self, fetcher: str, *, now: float) -> int:
        """Frees the sites that a fetcher holds, each after its delay from now on: it has begun anew. How many."""
        ...

    def add(self, seeds: Sequence[Seed], *, now: float, crawl: str = DEFAULT_CRAWL, revive: bool = True) -> Imported:
        """URLs from outside, to a crawl that is made if it is not there.

        ``revive``: known ones that are gone, failing or refused are handed out again; not for links that were found.
        """
        ...

    def make_site(self, name: str, *, crawl: int) -> None:
        """Keeps a site without pages, unless it is known: something is to be said of it before any is found."""
        ...

    def lease(self, request: ListRequest, *, now: float) -> list[SiteList]:
        """Chooses and leases in one atomic step. A site without a page to give is not leased."""
        ...

    def report(
        self, fetcher: str, sites: Sequence[SiteReport], *, key: str, now: float, revisit_after: float | None
    ) -> Receipt:
        """Takes results over. ``key`` makes it idempotent ('' : none given).

        ``revisit_after``: a visited page is due again so many seconds later; None: by its estimated change rate.
        """
        ...

    def batch(self) -> AbstractContextManager[None]:
        """All calls within are one transaction, of this thread: what waited is answered together, at one commit.

        Answers must not leave before the end: nothing is kept until then. An exception takes all of it back.
        """
        ...

    def lease_many(self, requests: Sequence[ListRequest], *, now: float) -> list[list[SiteList]]:
        """Several requests in one transaction, in order: what waited while another was answered."""
        ...

    def report_many(
        self,
        reports: Sequence[Reported],
        *,
        now: float,
        revisit_after: float | None,
        keep: bool = False,
        depth: int = 0,
    ) -> list[Receipt | KeyTaken]:
        """Several reports in one transaction, in order; each has its receipt, or a key that stands for another.

        ``keep``: what they say is kept for sinks, too. ``depth``: pages are added that are at most so many links away
        from what an operator named; 0: all.
        """
        ...

    def results(self, *, after: int, limit: int) -> list[KeptResult]:
        """What was kept for sinks, ascending: read with ``after`` = the last seen, nothing is skipped or repeated."""
        ...

    def forget_results(self, *, taken: int | None) -> int:
        """Drops what every sink has taken, up to a number; None: everything."""
        ...

    def lead(self) -> bool:
        """Whether this process is the one that carries results to sinks."""
        ...

    def servers_away(self) -> list[str]:
        """Servers of the store that do not answer, with what waits for them, in words; the others go on."""
        ...

    def follow_open_links(self, *, now: float, depth: int) -> int:
        """Follows links that were too far away and are not any more, of some pages; of how many."""
        ...

    def add_late_links(self, *, now: float, depth: int = 0) -> int:
        """Adds links of one report that waited for a server; from how many pages. 0: none is left that can be."""
        ...

    def expire(self, *, now: float) -> int:
        """Frees the sites of expired leases; done lazily by ``lease`` too."""
        ...

    def forget_keys(self, *, before: float) -> int:
        """Drops idempotency keys older than this."""
        ...

    def set_site_order(self, order: str) -> None:
        """Makes this the order whose lease costs O(log sites); another one may be asked for, at the cost of a scan."""
        ...

    def random_urls(self, amount: int, *, site: str | None = None, seed: int | None = None) -> list[str]: ...

    def stats(self) -> FrontierStats: ...

    def waiting(self, *, now: float) -> Waiting:
        """How long the queue is; at the cost of a look through the index of sites."""
        ...

    def failures(self, site: str = "", *, crawl: int = 1, limit: int) -> list[FailedPage]:
        """Pages of which nothing came at their last try, the newest first.

        Of all sites: those that failed. Of one of them: those that nobody was asked for as well.
        """
        ...

    def count_failures(self, site: str = "", *, crawl: int = 1, newest: int) -> list[tuple[PageResult, str, int]]:
        """How many of the newest of these have the same result and words, in any order."""
        ...

    def note_seen(self, uuid: str, *, now: float) -> None:
        """A fetcher was heard of."""
        ...

    def holdings(self) -> dict[str, Holding]:
        """What is leased, by fetcher; at the cost of the leases, however many sites there are."""
        ...

    def site(self, name: str, *, crawl: int = 1) -> SiteFacts | None: ...

    def sites(self, *, after: str = "", limit: int = 100, crawl: int = 1) -> list[SiteFacts]: ...

    # --- queues: crawls beside each other, pages handed out one by one (``tests.laws.frontier_queues``) ---

    def put(self, crawl: str, puts: Sequence[Put], *, now: float) -> list[Taken]:
        """Takes URLs of a crawl, which is made if it is not there; a found URL never overwrites a known one."""
        ...

    def serve(self, request: QueueRequest, *, now: float) -> list[QueueUrl]:
        """Due URLs of some queues, each locked: nobody else gets it before the lock ends or its client is back."""
        ...

    def unlock(self, pages: Iterable[int]) -> None:
        """Gives pages back, by number, that were served and never reached their client."""
        ...

    def crawl_number(self, name: str) -> int | None:
        """What ``ListRequest.crawl`` calls a crawl; None: there is none of that name."""
        ...

    def renew(self, pages: Iterable[int], *, until: float) -> None:
        """Keeps pages locked until then, by number, of those that still are."""
        ...

    def crawls(self) -> list[str]:
        """Crawls that have queues, by name."""
        ...

    def queues(self, crawl: str, *, start: int, limit: int, active_at: float | None) -> tuple[list[str], int]:
        """Some keys by name and how many there are; only of queues active at that time, or (None) of all."""
        ...

    def queue_stats(self, crawl: str, key: str = "", *, now: float) -> QueueStats: ...

    def control_queue(
        self, crawl: str, key: str, said: QueueControl, *, now: float, default_delay: float = 0.0
    ) -> bool:
        """Treats a queue as is said; False if there is none. The default is for one that has no delay of its own."""
        ...

    def visit_again(self, crawl: str, key: str, *, now: float) -> int | None:
        """Makes pages of a queue due that are to be fetched at some time; how many. None: there is no such queue."""
        ...

    def default_delay_changed(self, delay: float, *, now: float) -> None:
        """Queues without a delay of their own wait so long from their last serving on."""
        ...

    def stored_url(self, crawl: str, key: str, url: str) -> StoredUrl | None: ...

    def page_facts(self, crawl: str, key: str, url: str) -> PageFacts | None: ...

    def stored_urls(
        self,
        crawl: str,
        key: str = "",
        *,
        after: tuple[int, int] = (0, -1),
        limit: int,
        containing: str = "",
        ignore_case: bool = False,
    ) -> StoredPart:
        """What is stored of a crawl or a queue, at most so many, after a cursor."""
        ...

    def remove_some(self, crawl: str, key: str = "", *, before: float | None, after: int, limit: int) -> Removed:
        """Removes URLs found before a time, or (None) all with their queues; at most so many, from a cursor on."""
        ...

    def set_delay(self, site: str, delay: float | None) -> None: ...

    def block(self, site: str, until: float, *, now: float) -> None:
        """No list with this site before then."""
        ...

    def seen_times(self) -> SeenTimes:
        """The latest times; cheap however much there is."""
        ...

    def pull_back(self, *, now: float, bounds: TimeBounds) -> int:
        """Brings due times, pauses, leases and blocks that a wrong clock wrote to where they would be; how many sites.

        What was done ahead of now keeps its interval, its rest of a pause, its length, within the bounds; what else
        lies further ahead than its bound is cut there. Nothing is forgotten.
        """
        ...

    def find_damage(self) -> list[Damaged]:
        """Rows that cannot be read, and those that were set aside for it; looks at everything."""
        ...

    def repair_damage(self) -> list[Damaged]:
        """Hands out again what was set aside, with neutral values where nothing could be read; counts anew."""
        ...

    def edges(self) -> Iterator[tuple[int, int]]:
        """The link graph as pairs of page numbers, from and to."""
        ...

    def has_pageranks(self) -> bool:
        """Whether some page has one, imported or computed; at the cost of a look at every site while none has."""
        ...

    def put_pageranks(self, scores: Iterable[tuple[int, float]]) -> None:
        """By page number; site means follow."""
        ...

    def site_edges(self) -> Iterator[tuple[str, str, int]]:
        """Links between sites, by their names: from, to, how many."""
        ...

    def put_homes(self, homes: Iterable[tuple[str, str]]) -> None:
        """Assigns sites (by name) to fetchers (by UUID; '' takes the assignment back)."""
        ...

    def round_trips(self, *, since: float) -> Iterator[tuple[str, str, float]]:
        """Site, fetcher, median of the measurements since then."""
        ...

    def mirrors(self, *, limit: int = 100) -> list[tuple[str, str, int]]:
        """Pairs of sites that share the content of many pages, and how many."""
        ...

    def get_setting(self, key: str) -> str | None: ...

    def put_setting(self, key: str, value: str) -> None: ...

    def recount(self) -> Mapping[str, int]:
        """Recomputes every sum from the pages and says how many sites differed, by sum; all zero when all is well."""
        ...

    def clear(self, *, fetchers: bool, urls: bool, sites: bool, leases: bool, edges: bool) -> None:
        """Deletes wholly or in part (development only)."""
        ...

    def close(self) -> None: ...
