"""The daemon's store in a PostgreSQL of several servers (Citus).

A transaction of the daemon stays on one server where it can: leases and reports are divided by place before they are
written, so that each is committed in one step, and a server that is away keeps nobody but its own buckets. What
has an order for readers, entries and kept answers, is read under a lock that whoever writes them holds until all
servers have committed: no reader sees a number before a smaller one, wherever the two are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from afresh.base.errors import ServerAway
from afresh.base.hashing import bucket_of
from afresh.store.buckets import BUCKETS, bucket_in
from afresh.store.locks import Lock
from afresh.store.named_sql import Statement, as_set
from afresh.store.postgres.bucket_places import Attendance, Places
from afresh.store.postgres.locks import share_lock

if TYPE_CHECKING:
    from afresh.store.postgres.connection import Connection
    from afresh.store.postgres.database import StoreDatabase
    from afresh.store.session import Answer

T = TypeVar("T")
Item = TypeVar("Item")

_MOST_KNOWN = 100_000  # resources whose buckets are remembered
_TELLING = ("sites", "leases", "located")  # sets whose numbers tell their buckets


class Gathered:
    """What a statement brought at several places."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.rowcount = sum(max(0, answer.rowcount) for answer in answers)
        self._rows = chain.from_iterable(answer if answer.rowcount else () for answer in answers)

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows


