"""The frontier at work: what its doors ask for, in order, deciding nothing that a strategy should decide."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import ParamSpec, TypeVar

from afresh.base.errors import ServerAway, StoreAway, UsageError
from afresh.base.executor import Executor, InPlace, give_way
from afresh.base.protocols import Clock
from afresh.base.records.frontier import (
    FetcherAccount,
    FetcherUnknown,
    FrontierStats,
    Imported,
    ListRequest,
    PageOrder,
    Partitioning,
    Receipt,
    Seed,
    SiteList,
    SiteOrder,
    SiteReport,
)
from afresh.base.records.frontier_store import FrontierStore, Reported
from afresh.base.records.queues import DEFAULT_CRAWL, FIRST_CRAWL, CrawlUnknown
from afresh.base.records.sinks import SINKS
from afresh.base.settings.frontier import MOST_PAGES, MOST_SITES, MOST_URLS, NEED_LINKS, NEED_RANKS, FrontierSettings
from afresh.base.troubles import SERVERS, STORE, Troubles
from afresh.frontier import refused_reports, silent_fetchers
from afresh.frontier.accounts import Accounts
from afresh.frontier.batches import Combiner
from afresh.frontier.kept_settings import read_settings, write_settings
from afresh.frontier.partitionings import partition_for
from afresh.frontier.recent_rates import Lately
from afresh.frontier.scope import Scope
from afresh.frontier.shared_counters import Tallies
from afresh.frontier.silent_fetchers import Heard
from afresh.frontier.urls import CrawlUrls

P = ParamSpec("P")
T = TypeVar("T")

_PART = 1_000  # URLs of a long list that are leased in one go
_FIRST_SITES = 10  # of a list of sites of which nobody knows how many pages are due
_PIECE = 10_000  # URLs added in one transaction …
_SMALL_PIECE = 1_000  # … where everybody else waits for its end: some 10 ms
_SETTINGS, _REPORTS, FETCHERS = "settings", "reports", "fetchers"  # as troubles
_ACTIVE, _PAUSED = "frontier.active", "0"  # a setting of the store, and what it says while nothing is handed out
_TOGETHER = 8  # requests answered in one transaction: more would make the first wait for the last
_NO_SINKS = (None, "[]")  # the setting that names sinks, where there are none
_REREAD = 1.0  # seconds: another scheduler process may have changed the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a fetcher asks for; None: as the settings say."""

    uuid: str
    sites: int | None = None
    pages: int | None = None
    site_order: SiteOrder | None = None
    partitioning: Partitioning | None = None
    page_order: PageOrder | None = None
    expires: float | None = None
    crawl: str = DEFAULT_CRAWL
    site: str = ""  # this one alone; '': any


@dataclass(frozen=True, slots=True, kw_only=True)
class Handout:
    """A list that was leased, and the modes it was chosen by."""

    request: ListRequest
    part_mode: Partitioning
    count: int  # of fetchers
    sites: Sequence[SiteList] = ()

    @property
    def urls(self) -> int:
        return sum(len(site.pages) for site in self.sites)


