"""Taking results over: many reports in one transaction, each with its receipt."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import is_text
from afresh.base.records.frontier import KeyTaken, Receipt, Seed, SiteReport, Standing
from afresh.base.records.frontier_store import Reported
from afresh.base.settings.sections import Hygiene
from afresh.base.value_class import alike
from afresh.store.frontier.adding import Adder
from afresh.store.frontier.depths import Depths, PageLinks
from afresh.store.frontier.graph import add_links
from afresh.store.frontier.late_links import keep_late, late_ones, seeds_of
from afresh.store.frontier.leasing import rerank
from afresh.store.frontier.open_links import OpenLinks
from afresh.store.frontier.receipts import from_json, to_json
from afresh.store.frontier.report_effects import (
    Batch,
    Lease,
    Settled,
    gather,
    is_plain,
    plain_pages,
    settle,
    to_pages,
)
from afresh.store.frontier.results import Told, keep_results
from afresh.store.frontier.session import Row, Session
from afresh.store.frontier.store_part import read_order, writing
from afresh.store.frontier.visits import Pages

_ROUNDS = 20  # of links that a report brought nearer, before others have their turn; housekeeping goes on with the rest


class Reporting(OpenLinks):
    """Takes reports over; what they link to is added."""

    def report(
        self, fetcher: str, sites: Sequence[SiteReport], *, key: str, now: float, revisit_after: float | None
    ) -> Receipt:
        [answer] = self.report_many([Reported(fetcher, sites, key)], now=now, revisit_after=revisit_after)
        if isinstance(answer, KeyTaken):
            raise answer
        return answer

    @writing
    def report_many(
        self,
        session: Session,
        reports: Sequence[Reported],
        *,
        now: float,
        revisit_after: float | None,
        keep: bool = False,
        depth: int = 0,
    ) -> list[Receipt | KeyTaken]:
        for key in sorted({f"{report.fetcher} {report.key}" for report in reports if report.key}):
            session.run("one_report_of_a_key", {"key": key})
        has_links = any(page.links for report in reports for site in report.sites for page in site.pages)
        if has_links:
            session.run("only_adder")
        desk = _Desk(session, now=now, revisit_after=revisit_after, hygiene=self._hygiene)
        adder = partial(self._adder, session, now)
        depths = Depths(session, depth) if depth and has_links else None
        collector = _Collector(desk, adder, now=now, has_links=has_links, keeps_links=self._links, depths=depths)
        receipts = collector.collect(reports)
        if depths is not None:
            for _ in range(_ROUNDS):
                pages, grown = self._follow_some(session, now=now, depth=depth)
                collector.touched |= grown
                if not pages:
                    break
        rerank(session, read_order(session), collector.touched, now)
        with session.together():
            session.run_many("add_receipts", collector.signed)
            if keep:
                keep_results(session, collector.told, now=now)
            session.run("seen", {"now": now, "fetchers": session.as_set({report.fetcher for report in reports})})
        return receipts


@dataclass(slots=True)
class _Tally:
    """What one report comes to so far."""

    digest: str
    standings: list[Standing] = field(default_factory=list)
    visited: int = 0
    ignored: int = 0
    discovered: int = 0
    known: int = 0
    refused: int = 0
    too_far: int = 0
    until: float | None = None
    links: defaultdict[int, list[PageLinks]] = field(default_factory=lambda: defaultdict(list))  # by crawl


class _Collector:
    """Takes reports over. Pages of one site are written before the same site is read again."""

    def __init__(
        self,
        desk: "_Desk",
        adder: Callable[..., Adder],
        *,
        now: float,
        has_links: bool,
        keeps_links: bool,
        depths: Depths | None,
    ) -> None:
        self._desk = desk
        self._adder = adder  # of a crawl
        self._now = now
        self._has_links = has_links
        self._keeps_links = keeps_links
        self._depths = depths  # None: links are followed as far as they lead
        self._batch = Batch(now)
        self._written: set[int] = set()  # sites written in this transaction
        self.touched: set[int] = set()  # sites whose sums changed
        self.signed: list[Row] = []  # receipts to keep
        self.told: list[Told] = []  # what was said of pages that were handed out

    def collect(self, reports: Sequence[Reported]) -> list[Receipt | KeyTaken]:
        """The receipts, in order."""
        numbers = {(site.lease, site.name) for report in reports for site in report.sites if site.lease > 0}
        leases = self._desk.find_leases(numbers)
        receipts: dict[tuple[str, str] | int, tuple[Receipt, str]] = {}  # by key, or by place if there is none
        tallies: dict[tuple[str, str] | int, _Tally] = {}
        names: list[tuple[str, str] | int] = []
        for place, report in enumerate(reports):
            name = (report.fetcher, report.key) if report.key else place
            names.append(name)
            if name in tallies or name in receipts:
                continue
            earlier = self._earlier(report) if report.key else None
            if earlier is None:
                tallies[name] = self._gather(report, leases)
            else:
                receipts[name] = earlier
        self._flush()
        for crawl in sorted({crawl for tally in tallies.values() for crawl in tally.links}):
            self._discover(crawl, list(tallies.values()))
        for name, tally in tallies.items():
            receipts[name] = self._sign(name, tally), tally.digest
        return [
            receipts[name][0] if name in tallies and names.index(name) == place else _repeated(report, *receipts[name])
            for place, (name, report) in enumerate(zip(names, reports, strict=True))
        ]

    def _earlier(self, report: Reported) -> tuple[Receipt, str] | None:
        text = self._desk.find_receipt(report.fetcher, report.key)
        return None if text is None else from_json(text)

    def _gather(self, report: Reported, leases: dict[int, Lease]) -> _Tally:
        tally = _Tally(report.digest)
        for site in report.sites:
            lease = self._find(report.fetcher, site, leases)
            if lease is None:
                tally.standings.append(Standing.UNKNOWN)
                tally.ignored += len(site.pages)
                continue
            standing, visited, ignored = gather(self._batch, lease, site)
            self.told.append(Told(report.fetcher, site.name, self._batch, lease.first, lease.last))
            if lease.stays and site.is_partial:
                until = lease.renewed_until(self._now)
                tally.until = until if tally.until is None else min(tally.until, until)
            tally.standings.append(standing)
            tally.visited += visited
            tally.ignored += ignored
            if self._has_links:
                part = slice(lease.first, lease.last)
                pages = list(zip(self._batch.numbers[part], self._batch.pages[part], strict=True))
                tally.links[lease.crawl] += [(number, page.links) for number, page in pages if page.links]
                if self._depths is not None:
                    self._depths.redirects.update(number for number, page in pages if page.redirect)
        return tally

    def _find(self, fetcher: str, site: SiteReport, leases: dict[int, Lease]) -> Lease | None:
        """The list this report is about; None if it was never this fetcher's, or was reported already."""
        number = site.lease
        if number <= 0:
            number = self._desk.lease_of(site.name) if is_text(site.name) else 0
        lease = leases.get(number)
        if lease is None and site.lease <= 0 and number:
            lease = self._desk.find_leases([(number, site.name)]).get(number)
        if lease is None or lease.fetcher != fetcher or lease.name != site.name:
            return None
        if lease.site in self._batch.sites:
            self._flush()
        if lease.site in self._written:
            lease = self._desk.find_leases([(number, site.name)]).get(number)
        return lease

    def _flush(self) -> None:
        """Writes what was gathered."""
        batch, self._batch = self._batch, Batch(self._now)
        if batch.lists:
            self._desk.take(batch)
            self._written |= batch.sites
            self.touched |= batch.sites

    def _discover(self, crawl: int, tallies: list[_Tally]) -> None:
        """Adds the links of all reports to their crawl; each new one counts for the first report that has it."""
        adder = self._adder(crawl=crawl)
        if self._depths is not None:
            self._stay_near(self._depths, crawl, tallies)
        seen: dict[str, None] = {}
        shares = []  # of the links seen first in each report, from the how-manieth on
        for tally in tallies:
            shares.append(len(seen))
            for _, links in tally.links[crawl]:
                seen.update(dict.fromkeys(links))
        if not seen:
            return
        wanted = seeds_of(seen)
        late = self._desk.late_ones(wanted)
        found = adder.discover({url: seed for url, seed in wanted.items() if url not in late} if late else wanted)
        self.touched |= found.grown
        if self._depths is not None:
            pages = [page for tally in tallies for page in tally.links[crawl]]
            self._depths.note(pages, found.numbers, found.new)
        numbers, new, urls = found.numbers, found.new, list(seen)
        for tally, first, last in zip(tallies, shares, [*shares[1:], len(urls)], strict=True):
            discovered = sum([numbers.get(url) in new for url in urls[first:last]])
            every = [url for _, links in tally.links[crawl] for url in links if url not in late]
            refused = sum([url not in numbers for url in every]) if len(numbers) < len(seen) else 0
            tally.discovered += discovered
            tally.refused += refused
            tally.known += len(every) - refused - discovered
        later: set[int] = set()
        if late:
            waiting = [page for tally in tallies for page in tally.links[crawl] if not late.isdisjoint(page[1])]
            self._desk.keep_late(waiting, crawl)
            later = {number for number, _ in waiting}
        if not self._keeps_links:
            return
        pairs = [
            (source, [numbers[url] for url in links if url in numbers])
            for tally in tallies
            for source, links in tally.links[crawl]
            if source not in later
        ]
        adder.admit(self._desk.add_links(pairs))

    def _stay_near(self, depths: Depths, crawl: int, tallies: list[_Tally]) -> None:
        """Leaves the links of pages out that are as far away as the crawl goes."""
        pages = [page for tally in tallies for page in tally.links[crawl]]
        near = {number for number, _ in depths.within(pages)}
        for tally in tallies:
            tally.too_far += sum(len(links) for number, links in tally.links[crawl] if number not in near)
            tally.links[crawl] = [page for page in tally.links[crawl] if page[0] in near]

    def _sign(self, name: tuple[str, str] | int, tally: _Tally) -> Receipt:
        tally.refused += tally.too_far
        receipt = alike(Receipt, tally, standings=tuple(tally.standings))
        if not isinstance(name, int):
            bucket = bucket_of(name[0], self._desk.buckets)
            self.signed.append((bucket, *name, self._now, to_json(receipt, tally.digest)))
        return receipt