class Known:
    """In which buckets resources are that were leased lately: a visit asks for what belongs to one more than once."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[int, int] = OrderedDict()

    def learn(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            self._buckets[row["resource_id"]] = bucket_in(row["site_id"])
        while len(self._buckets) > _MOST_KNOWN:
            self._buckets.popitem(last=False)

    def bucket(self, resource: object) -> int | None:
        return self._buckets.get(resource) if isinstance(resource, int) else None


class DividedSession:
    """A session on the coordinator. A statement that names its place runs at those that its values tell, or at all.

    ``place`` is the one that all of this transaction belongs to, None: any. ``is_lenient``: what is on a server that
    is away is passed over; otherwise a question by number that finds nothing raises ``ServerAway``.
    """

    def __init__(
        self, database: DividedDatabase, connection: Connection, *, place: int | None, is_lenient: bool
    ) -> None:
        self._database, self._connection, self._place, self._is_lenient = database, connection, place, is_lenient

    @property
    def slot(self) -> int:
        return self._connection.slot

    def hold(self, lock: Lock) -> None:
        self._connection.hold(lock)

    def filling(self, table: str, rows: int) -> AbstractContextManager[None]:
        return self._connection.filling(table, rows)

    def execute(self, sql: str, values: Any = None) -> Answer:
        if not isinstance(sql, Statement) or not sql.divided:
            return self._connection.execute(sql, values)
        parts = self._parts(values)
        answers = [self._connection.execute(self._told(sql, place), some) for place, some in parts]
        answer = answers[0] if len(answers) == 1 else Gathered(answers)
        if not answer.rowcount:
            return self._found_nothing(sql, values, parts, answer)
        return answer

    def executemany(self, sql: Any, rows: Iterable[Any]) -> None:
        given = list(rows)
        if sql.name == "lease_site":
            self._database.known.learn(given)
        if not sql.divided or not given:
            self._connection.executemany(sql, given)
            return
        for place, some in self._database.places.divide(given, _bucket_of_row).items():
            self._connection.executemany(self._told(sql, place), some)

    def _told(self, sql: Statement, place: int) -> Statement:
        return _told(self._database.places, sql.name, sql.divided, sql.many, place)

    def _parts(self, values: Mapping[str, Any] | None) -> list[tuple[int, Any]]:
        """Places, with the values for each."""
        given = values or {}
        places = self._database.places
        if isinstance(bucket := given.get("bucket"), int):
            return [(places.of_bucket[bucket], values)]
        for name in _TELLING:
            if name in given:
                found = places.divide(orjson.loads(given[name]), bucket_in)
                return [(place, {**given, name: as_set(some)}) for place, some in found.items()]
        if "names" in given:
            found = places.divide(orjson.loads(given["names"]), lambda name: bucket_of(name, BUCKETS))
            return [(place, {**given, "names": as_set(some)}) for place, some in found.items()]
        if self._place is not None:
            return [(self._place, values)]
        known = self._database.known.bucket(given.get("resource", given.get("id")))
        if known is not None:
            return [(places.of_bucket[known], values)]
        return [(place, values) for place in self._database.attendance.present]

    def _found_nothing(self, sql: Statement, values: Any, parts: Sequence[tuple[int, Any]], answer: Answer) -> Answer:
        """Perhaps because it has moved since it was leased, or because it is on a server that is away."""
        asked = {place for place, _ in parts}
        if self._place is not None or not values or not {"resource", "id", "ids", "version"} & values.keys():
            return answer
        if {"bucket", *_TELLING} & values.keys():
            return answer
        others = [place for place in self._database.attendance.present if place not in asked]
        if others:
            answer = Gathered([self._connection.execute(self._told(sql, place), values) for place in others])
        if not answer.rowcount and not self._is_lenient:
            self._database.check_all_there()
        return answer


@lru_cache(maxsize=4096)
def _told(places: Places, name: str, text: str, many: str, place: int) -> Statement:
    return Statement.called(name, "", postgres=places.told(text, place), many=many)


def _bucket_of_row(row: Any) -> int:
    """Rows by name say their bucket or their site, rows by place begin with the bucket."""
    if not isinstance(row, Mapping):
        return int(row[0])
    if "bucket" in row:
        return int(row["bucket"])
    return bucket_in(row["site_id"] if "site_id" in row else row["id"])


class DividedDatabase:
    """A store's database whose tables are divided among servers."""

    is_shared = True
    is_divided = True

    def __init__(self, database: StoreDatabase, places: Places) -> None:
        self._database, self.places = database, places
        self.attendance = Attendance(places, self._look_at)
        self.known = Known()

    def lead(self) -> bool:
        return self._database.lead()

    def is_served(self) -> None:
        return None

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def reading(self, *, ordered: bool = False) -> Iterator[DividedSession]:
        with self._noting(), self._database.reading() as connection:
            if ordered:
                share_lock(connection, Lock.ENTRIES)
            yield DividedSession(self, connection, place=None, is_lenient=False)

    @contextmanager
    def writing(self) -> Iterator[DividedSession]:
        with self._noting(), self._database.writing() as connection:
            yield DividedSession(self, connection, place=None, is_lenient=False)

    def working(self, work: Callable[[DividedSession], T], place: int | None = None) -> T:
        def attempt() -> T:
            with self._noting():
                return self._database.working(
                    lambda connection: work(DividedSession(self, connection, place=place, is_lenient=True))
                )

        try:
            return attempt()
        except ServerAway:
            if place is not None:
                raise
            return attempt()  # without that server

    def look(self, work: Callable[[DividedSession], T]) -> T:
        with self._noting():
            return self._database.look(
                lambda connection: work(DividedSession(self, connection, place=None, is_lenient=False))
            )

    def each(self, work: Callable[[DividedSession], T]) -> list[T]:
        found: list[T] = []
        lost: ServerAway | None = None
        for place in self.attendance.present:
            try:
                found.append(self._look_at(place, work))
            except ServerAway as error:
                self.attendance.note(error)
                lost = error
        if lost is not None and not found:
            raise lost
        if not found:
            self.check_all_there()
        return found

    def parted(self, items: Iterable[Item], bucket: Callable[[Item], int]) -> list[tuple[int | None, list[Item]]]:
        return list(self.places.divide(items, bucket).items())

    def away(self) -> list[str]:
        return self.attendance.away()

    def check_all_there(self) -> None:
        """Raises ServerAway if a server is."""
        for words in self.attendance.away():
            raise ServerAway(words, server=words.split()[0])

    def _look_at(self, place: int, work: Callable[[DividedSession], Any] | None = None) -> Any:
        asked = work or (lambda session: session.execute(_ANYTHING))
        return self._database.look(
            lambda connection: asked(DividedSession(self, connection, place=place, is_lenient=True))
        )

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except ServerAway as error:
            self.attendance.note(error)
            raise


_ANYTHING = Statement.called("", "SELECT id FROM site WHERE true {here_site} LIMIT 1").in_buckets(BUCKETS)
