"""The part of the SQLite store that keeps pages in turn: every method one transaction."""

from collections.abc import Mapping, Sequence

from afresh.base.models import Resource
from afresh.base.records.page_store import SitePages, Waiting
from afresh.base.records.pages import Announcement, Hastened, SignalCounts, SitePlan
from afresh.store.session import Database
from afresh.store.sql import revisits


class RevisitsStore:
    """Implements ``base.records.page_store.RevisitStore`` over the database of the class it is part of."""

    _database: Database

    def announce(self, told: Sequence[Announcement], *, signal: str) -> list[Resource]:
        if not told:
            return []
        with self._database.writing() as connection:
            return revisits.announce(connection, told, signal)

    def hasten(self, pages: Sequence[Hastened], *, now: float) -> None:
        if pages:
            with self._database.writing() as connection:
                revisits.hasten(connection, pages, now)

    def signals(self, site: str) -> Mapping[str, SignalCounts]:
        with self._database.reading() as connection:
            return revisits.signals(connection, site)

    def first_in_turn(self, site: str, *, besides: int, limit: int) -> Waiting:
        with self._database.reading() as connection:
            return revisits.first_in_turn(connection, site, besides=besides, limit=limit)

    def site_pages(self, *, after: int = 0, limit: int = 5_000) -> list[SitePages]:
        with self._database.reading() as connection:
            return revisits.site_pages(connection, after=after, limit=max(1, limit))

    def plan_sites(self, plans: Sequence[SitePlan], *, now: float) -> None:
        if plans:
            with self._database.writing() as connection:
                revisits.plan_sites(connection, plans, now)
