"""The part of the SQLite store that keeps links: every method one transaction."""

import zlib
from collections.abc import Mapping, Sequence

from afresh.base.errors import VersionNotFound
from afresh.base.records.link_status import Standing, Usage
from afresh.base.records.links import CheckRecord, KeptLink, LinkCheck, LinkFilter, NewVersion, Version
from afresh.store.session import Database
from afresh.store.sql import links

_NEWEST = 2**63 - 1
_ALL = LinkFilter()


class LinksStore:
    """Implements ``base.records.links.LinkStore`` over the database of the class it is part of."""

    _database: Database

    def link(self, resource: int) -> KeptLink:
        with self._database.reading() as connection:
            return links.get(connection, resource)

    def list_links(self, where: LinkFilter = _ALL, *, after: int = 0, limit: int = 100) -> list[KeptLink]:
        with self._database.reading() as connection:
            return links.page(connection, where, after=after, limit=limit)

    def link_standings(self) -> Mapping[Standing, int]:
        with self._database.reading() as connection:
            return links.standings(connection)

    def record_checks(self, records: Sequence[CheckRecord]) -> None:
        with self._database.writing() as connection:
            links.record(connection, records)

    def accept_version(
        self, resource: int, version: int | None = None, *, by: str, now: float, teach: bool = False
    ) -> KeptLink:
        with self._database.writing() as connection:
            return links.decide(connection, resource, version, accepts=True, by=by, now=now, teach=teach)

    def reject_version(
        self, resource: int, version: int | None = None, *, by: str, now: float, teach: bool = False
    ) -> KeptLink:
        with self._database.writing() as connection:
            return links.decide(connection, resource, version, accepts=False, by=by, now=now, teach=teach)

    def set_usage(self, resource: int, usage: Usage) -> KeptLink:
        with self._database.writing() as connection:
            links.get(connection, resource)
            connection.execute(links.SQL["make_link"], {"id": resource})
            connection.execute(links.SQL["set_usage"], {"id": resource, "usage": usage})
            return links.get(connection, resource)

    def link_checks(self, resource: int, *, before: int | None = None, limit: int = 100) -> list[LinkCheck]:
        values = {"id": resource, "before": _NEWEST if before is None else before, "limit": limit}
        with self._database.reading() as connection:
            return [links.to_check(row) for row in connection.execute(links.SQL["checks_of_link"], values)]

    def versions(self, resource: int, *, limit: int = 100) -> list[Version]:
        with self._database.reading() as connection:
            found = connection.execute(links.SQL["versions_of_link"], {"id": resource, "limit": limit})
            return [links.to_version(row) for row in found]

    def version(self, number: int) -> Version:
        with self._database.reading() as connection:
            row = connection.execute(links.SQL["version_by_id"], {"version": number}).fetchone()
        if row is None:
            raise VersionNotFound(number)
        return links.to_version(row)

    def version_body(self, number: int) -> bytes:
        with self._database.reading() as connection:
            row = connection.execute(links.SQL["version_body"], {"version": number}).fetchone()
        if row is None:
            raise VersionNotFound(number)
        return zlib.decompress(row["body"])

    def add_version(self, resource: int | None, version: NewVersion, *, keep: int = 10) -> int:
        with self._database.writing() as connection:
            return links.add_version(connection, resource, version, keep)
