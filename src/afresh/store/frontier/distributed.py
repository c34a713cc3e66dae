"""The frontier in a PostgreSQL of several servers (Citus): a statement stays within what one server has of the buckets.

A statement that names its place (``store.postgres.bucket_places``) is run for those that its values name; without
values that name any, for all whose servers answer. What names a place whose server does not is refused at once.
"""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import HASH_BITS, MOST_SITES
from afresh.store.frontier.postgresql_session import SQL, PostgresSession, statement
from afresh.store.frontier.session import NONE, Row, Values
from afresh.store.named_sql import HERE
from afresh.store.postgres.arrays import array, arrays
from afresh.store.postgres.bucket_places import Attendance, Places, one_of
from afresh.store.postgres.citus import Layout
from afresh.store.postgres.connection import Connection

T = TypeVar("T")

LAYOUT: Final = Layout(
    "frontier",
    divided=(
        *(
            "site",
            "page",
            "big_page",
            "address",
            "page_metadata",
            "page_lock",
            "page_depth",
            "failure",
            "lease",
            "receipt",
            "edge",
            "round_trip",
        ),
        *("last_site", "total"),
    ),
    copied=("crawl", "set_aside"),
    functions=("max(float8, float8)", "max(float8, float8, float8)", "min(float8, float8)"),
)
_COLUMNS = re.compile(r"AS (?:new|wanted|old) \(([^)]*)\)")
_TABLES: Final = sorted({piece for text in SQL.values() for piece in HERE.findall(text.postgres)})
_ATTEMPTS = 4  # to find as many sites as were asked for, where others take them at the same time


@cache
def _pieces(places: Places) -> Sequence[Mapping[str, str]]:
    """What the texts say for each place."""
    return places.pieces(_TABLES)