class Frontier:
    """The use cases over one store. Every call of the store happens in one thread, in the order of the requests."""

    def __init__(
        self,
        store: FrontierStore,
        *,
        clock: Clock,
        executor: Executor | InPlace,
        allow_private: bool = False,
        links: bool = True,
        places: bool = True,
        tallies: Tallies | None = None,
        scope: Scope | None = None,
    ) -> None:
        self.store, self._clock, self._executor = store, clock, executor
        self.troubles = Troubles(clock.now)
        self.scope = scope or Scope()
        self.urls = CrawlUrls(allow_private=allow_private, excludes=self.scope.excludes)  # that operators name
        self.link_urls = CrawlUrls(allow_private=allow_private)  # that fetchers find
        self.accounts = Accounts(store)
        self.heard = Heard(store)
        self.lately = Lately(tallies)
        self._links = links  # whether the store keeps the link graph
        self._places = places  # whether there is a table of places
        self._has_ranks = False  # whether some page is known to have a PageRank
        #: held by one at a time of those who have long work to do, for a step of it
        self.long_work = asyncio.Lock()
        self._piece = _SMALL_PIECE if isinstance(executor, InPlace) else _PIECE
        self._wishes = Combiner(self._hand_out_all, most=_TOGETHER)
        self._reports = Combiner(self._report_all, most=_TOGETHER)
        self._is_active = True
        self._has_sinks = False  # whether what is reported is kept for somebody
        self._settings: FrontierSettings | None = None
        self._settings_read = 0.0

    def now(self) -> float:
        return self._clock.now()

    @property
    def executor(self) -> Executor | InPlace:
        """Where calls of the store are made."""
        return self._executor

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """A call that needs the store, in the store's thread."""
        return await self._told(self._executor.write(function, *args, **kwargs))

    async def run_beside(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """A longer one, beside those if the store can do several at once."""
        return await self._told(self._executor.read(function, *args, **kwargs))

    async def _told(self, call: Awaitable[T]) -> T:
        """What it answers; whether the store can be used is known afterwards."""
        try:
            answer = await call
        except ServerAway as error:
            self.troubles.report(SERVERS, str(error))
            raise
        except StoreAway as error:
            self.troubles.report(STORE, str(error))
            raise
        self.troubles.over(STORE)
        return answer

    # --- fetchers ---

    async def register(
        self, *, contact: str, name: str, location: str = "", tld_preference: str = "", address: str = ""
    ) -> tuple[FetcherAccount, str]:
        """A new fetcher and its secret."""
        return await self.run(
            self.accounts.register,
            contact=contact,
            name=name,
            location=location,
            tld_preference=tld_preference,
            address=address,
            now=self.now(),
        )

    async def account(self, uuid: str) -> FetcherAccount:
        return await self.run(self.accounts.get, uuid, self.now())

    async def change(self, uuid: str, **changes: str) -> FetcherAccount:
        return await self.run(self.accounts.replace, uuid, self.now(), **changes)

    async def remove(self, uuid: str) -> None:
        """With its leases: its sites become free, their delays stay."""
        await self.run(self.accounts.remove, uuid, self.now())
        await self.tell_of_silence()

    async def begin_anew(self, uuid: str) -> int:
        """A fetcher's process has started: what its last one held is free after a pause. How many sites that were."""
        await self.account(uuid)
        freed = await self.run(self.store.take_lists_back, uuid, now=self.now())
        await self.tell_of_silence()
        return freed

    async def fetchers(self) -> list[FetcherAccount]:
        return await self.run(self.accounts.members, self.now())

    async def owner(self, token: str) -> FetcherAccount | None:
        """Whose secret this is; a fetcher that was there a moment ago need not wait for the store."""
        return self.accounts.recall(token, self.now()) or await self.run(self.accounts.owner, token, self.now())

    # --- lists and results ---

    async def hand_out(self, wish: Wish) -> Handout:
        """Chooses and leases a list; FetcherUnknown if nobody of that UUID is registered."""
        return await self._wishes.ask(wish)

    async def hand_out_in_parts(self, wish: Wish) -> AsyncIterator[Handout]:
        """The same for lists of any length: at least one part, all until the same moment, others served in between."""
        if wish.site or 0 < (wish.sites or 0) * (wish.pages or 0) <= _PART:
            yield await self.hand_out(wish)
            return
        request = list_request(wish, await self.settings(), self.now())
        sites, urls = request.sites, MOST_URLS
        part = max(1, _PART // min(request.pages, _PART // _FIRST_SITES))
        while True:
            asked = min(part, sites)
            given = await self._wishes.ask(replace(wish, sites=asked, expires=request.expires))
            yield given
            found = len(given.sites)
            sites, urls = sites - found, urls - given.urls
            if found < asked or sites <= 0 or urls <= 0:
                return
            part = max(1, min(2 * part, _PART * found // max(1, given.urls)))

    async def _hand_out_all(self, wishes: Sequence[Wish]) -> list[Handout | Exception]:
        return await self.run(self._hand_out, wishes)

    def _hand_out(self, wishes: Sequence[Wish]) -> list[Handout | Exception]:
        now = self.now()
        settings, members = self.current(now), self.accounts.members(now)
        asked = [self._prepare(wish, settings, members, now) for wish in wishes]
        wanted = [item for item in asked if isinstance(item, Handout)]
        if not self._is_active:
            return asked
        given = iter(self.store.lease_many([item.request for item in wanted], now=now) if wanted else ())
        return [replace(item, sites=next(given)) if isinstance(item, Handout) else item for item in asked]

    def _prepare(
        self, wish: Wish, settings: FrontierSettings, members: Sequence[FetcherAccount], now: float
    ) -> Handout | Exception:
        """The list to ask the store for, still without sites."""
        try:
            account = self.accounts.get(wish.uuid, now)
        except FetcherUnknown as error:
            return error
        crawl = FIRST_CRAWL if wish.crawl == DEFAULT_CRAWL else self.store.crawl_number(wish.crawl)
        if crawl is None:
            return CrawlUnknown(wish.crawl)
        lacking = self._lacking(wish.site_order, wish.page_order, wish.partitioning)
        if lacking:
            return UsageError(lacking)
        mode = wish.partitioning or settings.partitioning
        request = replace(list_request(wish, settings, now), crawl=crawl)
        if mode is not Partitioning.NONE:
            request = replace(request, partition=partition_for(mode, account.uuid, members))
        return Handout(request=request, part_mode=mode, count=len(members))

    async def report(self, uuid: str, sites: Sequence[SiteReport], *, key: str, digest: str = "") -> Receipt:
        """Takes results over; the same key again changes nothing and gives the same receipt.

        KeyTaken if the key came with another ``digest`` before: it stands for something else.
        """
        return await self._reports.ask(Reported(uuid, sites, key, digest))

    async def put_report_aside(self, uuid: str, site: SiteReport) -> Receipt:
        """Takes over that the report of a page could not be taken: it has failed, and health says so for a day."""
        receipt = await self.report(uuid, [site], key="")
        await self.run(refused_reports.note, self.store, site.pages[0], self.now())
        await self.tell_of_asides()
        return receipt

    async def tell_of_asides(self) -> None:
        """Health has what fetchers have put aside lately, whichever process heard of it."""
        words = await self.run(refused_reports.words, self.store, self.now())
        self.troubles.report(_REPORTS, words) if words else self.troubles.over(_REPORTS)

    async def tell_of_silence(self) -> None:
        """Health has the fetchers that hold sites and are not heard of any more."""
        words = await self.run(self._silence)
        self.troubles.report(FETCHERS, words) if words else self.troubles.over(FETCHERS)

    def _silence(self) -> str:
        silent = self.heard.silent(self.now())
        return silent_fetchers.words(self.store.fetchers(), self.store.holdings(), silent) if silent else ""

    async def _report_all(self, reports: Sequence[Reported]) -> list[Receipt | Exception]:
        return await self.run(self._report, reports)

    def _report(self, reports: Sequence[Reported]) -> list[Receipt | Exception]:
        now = self.now()
        revisit_after = self.current(now).revisit_after
        asked = [self._known(report, now) for report in reports]
        if not self.scope.is_all:
            asked = [self._within(item) if isinstance(item, Reported) else item for item in asked]
        wanted = [item for item in asked if isinstance(item, Reported)]
        keep, depth = self._has_sinks, self.scope.depth
        receipts = (
            self.store.report_many(wanted, now=now, revisit_after=revisit_after, keep=keep, depth=depth)
            if wanted
            else []
        )
        self.lately.note_out_of_scope(sum(one.too_far for one in receipts if isinstance(one, Receipt)))
        taken = iter(receipts)
        self.lately.note(wanted)
        return [next(taken) if isinstance(item, Reported) else item for item in asked]

    def _within(self, report: Reported) -> Reported:
        """Without links that lead out of the crawl; these are counted."""
        sites, left_out = self.scope.within(self.store, report.sites)
        self.lately.note_out_of_scope(left_out)
        return report._replace(sites=sites)

    def _known(self, report: Reported, now: float) -> Reported | Exception:
        try:
            self.accounts.get(report.fetcher, now)
        except FetcherUnknown as error:
            return error
        return report

    # --- URLs ---

    async def add(self, seeds: Sequence[Seed], *, crawl: str = DEFAULT_CRAWL, revive: bool = True) -> Imported:
        """URLs to know of, already canonical; in pieces, so that fetchers need not wait for all of them.

        ``revive``: an operator names them. Those that were given up are tried again, and their hosts belong to the
        crawl; otherwise they are links, and added only where the crawl goes.
        """
        total = Imported(urls=0, sites=0, known=0)
        await self.settings()  # and the scope, as another process may have said it
        for start in range(0, len(seeds), self._piece):
            piece = seeds[start : start + self._piece]
            async with self.long_work:
                if not self.scope.is_all:
                    piece = await self.run(self._in_scope, piece, named=revive)
                added = await self.run_beside(self.store.add, piece, now=self.now(), crawl=crawl, revive=revive)
                total = _together(total, added)
                await give_way()
        return total

    def _in_scope(self, seeds: Sequence[Seed], *, named: bool) -> Sequence[Seed]:
        if named:
            self.scope.note_seeds(self.store, {seed.site for seed in seeds})
            return seeds
        kept = [seed for seed in seeds if self.scope.has(self.store, seed.url)]
        self.lately.note_out_of_scope(len(seeds) - len(kept))
        return kept

    async def random_urls(self, amount: int, *, site: str | None) -> list[str]:
        return await self.run(self.store.random_urls, amount, site=site)

    async def stats(self) -> FrontierStats:
        return await self.run(self.store.stats)

    async def clear(self, *, fetchers: bool, urls: bool, sites: bool, leases: bool, edges: bool) -> None:
        """Deletes wholly or in part (development only)."""
        await self.run(self.store.clear, fetchers=fetchers, urls=urls, sites=sites, leases=leases, edges=edges)
        self.accounts.forget()

    # --- settings ---

    def is_active(self, now: float) -> bool:
        """Whether anything is handed out, over whichever door; a call of the store."""
        self.current(now)
        return self._is_active

    def set_active(self, state: bool) -> None:
        """Pauses handing out, or goes on with it; a call of the store, and remembered by it."""
        self.store.put_setting(_ACTIVE, "" if state else _PAUSED)
        self._settings = None

    async def settings(self) -> FrontierSettings:
        return await self.run(self.current, self.now())

    async def put_settings(self, settings: FrontierSettings) -> FrontierSettings:
        """Replaces them all, for every scheduler process within a second."""
        return await self.run(self._put_settings, settings)

    async def change_settings(self, changes: Mapping[str, object]) -> FrontierSettings:
        """Replaces those that are named, as in Table C-14; None: by its default."""
        return await self.run(self._change_settings, changes)

    def _change_settings(self, changes: Mapping[str, object]) -> FrontierSettings:
        self._settings = None  # another process may just have changed others
        named = {**self.current(self.now()).to_thesis(), **changes}
        return self._put_settings(
            FrontierSettings.from_thesis({name: value for name, value in named.items() if value is not None})
        )

    def _put_settings(self, settings: FrontierSettings) -> FrontierSettings:
        lacking = self._lacking(settings.site_order, settings.page_order, settings.partitioning)
        if lacking:
            raise UsageError(lacking)
        before = self.current(self.now())
        write_settings(self.store, settings)
        if before.site_order is not settings.site_order:
            self.store.set_site_order(settings.site_order)
        self._settings, self._settings_read = settings, self.now()
        return settings

    def _lacking(self, *modes: SiteOrder | PageOrder | Partitioning | None) -> str:
        """What some of these modes would need and nobody has given; '': nothing."""
        names = {mode.value for mode in modes if mode is not None}
        wanting = NEED_LINKS & names
        if NEED_RANKS & names and not self._links:
            self._has_ranks = self._has_ranks or self.store.has_pageranks()
            wanting |= frozenset() if self._has_ranks else NEED_RANKS & names
        if wanting and not self._links:
            return f"{', '.join(sorted(wanting))} needs the link graph; start with --set frontier.links=true"
        if Partitioning.GEOGRAPHIC.value in names and not self._places:
            return "geographic needs a table of places; start with --set frontier.places=FILE"
        return ""

    def current(self, now: float) -> FrontierSettings:
        """The settings as they are now; a call of the store."""
        if self._settings is None or not 0.0 <= now - self._settings_read < _REREAD:
            found, wrong = read_settings(self.store)
            self._settings = found if not wrong or self._settings is None else self._settings  # else as they were
            self._settings_read = now
            self._is_active = self.store.get_setting(_ACTIVE) != _PAUSED
            self._has_sinks = self.store.get_setting(SINKS) not in _NO_SINKS
            self.scope.read(self.store)
            if wrong:
                self.troubles.report(_SETTINGS, wrong)
            else:
                self.troubles.over(_SETTINGS)
        return self._settings


def list_request(wish: Wish, settings: FrontierSettings, now: float) -> ListRequest:
    """The request with every default filled in; "all" means as many as one answer may carry."""
    sites = settings.sites if wish.sites is None else wish.sites
    pages = settings.pages if wish.pages is None else wish.pages
    return ListRequest(
        fetcher=wish.uuid,
        sites=min(sites or MOST_SITES, MOST_SITES),
        pages=min(pages or MOST_PAGES, MOST_PAGES),
        site_order=wish.site_order or settings.site_order,
        page_order=wish.page_order or settings.page_order,
        revisit_share=settings.revisit_share,
        default_delay=settings.default_delay,
        release_on_report=settings.release_on_report,
        expires=now + settings.lease_seconds if wish.expires is None else wish.expires,
        site=wish.site,
    )


def _together(one: Imported, other: Imported) -> Imported:
    return Imported(**{item.name: getattr(one, item.name) + getattr(other, item.name) for item in fields(Imported)})
