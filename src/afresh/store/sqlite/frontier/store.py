"""The frontier in one SQLite file: every method one transaction, several processes may share the file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
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
from afresh.store.frontier.links import FIRST_CASH
from afresh.store.sqlite.frontier import accounts, adding, graph, leasing, questions, reporting, upkeep
from afresh.store.sqlite.frontier.connection import Database
from afresh.store.sqlite.frontier.statements import SQL

T = TypeVar("T")

_ORDER = "site_order"  # the setting that says which order is kept
BIG = 1_000  # pages from which on a site's are indexed by due time


class SqliteFrontier:
    """A ``FrontierStore``; ``path`` None: in memory."""

    def __init__(
        self,
        path: Path | None,
        *,
        links: bool = False,
        hygiene: Hygiene | None = None,
        full_sync: bool = False,
        big: int = BIG,
    ) -> None:
        self._numbers = SiteNumbers()
        self._database = Database(path, full_sync=full_sync, taken_back=self._numbers.forget)
        self._hygiene = hygiene or Hygiene()
        self._links = links
        self._big = big

    @contextmanager
    def batch(self) -> Iterator[None]:
        with self._database.writing():
            yield

    # --- fetchers ---

    def register(self, account: FetcherAccount) -> bool:
        with self._database.writing() as connection:
            return accounts.register(connection, account)

    def fetcher(self, uuid: str) -> FetcherAccount | None:
        with self._database.reading() as connection:
            return accounts.find(connection, uuid)

    def fetchers(self) -> list[FetcherAccount]:
        with self._database.reading() as connection:
            return accounts.listing(connection)

    def replace_fetcher(self, account: FetcherAccount) -> bool:
        with self._database.writing() as connection:
            return accounts.replace(connection, account)

    def remove_fetcher(self, uuid: str, *, now: float) -> bool:
        with self._database.writing() as connection:
            return accounts.remove(connection, uuid, now)

    # --- lists and results ---

    def add(self, seeds: Sequence[Seed], *, now: float) -> Imported:
        return self._retried(lambda: self._add(seeds, now))

    def _add(self, seeds: Sequence[Seed], now: float) -> Imported:
        with self._database.writing() as connection:
            adder = self._adder(connection, now)
            imported = adder.add(seeds)
            leasing.rerank(connection, self._order(connection), adder.grown, now)
            return imported

    def lease(self, request: ListRequest, *, now: float) -> list[SiteList]:
        return self.lease_many([request], now=now)[0]

    def lease_many(self, requests: Sequence[ListRequest], *, now: float) -> list[list[SiteList]]:
        with self._database.writing() as connection:
            order = self._order(connection)
            lists = [leasing.lease(connection, request, now=now, set_order=order) for request in requests]
            connection.executemany(SQL["seen"], [(now, request.fetcher) for request in requests])
            return lists

    def report(
        self, fetcher: str, sites: Sequence[SiteReport], *, key: str, now: float, revisit_after: float | None
    ) -> Receipt:
        return self.report_many([Reported(fetcher, sites, key)], now=now, revisit_after=revisit_after)[0]

    def report_many(self, reports: Sequence[Reported], *, now: float, revisit_after: float | None) -> list[Receipt]:
        return self._retried(lambda: self._report_many(reports, now, revisit_after))

    def _report_many(self, reports: Sequence[Reported], now: float, revisit_after: float | None) -> list[Receipt]:
        with self._database.writing() as connection:
            adder = self._adder(connection, now)
            desk = reporting.SqliteDesk(
                connection, adder, now=now, revisit_after=revisit_after, hygiene=self._hygiene, links=self._links
            )
            collector = Collector(desk, now=now)
            receipts = collector.collect(reports)
            leasing.rerank(connection, self._order(connection), collector.touched, now)
            connection.executemany(SQL["seen"], [(now, report.fetcher) for report in reports])
            return receipts

    def expire(self, *, now: float) -> int:
        with self._database.writing() as connection:
            return upkeep.expire(connection, now)

    def forget_keys(self, *, before: float) -> int:
        with self._database.writing() as connection:
            return upkeep.forget(connection, before)

    def set_site_order(self, order: str) -> None:
        with self._database.writing() as connection:
            connection.execute(SQL["put_setting"], (_ORDER, SiteOrder(order).value))
            connection.execute(SQL["wait_all"])

    # --- questions and settings ---

    def random_urls(self, amount: int, *, fqdn: str | None = None, seed: int | None = None) -> list[str]:
        with self._database.reading() as connection:
            return questions.random_urls(connection, amount, fqdn, seed)

    def stats(self) -> FrontierStats:
        with self._database.reading() as connection:
            return questions.stats(connection)

    def holdings(self) -> dict[str, Holding]:
        with self._database.reading() as connection:
            return questions.holdings(connection)

    def site(self, fqdn: str) -> SiteFacts | None:
        with self._database.reading() as connection:
            return next(iter(questions.sites(connection, fqdn, "=", 1)), None)

    def sites(self, *, after: str = "", limit: int = 100) -> list[SiteFacts]:
        with self._database.reading() as connection:
            return questions.sites(connection, after, ">", limit)

    def set_delay(self, fqdn: str, delay: float | None) -> None:
        with self._database.writing() as connection:
            connection.execute(SQL["set_delay"], (delay, fqdn))

    def block(self, fqdn: str, until: float) -> None:
        with self._database.writing() as connection:
            connection.execute(SQL["block"], {"fqdn": fqdn, "until": until})

    def get_setting(self, key: str) -> str | None:
        with self._database.reading() as connection:
            row = connection.execute(SQL["get_setting"], (key,)).fetchone()
            return None if row is None else row[0]

    def put_setting(self, key: str, value: str) -> None:
        with self._database.writing() as connection:
            connection.execute(SQL["put_setting"], (key, value))

    def _retried(self, work: Callable[[], T]) -> T:
        """Once more if a site was remembered that another process has cleared."""
        try:
            return work()
        except StaleSites:
            return work()

    def _adder(self, connection: upkeep.Connection, now: float) -> adding.Adder:
        cash = FIRST_CASH if self._links else 0.0
        return adding.Adder(connection, numbers=self._numbers, now=now, hygiene=self._hygiene, big=self._big, cash=cash)

    def _order(self, connection: upkeep.Connection) -> SiteOrder:
        """The order that is kept; read each time, since another process may change it."""
        row = connection.execute(SQL["get_setting"], (_ORDER,)).fetchone()
        return SiteOrder(row[0]) if row else SiteOrder.DUE

    # --- the graph ---

    def edges(self) -> Iterator[tuple[int, int]]:
        yield from graph.edges(self._database)

    def put_pageranks(self, scores: Iterable[tuple[int, float]]) -> None:
        with self._database.writing() as connection:
            graph.put_pageranks(connection, scores)

    def site_edges(self) -> Iterator[tuple[int, int, int]]:
        with self._database.reading() as connection:
            found = graph.site_edges(connection)
        yield from found

    def put_homes(self, homes: Iterable[tuple[str, str]]) -> None:
        with self._database.writing() as connection:
            graph.put_homes(connection, homes)

    def round_trips(self, *, since: float) -> Iterator[tuple[str, str, float]]:
        with self._database.reading() as connection:
            found = graph.round_trips(connection, since)
        yield from found

    def mirrors(self, *, limit: int = 100) -> list[tuple[str, str, int]]:
        with self._database.reading() as connection:
            return graph.mirrors(connection, limit)

    # --- upkeep ---

    def recount(self) -> Mapping[str, int]:
        with self._database.writing() as connection:
            return upkeep.recount(connection)

    def clear(self, *, fetchers: bool, urls: bool, sites: bool, reservations: bool, edges: bool) -> None:
        with self._database.writing() as connection:
            upkeep.clear(connection, fetchers=fetchers, urls=urls, sites=sites, reservations=reservations, edges=edges)

    def close(self) -> None:
        self._database.close()