def _repeated(report: Reported, receipt: Receipt, digest: str) -> Receipt | KeyTaken:
    """The answer to a report whose key is known: the same again if it says the same again."""
    is_other = report.digest and digest and report.digest != digest
    if is_other or len(receipt.standings) != len(report.sites):
        return KeyTaken(report.key)
    return replace(receipt, repeated=True)


class _Desk:
    """Reads the lists and pages of reports, and writes what became of them."""

    def __init__(self, session: Session, *, now: float, revisit_after: float | None, hygiene: Hygiene) -> None:
        self.buckets = session.buckets
        self._session = session
        self._now = now
        self._revisit_after = revisit_after
        self._hygiene = hygiene

    def find_leases(self, named: Iterable[tuple[int, str]]) -> dict[int, Lease]:
        """Lists by number, each with its site as it is; the name of that tells where they are."""
        session, ordered = self._session, sorted(named)
        buckets = [bucket_of(name, session.buckets) for _, name in ordered]
        wanted = {"leases": session.as_set([number for number, _ in ordered]), "buckets": session.as_set(buckets)}
        self._session.run("lock_sites", wanted)
        return {row[0]: Lease(*row) for row in self._session.rows("leases", wanted)}

    def lease_of(self, site: str) -> int:
        """The number of the list that holds a site; 0: none."""
        rows = self._session.rows("lease_of_site", {"site": site, "bucket": bucket_of(site, self._session.buckets)})
        return rows[0][0] if rows else 0

    def find_receipt(self, fetcher: str, key: str) -> str | None:
        bucket = bucket_of(fetcher, self._session.buckets)
        rows = self._session.rows("receipt", {"bucket": bucket, "fetcher": fetcher, "key": key})
        return rows[0][0] if rows else None

    def take(self, batch: Batch) -> None:
        """Writes the pages and sites of a batch."""
        session = self._session
        old, contents = self._read_pages(batch)
        settled = settle(batch, old, contents, revisit_after=self._revisit_after, hygiene=self._hygiene)
        with session.together():
            _write_pages(session, batch, settled)
            _write_sites(session, batch, settled)
            counts: dict[str, float] = dict(zip(("well", "failed", "left_out"), settled.restood, strict=True))
            counts |= {name: getattr(settled, name) for name in ("visits", "first_visits", "sum_visited")}
            session.run("count_visits", counts | {"part": session.part})

    def add_links(self, links: Sequence[tuple[int, Sequence[int]]]) -> set[int]:
        """Notes links by page number; answers which sites changed."""
        return add_links(self._session, links)

    def late_ones(self, wanted: Mapping[str, Seed]) -> set[str]:
        return late_ones(self._session, wanted)

    def keep_late(self, pages: Sequence[PageLinks], crawl: int) -> None:
        keep_late(self._session, pages, crawl=crawl, now=self._now)

    def _read_pages(self, batch: Batch) -> tuple[Pages, list[str]]:
        """The pages of the batch as they are, and their contents."""
        wanted = {"pages": self._session.as_set(batch.numbers)}
        if batch.numbers and self._revisit_after is not None and is_plain(batch):
            old = plain_pages(self._session.rows("plain_pages", wanted))
            if old is not None:
                return old, []
        return to_pages(self._session.rows("pages", wanted))


