"""What in a store is damaged, and mending it: columns that cannot be read, totals that do not add up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from afresh.base.models import ResourceFilter, Status
from afresh.base.records.damage import Damaged
from afresh.base.records.links import CheckStatus, EntryStatus, Standing, Turned, Usage
from afresh.base.records.notices import Topic
from afresh.base.records.push import PushState
from afresh.store.damaged import Part, damage_of, mended, optional
from afresh.store.named_sql import Statement
from afresh.store.session import Record, Session
from afresh.store.sql import filters, rows
from afresh.store.sql.counting import count_up
from afresh.store.sql.resource_sites import find_homes, sites_of
from afresh.store.sql.salvage import PARTS
from afresh.store.sql.statements import SQL
from afresh.store.sql.store_part import StorePart

_PAGE = 1_000
_SET_ASIDE = "was set aside"


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with columns that can be damaged: its key, what a row is called, how the columns are read."""

    name: str
    key: str
    label: str
    parts: Mapping[str, Part]


_TABLES = (
    _Table("site", "id", "name", {"state": Part(rows.unpack_floats, b"")}),
    _Table(
        "link",
        "resource_id",
        "resource_id",
        {
            "usage": Part(Usage, str(Usage.REFERENTIAL)),
            "entry": Part(EntryStatus, str(EntryStatus.WAITING)),
            "standing": Part(Standing, str(Standing.UNKNOWN)),
            "status": Part(optional(CheckStatus), None),
            "turned": Part(optional(Turned), None),
        },
    ),
    _Table("notice", "id", "subject", {"topic": Part(Topic, None)}),
    _Table("subscription", "resource_id", "topic", {"state": Part(PushState, str(PushState.FAILED))}),
)
#: What there is no neutral value for: a resource without its address, a notice of nobody knows what.
_LOST = {"resource": ("url",), "notice": ("topic",)}


class Damage(StorePart):
    """Implements ``base.store_parts.DamageStore``."""

    def find_damage(self) -> list[Damaged]:
        with self._database.reading() as connection:
            return [item for item, _ in _find(connection)]

    def repair_damage(self) -> list[Damaged]:
        with self._database.writing() as connection:
            return _repair(connection)


def _find(connection: Session) -> Iterator[tuple[Damaged, Mapping[str, object]]]:
    """What is damaged, each with the columns as they should be."""
    after = 0
    while True:
        statement, values = filters.listing(ResourceFilter(), after=after, limit=_PAGE, order="id")
        found = connection.execute(statement, values).fetchall()
        for row in found:
            wrong = damage_of(row, PARTS)
            if row["status"] == Status.DAMAGED:
                wrong.setdefault("status", _SET_ASIDE)
            if wrong:
                yield _damaged("resource", row["id"], str(row["url"]), row, wrong, PARTS)
        if len(found) < _PAGE:
            break
        after = found[-1]["id"]
    for table in _TABLES:
        for row in connection.execute(Statement.called("", f"SELECT * FROM {table.name}"), {}).fetchall():
            if wrong := damage_of(row, table.parts):
                yield _damaged(table.name, row[table.key], str(row[table.label]), row, wrong, table.parts)
    if wrong := _miscounted(connection):
        yield Damaged(table="tally", id=0, name="totals", columns=wrong), {}


def _damaged(
    table: str, number: int, name: str, row: Record, wrong: dict[str, str], parts: Mapping[str, Part]
) -> tuple[Damaged, Mapping[str, object]]:
    is_lost = any(column in wrong for column in _LOST.get(table, ()))
    values = {column: mended(column, row[column], parts) for column in wrong}
    return Damaged(table=table, id=number, name=name, columns=wrong, can_be_mended=not is_lost), values


def _miscounted(connection: Session) -> dict[str, str]:
    """Totals that are not what is there."""
    kept = {row["name"]: int(row["value"]) for row in connection.execute(SQL["tallies"])}
    there = _counted(connection)
    names = sorted(name for name in {*kept, *there} if name == "sites" or name.startswith("resources/"))
    return {
        name: f"says {kept.get(name, 0)}, there are {there.get(name, 0)}"
        for name in names
        if kept.get(name, 0) != there.get(name, 0)
    }


def _counted(connection: Session) -> dict[str, int]:
    found = connection.execute(SQL["counted_resources"]).fetchall()
    counts = {f"resources/{row['kind']}/{row['status']}": int(row["resources"]) for row in found}
    return counts | {"sites": int(connection.execute(SQL["counted_sites"]).fetchone()[0])}


def _repair(connection: Session) -> list[Damaged]:
    keys = {"resource": "id", **{table.name: table.key for table in _TABLES}}
    found = list(_find(connection))
    for item, values in found:
        if item.can_be_mended and values:
            if item.table == "resource":
                values = {**values, "error": ""}
            assignments = ", ".join(f'"{name}" = :{name}' for name in values)  # "window" is a word of SQL
            text = f"UPDATE {item.table} SET {assignments} WHERE {keys[item.table]} = :key"
            connection.execute(Statement.called("", text), {**values, "key": item.id})
    if found:
        _count_anew(connection)
    numbers = [item.id for item, _ in found if item.table == "resource"]
    connection.execute(SQL["refresh_ready"], {"sites": sites_of(find_homes(connection, numbers))})
    return [item for item, _ in found]


def _count_anew(connection: Session) -> None:
    connection.execute(SQL["forget_counts"])
    count_up(connection, _counted(connection))
    connection.execute(SQL["count_sites_anew"])
