"""The frontier in PostgreSQL: every method one transaction, any number of processes beside each other."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from afresh.base.records.frontier import (
    FetcherAccount,
    FrontierStats,
    Imported,
    ListRequest,
    Receipt,
    Seed,
    SiteFacts,
    SiteList,
    SiteOrder,
    SiteReport,
)
from afresh.base.records.frontier_store import Holding, Reported
from afresh.base.records.hygiene import Hygiene
from afresh.store.frontier.adding import SiteNumbers, StaleSites
from afresh.store.frontier.collecting import Collector
from afresh.store.frontier.facts import to_facts, to_stats
from afresh.store.frontier.links import FIRST_CASH
from afresh.store.postgres.connection import Connection, Database, prepare_schema
from afresh.store.postgres.frontier import accounts, graph, leasing, reporting, upkeep
from afresh.store.postgres.frontier.adding import Adder
from afresh.store.postgres.frontier.statements import SQL, Cursor, cursor_of

T = TypeVar("T")

_PACKAGE = "afresh.store.postgres.frontier"
_NAME = "frontier"
VERSION = 1
_ORDER = "site_order"  # the setting that says which order is kept
_CHUNK = 50_000
BIG = 1_000  # pages from which on a site's are kept by due time
#: Every statement finds its rows by a key, whatever the statistics of a growing table say; so plans are made once.
_SETTINGS = {
    "plan_cache_mode": "force_generic_plan",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "jit": "off",
}


class PostgresFrontier:
    """A ``FrontierStore`` in the PostgreSQL schema ``frontier``."""

    def __init__(
        self,
        url: str,
        *,
        links: bool = False,
        hygiene: Hygiene | None = None,
        big: int = BIG,
    ) -> None:
        self._database = Database(url, settings=_SETTINGS)
        try:
            with self._database.asking() as connection:
                prepare_schema(connection, _PACKAGE, _NAME, VERSION)
        except BaseException:
            self._database.close()
            raise
        self._hygiene = hygiene or Hygiene()
        self._links = links
        self._big = big
        self._numbers = SiteNumbers()
        self._own = threading.local()  # the connection of a batch

    @contextmanager
    def batch(self) -> Iterator[None]:
        if self._batch_of_thread is not None:
            yield
            return
        with self._database.writing() as connection:
            self._own.connection = connection
            try:
                yield
            finally:
                self._own.connection = None

    @property
    def _batch_of_thread(self) -> Connection | None:
        found: Connection | None = getattr(self._own, "connection", None)
        return found

    def _write(self, work: Callable[[Cursor], T]) -> T:
        """Work in a transaction, or as part of this thread's batch."""
        connection = self._batch_of_thread
        if connection is not None:
            return work(cursor_of(connection))
        try:
            return self._database.run(lambda fresh: work(cursor_of(fresh)))
        except StaleSites:  # another process has cleared the frontier: once more, with nothing remembered
            return self._database.run(lambda fresh: work(cursor_of(fresh)))
        except BaseException:
            self._numbers.forget()  # what was taken back may have made some of them
            raise

    def _adder(self, cursor: Cursor, now: float) -> Adder:
        cash = FIRST_CASH if self._links else 0.0
        return Adder(cursor, numbers=self._numbers, now=now, hygiene=self._hygiene, big=self._big, cash=cash)

    def _read(self, work: Callable[[Cursor], T]) -> T:
        connection = self._batch_of_thread
        if connection is not None:
            return work(cursor_of(connection))
        with self._database.asking() as fresh:
            return work(cursor_of(fresh))

    # --- fetchers ---

    def register(self, account: FetcherAccount) -> bool:
        return self._write(lambda cursor: accounts.register(cursor, account))

    def fetcher(self, uuid: str) -> FetcherAccount | None:
        return self._read(lambda cursor: accounts.find(cursor, uuid))

    def fetchers(self) -> list[FetcherAccount]:
        return self._read(accounts.listing)

    def replace_fetcher(self, account: FetcherAccount) -> bool:
        return self._write(lambda cursor: accounts.replace(cursor, account))

    def remove_fetcher(self, uuid: str, *, now: float) -> bool:
        return self._write(lambda cursor: accounts.remove(cursor, uuid, now))

    # --- lists and results ---

    def add(self, seeds: Sequence[Seed], *, now: float) -> Imported:
        def work(cursor: Cursor) -> Imported:
            adder = self._adder(cursor, now)
            adder.begin()
            imported = adder.add(seeds)
            leasing.rerank(cursor, _order(cursor), adder.grown, now)
            return imported

        return self._write(work)

    def lease(self, request: ListRequest, *, now: float) -> list[SiteList]:
        return self.lease_many([request], now=now)[0]

    def lease_many(self, requests: Sequence[ListRequest], *, now: float) -> list[list[SiteList]]:
        def work(cursor: Cursor) -> list[list[SiteList]]:
            order = _order(cursor)
            lists = [leasing.lease(cursor, request, now=now, set_order=order) for request in requests]
            cursor.execute(SQL["seen"], {"now": now, "fetchers": [request.fetcher for request in requests]})
            return lists

        return self._write(work)

    def report(
        self, fetcher: str, sites: Sequence[SiteReport], *, key: str, now: float, revisit_after: float | None
    ) -> Receipt:
        return self.report_many([Reported(fetcher, sites, key)], now=now, revisit_after=revisit_after)[0]

    def report_many(self, reports: Sequence[Reported], *, now: float, revisit_after: float | None) -> list[Receipt]:
        def work(cursor: Cursor) -> list[Receipt]:
            adder = self._adder(cursor, now)
            for name in sorted({f"{report.fetcher} {report.key}" for report in reports if report.key}):
                cursor.execute(SQL["one_report_of_a_key"], (name,))
            if any(page.links for report in reports for site in report.sites for page in site.pages):
                adder.begin()
            desk = reporting.PostgresDesk(
                cursor, adder, now=now, revisit_after=revisit_after, hygiene=self._hygiene, links=self._links
            )
            collector = Collector(desk, now=now)
            receipts = collector.collect(reports)
            leasing.rerank(cursor, _order(cursor), collector.touched, now)
            with cursor.connection.pipeline():
                desk.write_receipts()
                cursor.execute(SQL["seen"], {"now": now, "fetchers": [report.fetcher for report in reports]})
            return receipts

        return self._write(work)

    def expire(self, *, now: float) -> int:
        return self._write(lambda cursor: cursor.execute(SQL["free_expired"], {"now": now}).rowcount)

    def forget_keys(self, *, before: float) -> int:
        return self._write(lambda cursor: upkeep.forget(cursor, before))

    def set_site_order(self, order: str) -> None:
        def work(cursor: Cursor) -> None:
            cursor.execute(SQL["put_setting"], (_ORDER, SiteOrder(order).value))
            cursor.execute(SQL["wait_all"])

        self._write(work)

    # --- questions and settings ---

    def random_urls(self, amount: int, *, fqdn: str | None = None, seed: int | None = None) -> list[str]:
        return self._read(lambda cursor: upkeep.random_urls(cursor, amount, fqdn, seed))

    def stats(self) -> FrontierStats:
        return self._read(lambda cursor: to_stats(cursor.execute(SQL["totals"]).fetchall()[0]))

    def holdings(self) -> dict[str, Holding]:
        return self._read(
            lambda cursor: {fetcher: Holding(*rest) for fetcher, *rest in cursor.execute(SQL["holdings"])}
        )

    def site(self, fqdn: str) -> SiteFacts | None:
        return next(iter(self._sites(fqdn, "=", 1)), None)

    def sites(self, *, after: str = "", limit: int = 100) -> list[SiteFacts]:
        return self._sites(after, ">", limit)

    def _sites(self, fqdn: str, which: str, limit: int) -> list[SiteFacts]:
        statement = SQL["site_facts"].format(which=which)
        return self._read(lambda cursor: [to_facts(*row) for row in cursor.execute(statement, (fqdn, limit))])

    def set_delay(self, fqdn: str, delay: float | None) -> None:
        self._write(lambda cursor: cursor.execute(SQL["set_delay"], (delay, fqdn)))

    def block(self, fqdn: str, until: float) -> None:
        self._write(lambda cursor: cursor.execute(SQL["block"], {"fqdn": fqdn, "until": until}))

    def get_setting(self, key: str) -> str | None:
        row = self._read(lambda cursor: cursor.execute(SQL["get_setting"], (key,)).fetchone())
        return None if row is None else row[0]

    def put_setting(self, key: str, value: str) -> None:
        self._write(lambda cursor: cursor.execute(SQL["put_setting"], (key, value)))

    # --- the graph ---

    def edges(self) -> Iterator[tuple[int, int]]:
        last = (-1, -1)
        while True:
            values = (*last, _CHUNK)
            rows = self._read(partial(_edges_after, values=values))
            yield from rows
            if len(rows) < _CHUNK:
                return
            last = rows[-1]

    def put_pageranks(self, scores: Iterable[tuple[int, float]]) -> None:
        self._write(lambda cursor: graph.put_pageranks(cursor, scores))

    def site_edges(self) -> Iterator[tuple[int, int, int]]:
        rows = self._read(lambda cursor: cursor.execute(SQL["site_edges"]).fetchall())
        yield from ((source, target, count) for source, target, count in rows)

    def put_homes(self, homes: Iterable[tuple[str, str]]) -> None:
        self._write(lambda cursor: graph.put_homes(cursor, homes))

    def round_trips(self, *, since: float) -> Iterator[tuple[str, str, float]]:
        rows = self._read(lambda cursor: cursor.execute(SQL["round_trips"], (since,)).fetchall())
        yield from ((fqdn, fetcher, median) for fqdn, fetcher, median in rows)

    def mirrors(self, *, limit: int = 100) -> list[tuple[str, str, int]]:
        rows = self._read(lambda cursor: cursor.execute(SQL["mirrors"], (limit,)).fetchall())
        return [(one, other, count) for one, other, count in rows]

    # --- upkeep ---

    def recount(self) -> Mapping[str, int]:
        return self._read(upkeep.recount)

    def clear(self, *, fetchers: bool, urls: bool, sites: bool, reservations: bool, edges: bool) -> None:
        self._write(
            lambda cursor: upkeep.clear(
                cursor, fetchers=fetchers, urls=urls, sites=sites, reservations=reservations, edges=edges
            )
        )
        self._numbers.forget()

    def close(self) -> None:
        self._database.close()


def _edges_after(cursor: Cursor, *, values: tuple[int, int, int]) -> list[tuple[int, int]]:
    return [(source, target) for source, target in cursor.execute(SQL["edges_after"], values).fetchall()]


def _order(cursor: Cursor) -> SiteOrder:
    """The order that is kept; read each time, since another process may change it."""
    row = cursor.execute(SQL["get_setting"], (_ORDER,)).fetchone()
    return SiteOrder(row[0]) if row else SiteOrder.DUE
