"""Taking results over, in PostgreSQL: locks the sites in order, reads lists and pages, writes what became of them."""

from collections.abc import Iterable, Mapping, Sequence

from afresh.base.page_numbers import HASH_BITS
from afresh.base.records.frontier import Seed
from afresh.base.records.hygiene import Hygiene
from afresh.store.frontier.collecting import Found
from afresh.store.frontier.reports import Batch, Lease, Settled, SiteAfter, is_plain, plain_pages, settle, to_pages
from afresh.store.frontier.visits import Pages
from afresh.store.postgres.frontier import graph
from afresh.store.postgres.frontier.adding import Adder, array_of, columns_of
from afresh.store.postgres.frontier.statements import SQL, Cursor


class PostgresDesk:
    """The collector's ``Desk`` within one transaction."""

    def __init__(
        self,
        cursor: Cursor,
        adder: Adder,
        *,
        now: float,
        revisit_after: float | None,
        hygiene: Hygiene,
        links: bool,
    ) -> None:
        self._cursor = cursor
        self._adder = adder
        self._now = now
        self._revisit_after = revisit_after
        self._hygiene = hygiene
        self._links = links
        self._receipts: list[tuple[str, str, float, str]] = []

    def find_leases(self, numbers: Iterable[int]) -> dict[int, Lease]:
        wanted = array_of(sorted(numbers))
        self._cursor.execute(SQL["lock_sites"], (wanted,))
        return {row[0]: Lease(*row) for row in self._cursor.execute(SQL["leases"], (wanted,)).fetchall()}

    def held_lease(self, fqdn: str) -> int:
        row = self._cursor.execute(SQL["lease_by_fqdn"], (fqdn,)).fetchone()
        return row[0] if row else 0

    def find_receipt(self, fetcher: str, key: str) -> str | None:
        row = self._cursor.execute(SQL["receipt"], (fetcher, key)).fetchone()
        return row[0] if row else None

    def put_receipt(self, fetcher: str, key: str, text: str) -> None:
        self._receipts.append((fetcher, key, self._now, text))

    def write_receipts(self) -> None:
        """Those that were put, at the end of the transaction."""
        for receipt in self._receipts:
            self._cursor.execute(SQL["add_receipt"], receipt)

    def take(self, batch: Batch) -> None:
        sites = array_of([number >> HASH_BITS for number in batch.numbers])
        numbers = array_of(batch.numbers)
        old, contents = self._read_pages(batch, (sites, numbers))
        settled = settle(batch, old, contents, revisit_after=self._revisit_after, hygiene=self._hygiene)
        any_big = any(lease.big for lease, _ in batch.lists)
        with self._cursor.connection.pipeline():  # none of these is waited for
            _write_pages(self._cursor, settled, (sites, numbers), any_big=any_big)
            _write_sites(self._cursor, batch, settled)
            self._cursor.execute(SQL["count_visits"], (settled.visits, settled.first_visits, settled.sum_visited))

    def discover(self, wanted: Mapping[str, Seed]) -> Found:
        return self._adder.discover(wanted)

    def add_links(self, links: Sequence[tuple[int, Sequence[int]]]) -> None:
        if self._links:
            self._adder.admit(graph.add_links(self._cursor, links))

    def _read_pages(self, batch: Batch, wanted: tuple[str, str]) -> tuple[Pages, list[str]]:
        """The pages of the batch as they are, and their contents."""
        if batch.numbers and self._revisit_after is not None and is_plain(batch):
            rows = self._cursor.execute(SQL["plain_pages"], wanted).fetchall()
            old = plain_pages([(visited, trouble) for visited, trouble in rows])
            if old is not None:
                return old, []
        return to_pages(self._cursor.execute(SQL["pages"], wanted).fetchall())


def _write_pages(cursor: Cursor, settled: Settled, wanted: tuple[str, str], *, any_big: bool) -> None:
    new = settled.pages
    due = array_of(new.due.tolist())
    if settled.only_times:
        cursor.execute(SQL["revisit_pages"], (*wanted, due, array_of(new.visited.tolist())))
    elif len(settled.content):
        visited = array_of([None if time < 0.0 else time for time in new.visited.tolist()])
        columns = (new.status, new.failures, new.looks, new.changes, new.span, new.rate)
        whole = [array_of(column.tolist()) for column in columns]
        cursor.execute(SQL["visit_pages"], (*wanted, due, visited, *whole, settled.content))
    if any_big:
        cursor.execute(SQL["visit_big_pages"], (*wanted, due))
    if settled.validators:
        etags, modified, numbers = zip(*settled.validators, strict=True)
        cursor.execute(SQL["validators"], (list(etags), list(modified), array_of(numbers)))


def _write_sites(cursor: Cursor, batch: Batch, settled: Settled) -> None:
    for name, sites in (("end_lease", settled.freed), ("keep_lease", settled.kept)):
        if sites:
            cursor.execute(SQL[name], [array_of(column) for column in columns_of(sites, len(SiteAfter._fields))])
    if settled.ended:
        cursor.execute(SQL["end_leases"], (array_of(settled.ended),))
    for pages, number in settled.shortened:
        cursor.execute(SQL["shorten_lease"], (pages, number))
    found = [
        (site.last_ipv4, site.last_ipv6, lease.site) for lease, site in batch.lists if site.last_ipv4 or site.last_ipv6
    ]
    if found:
        ipv4, ipv6, numbers = columns_of(found, 3)
        cursor.execute(SQL["addresses_of_sites"], (ipv4, ipv6, array_of(numbers)))
    trips = [
        (lease.site, lease.fetcher, batch.now, site.round_trip)
        for lease, site in batch.lists
        if site.round_trip is not None and site.round_trip >= 0.0
    ]
    if trips:
        numbers, fetchers, times, seconds = columns_of(trips, 4)
        cursor.execute(SQL["add_round_trips"], (array_of(numbers), fetchers, array_of(times), array_of(seconds)))
