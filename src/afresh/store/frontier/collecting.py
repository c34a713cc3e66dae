"""The result collector, whatever the database: many reports in one transaction, each with its receipt."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from afresh.base.page_numbers import host_of, is_text
from afresh.base.records.frontier import Receipt, Seed, SiteReport, Standing
from afresh.base.records.frontier_store import Reported
from afresh.store.frontier.receipts import from_json, to_json
from afresh.store.frontier.reports import Batch, Lease, gather


class Found(NamedTuple):
    """What became of URLs."""

    numbers: Mapping[str, int]  # of all that were asked for
    new: Collection[int]
    grown: Collection[int]  # sites
    new_sites: int
    backlog: int


class Desk(Protocol):
    """What the collector needs of a database, within one transaction."""

    def find_leases(self, numbers: Iterable[int]) -> dict[int, Lease]:
        """Lists by number, each with its site as it is."""
        ...

    def held_lease(self, fqdn: str) -> int:
        """The number of the list that holds a site; 0: none."""
        ...

    def find_receipt(self, fetcher: str, key: str) -> str | None: ...

    def put_receipt(self, fetcher: str, key: str, text: str) -> None: ...

    def take(self, batch: Batch) -> None:
        """Writes the pages and sites of a batch."""
        ...

    def discover(self, wanted: Mapping[str, Seed]) -> Found:
        """Numbers for URLs; those not known are added."""
        ...

    def add_links(self, links: Sequence[tuple[int, Sequence[int]]]) -> None:
        """Links by page number, if they are kept."""
        ...


@dataclass(slots=True)
class _Tally:
    """What one report comes to so far."""

    standings: list[Standing] = field(default_factory=list)
    visited: int = 0
    ignored: int = 0
    discovered: int = 0
    known: int = 0
    refused: int = 0
    links: list[tuple[int, Sequence[str]]] = field(default_factory=list)


class Collector:
    """Takes reports over. Pages of one site are written before the same site is read again."""

    def __init__(self, desk: Desk, *, now: float) -> None:
        self._desk = desk
        self._now = now
        self._batch = Batch(now)
        self._written: set[int] = set()  # sites written in this transaction
        self.touched: set[int] = set()  # sites whose sums changed

    def collect(self, reports: Sequence[Reported]) -> list[Receipt]:
        """The receipts, in order."""
        numbers = {site.lease for report in reports for site in report.sites if site.lease > 0}
        leases = self._desk.find_leases(numbers)
        receipts: dict[tuple[str, str] | int, Receipt] = {}  # by key, or by place if there is none
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
        self._discover(list(tallies.values()))
        for name, tally in tallies.items():
            receipts[name] = self._sign(name, tally)
        return [
            receipts[name] if name in tallies and names.index(name) == place else replace(receipts[name], repeated=True)
            for place, name in enumerate(names)
        ]

    def _earlier(self, report: Reported) -> Receipt | None:
        text = self._desk.find_receipt(report.fetcher, report.key)
        return None if text is None else from_json(text)

    def _gather(self, report: Reported, leases: dict[int, Lease]) -> _Tally:
        tally = _Tally()
        for site in report.sites:
            lease = self._find(report.fetcher, site, leases)
            if lease is None:
                tally.standings.append(Standing.UNKNOWN)
                tally.ignored += len(site.pages)
                continue
            standing, visited, ignored = gather(self._batch, lease, site)
            tally.standings.append(standing)
            tally.visited += visited
            tally.ignored += ignored
            part = slice(lease.first, lease.last)
            tally.links += [
                (number, page.links)
                for number, page in zip(self._batch.numbers[part], self._batch.pages[part], strict=True)
                if page.links
            ]
        return tally

    def _find(self, fetcher: str, site: SiteReport, leases: dict[int, Lease]) -> Lease | None:
        """The list this report is about; None if it was never this fetcher's, or was reported already."""
        number = site.lease
        if number <= 0:
            number = self._desk.held_lease(site.fqdn) if is_text(site.fqdn) else 0
        lease = leases.get(number)
        if lease is None and site.lease <= 0 and number:
            lease = self._desk.find_leases([number]).get(number)
        if lease is None or lease.fetcher != fetcher or lease.fqdn != site.fqdn:
            return None
        if lease.site in self._batch.sites:
            self._flush()
        if lease.site in self._written:
            lease = self._desk.find_leases([number]).get(number)
        return lease

    def _flush(self) -> None:
        """Writes what was gathered."""
        batch, self._batch = self._batch, Batch(self._now)
        if batch.lists:
            self._desk.take(batch)
            self._written |= batch.sites
            self.touched |= batch.sites

    def _discover(self, tallies: list[_Tally]) -> None:
        """Adds the links of all reports; each new one counts for the first report that has it."""
        seen: dict[str, None] = {}
        shares = []  # of the links seen first in each report, from the how-manieth on
        for tally in tallies:
            shares.append(len(seen))
            for _, links in tally.links:
                seen.update(dict.fromkeys(links))
        if not seen:
            return
        wanted = {url: Seed(url, host) for url in seen if (host := host_of(url)) and (url.isascii() or is_text(url))}
        found = self._desk.discover(wanted)
        self.touched |= set(found.grown)
        numbers, new, urls = found.numbers, found.new, list(seen)
        for tally, first, last in zip(tallies, shares, [*shares[1:], len(urls)], strict=True):
            tally.discovered = sum([numbers.get(url) in new for url in urls[first:last]])
            every = [url for _, links in tally.links for url in links]
            tally.refused = sum([url not in numbers for url in every]) if len(numbers) < len(seen) else 0
            tally.known = len(every) - tally.refused - tally.discovered
        pairs = [
            (source, [numbers[url] for url in links if url in numbers])
            for tally in tallies
            for source, links in tally.links
        ]
        self._desk.add_links(pairs)

    def _sign(self, name: tuple[str, str] | int, tally: _Tally) -> Receipt:
        receipt = Receipt(
            standings=tuple(tally.standings),
            visited=tally.visited,
            ignored=tally.ignored,
            discovered=tally.discovered,
            known=tally.known,
            refused=tally.refused,
        )
        if not isinstance(name, int):
            self._desk.put_receipt(*name, to_json(receipt))
        return receipt