class DistributedSession(PostgresSession):
    """A ``Session`` on the coordinator."""

    def __init__(self, connection: Connection, buckets: int, attendance: Attendance) -> None:
        super().__init__(connection, buckets)
        self._attendance, self._present = attendance, attendance.present
        places = self._places = attendance.places
        self._pieces = _pieces(places)
        there = {bucket for place in self._present for bucket in places.together[place]}
        self.away = frozenset(places.of_bucket) - there
        if self.part in self.away and there:
            self.part = min(there, key=lambda bucket: (bucket < self.part, bucket))  # the next one

    @property
    def random(self) -> str:  # type: ignore[override]
        """Workers change rows by what is the same wherever it is computed: by chance is which hash it is."""
        return f"((hashint4extended(id, {secrets.randbelow(1 << 60)}) & 2147483647) / 2147483648.0)"

    def rows(self, name: str, values: Values = NONE, /, **pieces: str) -> list[Row]:
        if name == "chance":
            pieces = {"random": PostgresSession.random}
        if not _stays_here(name):
            self._refuse_the_missing(values)
            return super().rows(name, _bound(values), **pieces)
        found: list[tuple[int, Row]] = []  # with its place among what was asked for
        for place, some, at in self._asked(values):
            rows = super().rows(name, _bound(some), **self._pieces[place], **pieces)
            found += zip(at if len(at) == len(rows) else [0] * len(rows), rows, strict=True)
        return [row for _, row in sorted(found, key=itemgetter(0))]

    def run(self, name: str, values: Values = NONE, /, **pieces: str) -> int:
        if not _stays_here(name):
            self._refuse_the_missing(values)
            return super().run(name, _bound(values), **pieces)
        return sum(
            super(DistributedSession, self).run(name, _bound(some), **self._pieces[place], **pieces)
            for place, some, _ in self._asked(values)
        )

    def pick(self, name: str, values: Values, /, **pieces: str) -> list[Row]:
        """Reads candidates of all places in order, without locks; then locks, place by place, those that are free."""
        wanted: int = values["limit"]
        there = sorted(self._places.of_bucket.keys() - self.away)
        here = one_of("site", there) if self.away else ""
        passed: set[int] = set()
        picked: list[Row] = []
        for _ in range(_ATTEMPTS):
            limit = min(wanted + len(passed), 1 << 62)
            every = super().rows(name, {**values, "limit": limit}, skip_locked="", among=here, **pieces)
            fresh = {row[0]: rank for rank, row in enumerate(every) if row[0] not in passed}
            passed |= fresh.keys()
            locked = []
            for place, some in self._places.divide(list(fresh), self._bucket).items():
                among = f"AND id = ANY('{array(some)}'::integer[]) {self._pieces[place]['here_site']}"
                locked += super().rows(name, {**values, "limit": len(some)}, among=among, **pieces)
            picked += sorted(locked, key=lambda row: fresh[row[0]])[: wanted - len(picked)]
            if len(picked) >= wanted or len(every) < limit:
                break
        return picked

    def run_many(self, name: str, rows: Sequence[Row]) -> int:
        if not _stays_here(name):
            return super().run_many(name, rows)
        return sum(self._execute(name, some, place).rowcount for place, some in self._split(name, rows))

    def insert_new(self, name: str, rows: Sequence[Row]) -> list[Row]:
        if not _stays_here(name):
            return super().insert_new(name, rows)
        return [row for place, some in self._split(name, rows) for row in self._execute(name, some, place).fetchall()]

    def rows_of_each(self, name: str, keys: Sequence[int], limit: int) -> list[list[Row]]:
        found: dict[int, list[Row]] = {}
        for place, some in self._there(self._places.divide(keys, self._bucket)):
            text = statement(name, self.buckets, *self._pieces[place].items())
            assert text is not None
            rows = self._cursor.execute(text.text, (array(some), limit)).fetchall()
            found |= {key: [row[:-1] for row in part] for key, part in groupby(rows, key=itemgetter(-1))}
        return [found.get(key, []) for key in keys]

    def as_set(self, values: Iterable[int] | Iterable[str]) -> Any:
        """Divided before it is bound."""
        return list(values)

    def _execute(self, name: str, rows: Sequence[Row], place: int) -> Any:
        text = statement(name, self.buckets, *self._pieces[place].items())
        assert text is not None
        return self._cursor.execute(text.text, arrays(rows))

    def _split(self, name: str, rows: Sequence[Row]) -> list[tuple[int, list[Row]]]:
        column, is_bucket = _key_of(name)
        bucket: Callable[[Row], int] = (lambda row: row[column]) if is_bucket else lambda row: self._bucket(row[column])
        return self._there(self._places.divide(rows, bucket))

    def _there(self, divided: Mapping[int, list[T]]) -> list[tuple[int, list[T]]]:
        """What was divided, by place; ServerAway if something belongs to a server that does not answer."""
        for place in divided.keys() - self._present:
            raise self._attendance.missing(place)
        return list(divided.items())

    def _bucket(self, number: int) -> int:
        """Of a site or a page."""
        return (number >> HASH_BITS if number > MOST_SITES else number) % self.buckets

    def _refuse_the_missing(self, values: Values) -> None:
        if (bucket := values.get("bucket")) in self.away:
            raise self._attendance.missing(self._places.of_bucket[bucket])

    def _asked(self, values: Values) -> list[tuple[int, Values, Sequence[int]]]:
        parts = self._parts(values)
        self._there({place: [] for place, _, _ in parts})
        return parts

    def _parts(self, values: Values) -> list[tuple[int, Values, Sequence[int]]]:
        """Places, with the values for each, and where their members were among all."""
        site = values.get("site")
        if isinstance(site, int):
            return [(self._places.of_bucket[self._bucket(site)], values, ())]
        if "leases" in values:
            pairs = list(zip(values["buckets"], values["leases"], strict=True))
            return [
                (place, {**values, "buckets": [one for one, _ in some], "leases": [one for _, one in some]}, ())
                for place, some in self._places.divide(pairs, itemgetter(0)).items()
            ]
        for key, bucket in (("pages", self._bucket), ("sites", self._bucket), ("names", self._bucket_of_name)):
            if key in values:
                members: list[Any] = values[key]
                at = self._places.divide(range(len(members)), lambda place: bucket(members[place]))  # noqa: B023
                return [(place, {**values, key: [members[one] for one in some]}, some) for place, some in at.items()]
        return [(place, values, ()) for place in self._present]

    def _bucket_of_name(self, name: str) -> int:
        return bucket_of(name, self.buckets)


def _bound(values: Values) -> Values:
    return {name: array(value) if isinstance(value, list) else value for name, value in values.items()}


@cache
def _stays_here(name: str) -> bool:
    return HERE.search(SQL[name].postgres) is not None


@cache
def _key_of(name: str) -> tuple[int, bool]:
    """The column of rows that tells where they belong, and whether it is the bucket itself."""
    found = _COLUMNS.search(SQL[name].postgres)
    assert found is not None
    columns = [column.strip() for column in found[1].split(",")]
    key = next(column for column in ("bucket", "site", "id") if column in columns)
    return columns.index(key), key == "bucket"
