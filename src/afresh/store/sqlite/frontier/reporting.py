"""Taking results over, in SQLite: reads the lists and pages, writes what became of them."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from afresh.base.records.frontier import Seed
from afresh.base.records.hygiene import Hygiene
from afresh.store.frontier.collecting import Found
from afresh.store.frontier.reports import Batch, Lease, Settled, is_plain, plain_pages, settle, to_pages
from afresh.store.frontier.visits import Pages
from afresh.store.sqlite.frontier import graph
from afresh.store.sqlite.frontier.adding import Adder
from afresh.store.sqlite.frontier.statements import SQL, as_set

_ALIKE = 0.1  # times a page; with more of them a statement for each time costs more than one for each page


class SqliteDesk:
    """The collector's ``Desk`` within one transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        adder: Adder,
        *,
        now: float,
        revisit_after: float | None,
        hygiene: Hygiene,
        links: bool,
    ) -> None:
        self._connection = connection
        self._adder = adder
        self._now = now
        self._revisit_after = revisit_after
        self._hygiene = hygiene
        self._links = links

    def find_leases(self, numbers: Iterable[int]) -> dict[int, Lease]:
        return {row[0]: Lease(*row) for row in self._connection.execute(SQL["leases"], (as_set(numbers),))}

    def held_lease(self, fqdn: str) -> int:
        row = self._connection.execute(SQL["lease_by_fqdn"], (fqdn,)).fetchone()
        return row[0] if row else 0

    def find_receipt(self, fetcher: str, key: str) -> str | None:
        row = self._connection.execute(SQL["receipt"], (fetcher, key)).fetchone()
        return row[0] if row else None

    def put_receipt(self, fetcher: str, key: str, text: str) -> None:
        self._connection.execute(SQL["add_receipt"], (fetcher, key, self._now, text))

    def take(self, batch: Batch) -> None:
        connection = self._connection
        old, contents = _read_pages(connection, batch, with_rates=self._revisit_after is None)
        settled = settle(batch, old, contents, revisit_after=self._revisit_after, hygiene=self._hygiene)
        _write_pages(connection, batch, settled)
        _write_sites(connection, batch, settled)
        connection.execute(SQL["count_visits"], (settled.visits, settled.first_visits, settled.sum_visited))

    def discover(self, wanted: Mapping[str, Seed]) -> Found:
        return self._adder.discover(wanted)

    def add_links(self, links: Sequence[tuple[int, Sequence[int]]]) -> None:
        if self._links:
            self._adder.admit(graph.add_links(self._connection, links))


def _read_pages(connection: sqlite3.Connection, batch: Batch, *, with_rates: bool) -> tuple[Pages, list[str]]:
    """The pages of the batch as they are, and their contents."""
    numbers = (as_set(batch.numbers),)
    if batch.numbers and not with_rates and is_plain(batch):
        old = plain_pages(connection.execute(SQL["plain_pages"], numbers).fetchall())
        if old is not None:
            return old, []
    return to_pages(connection.execute(SQL["pages"], numbers).fetchall())


def _write_pages(connection: sqlite3.Connection, batch: Batch, settled: Settled) -> None:
    new = settled.pages
    due = new.due.tolist()
    visited: list[float | None] = new.visited.tolist()
    if settled.only_times:
        _write_times(connection, batch.numbers, due, visited)
    else:
        visited = [None if time is not None and time < 0.0 else time for time in visited]
        whole = (new.status, new.failures, new.looks, new.changes, new.span, new.rate)
        columns = [column.tolist() for column in whole]
        connection.executemany(
            SQL["visit_page"], zip(due, visited, *columns, settled.content, batch.numbers, strict=True)
        )
    if settled.validators:
        connection.executemany(SQL["validators"], settled.validators)


def _write_times(
    connection: sqlite3.Connection, numbers: list[int], due: list[float], visited: list[float | None]
) -> None:
    """Page by page, or in one go those of the same time: fetchers that state none are all given that of the report."""
    if len(set(zip(due, visited, strict=True))) > _ALIKE * len(numbers) or len(set(numbers)) < len(numbers):
        connection.executemany(SQL["revisit_page"], zip(due, visited, numbers, strict=True))  # the last one counts
        return
    alike: defaultdict[tuple[float, float | None], list[int]] = defaultdict(list)
    for number, next_time, time in zip(numbers, due, visited, strict=True):
        alike[next_time, time].append(number)
    for times, members in alike.items():
        connection.execute(SQL["revisit_pages"], (*times, as_set(members)))


def _write_sites(connection: sqlite3.Connection, batch: Batch, settled: Settled) -> None:
    connection.executemany(SQL["end_lease"], settled.freed)
    connection.executemany(SQL["keep_lease"], [after._asdict() for after in settled.kept])
    connection.execute(SQL["end_leases"], (as_set(settled.ended),))
    connection.executemany(SQL["shorten_lease"], settled.shortened)
    found = [
        (site.last_ipv4, site.last_ipv4, site.last_ipv6, site.last_ipv6, lease.site)
        for lease, site in batch.lists
        if site.last_ipv4 or site.last_ipv6
    ]
    connection.executemany(SQL["addresses_of_site"], found)
    connection.executemany(
        SQL["add_round_trip"],
        [
            (lease.site, lease.fetcher, batch.now, site.round_trip)
            for lease, site in batch.lists
            if site.round_trip is not None and site.round_trip >= 0.0
        ],
    )