def _write_pages(session: Session, batch: Batch, settled: Settled) -> None:
    new = settled.pages
    due = new.due.tolist()
    visited: list[float | None] = new.visited.tolist()
    if due and settled.only_times and batch.is_bare and min(due) == max(due):
        session.revisit_alike(due[0], visited[0], batch.numbers)
    elif settled.only_times:
        session.revisit(list(zip(due, visited, batch.numbers, strict=True)))
    else:
        visited = [None if time is not None and time < 0.0 else time for time in visited]
        whole = (new.status, new.failures, new.looks, new.changes, new.span, new.rate)
        columns = [column.tolist() for column in whole]
        rows = list(zip(due, visited, *columns, settled.content, batch.numbers, strict=True))
        session.run_many("visit_pages", rows)
    if any(lease.big for lease, _ in batch.lists):
        session.run_many("visit_big_pages", list(zip(due, batch.numbers, strict=True)))
    session.run_many("put_validators", settled.validators)
    session.insert("put_failures", settled.failed)
    if settled.recovered:
        session.run("remove_failures", {"pages": session.as_set(settled.recovered)})


def _write_sites(session: Session, batch: Batch, settled: Settled) -> None:
    session.run_many("free_sites", settled.freed)
    session.run_many("keep_sites", settled.kept)
    session.run_many("settle_sites", settled.dated)
    if settled.ended:
        wanted = {"buckets": session.as_set([site % session.buckets for site, _ in settled.ended])}
        session.run("end_leases", wanted | {"leases": session.as_set([number for _, number in settled.ended])})
    session.run_many("shorten_leases", settled.shortened)
    session.run_many("renew_leases", settled.renewed)
    session.run_many("prolong_sites", settled.prolonged)
    found = [
        (site.last_ipv4, site.last_ipv6, lease.site) for lease, site in batch.lists if site.last_ipv4 or site.last_ipv6
    ]
    session.run_many("put_addresses_of_sites", found)
    trips = [
        (lease.site, lease.fetcher, batch.now, site.round_trip)
        for lease, site in batch.lists
        if site.round_trip is not None and site.round_trip >= 0.0
    ]
    session.run_many("add_round_trips", trips)
