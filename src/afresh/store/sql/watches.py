"""What is watched of pages, and what they showed last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.records.watches import PageMemory, PageRecord, Watch
from afresh.store.sql import rows
from afresh.store.sql.links import keep_version, trim_versions
from afresh.store.sql.packing import pack, unpack
from afresh.store.sql.pictures import keep_picture, to_picture
from afresh.store.sql.statements import SQL
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

_PAGE = "page:"


class Watches(StorePart):
    """Implements ``base.store_parts.WatchStore``."""

    def watches(self) -> dict[str, Watch]:
        found = self._read("watches", {}, lambda row: (str(row["scope"]), _to_watch(row["parts"])))
        return {scope: watch for scope, watch in found if watch is not None}

    def put_watch(self, scope: str, watch: Watch) -> None:
        scope = rows.clean(scope)
        if watch.is_usual:
            self._write("drop_watch", {"scope": scope})
            return
        resource = int(scope.removeprefix(_PAGE)) if scope.startswith(_PAGE) else None
        self._write("put_watch", {"scope": scope, "resource": resource, "parts": rows.clean(watch.to_text())})

    def page_memory(self, resource: int) -> PageMemory | None:
        return self._first("page_memory", {"id": resource}, _to_memory)

    def picture(self, version: int) -> bytes | None:
        return self._first("picture_of_version", {"version": version}, to_picture)


def record(connection: Session, records: Sequence[tuple[int, PageRecord]]) -> None:
    """What visits of pages showed, each with its bucket, and the versions that are kept of it."""
    for bucket, item in records:
        key = {"id": item.resource, "bucket": bucket}
        made = connection.execute(SQL["put_page_memory"], {**key, **_from_memory(item.memory)})
        if item.version is None or not made.rowcount:
            _give_picture(connection, bucket, item)
            continue
        keep_version(connection, bucket, item.resource, item.version)
        oldest = item.version.at - item.keep_for
        trim_versions(connection, bucket, item.resource, item.keep_versions, before=oldest)


def _give_picture(connection: Session, bucket: int, item: PageRecord) -> None:
    """Pictures may be wanted of a page whose newest version was seen without one."""
    if not item.picture:
        return
    newest = connection.execute(SQL["newest_version"], {"id": item.resource, "bucket": bucket}).fetchone()
    if newest is not None and newest["picture_id"] is None:
        keep_picture(connection, bucket, item.resource, newest["id"], item.picture)


def _to_watch(text: str) -> Watch | None:
    """None: damaged."""
    try:
        return Watch.from_text(text)
    except UsageError:
        return None


def _to_memory(row: Record) -> PageMemory:
    lines = _lines(row["lines"])
    told = lines if row["told"] is None else _lines(row["told"])
    return PageMemory(watch=row["watch"], lines=lines, told=told, restless=row["restless"], remark=row["remark"])


def _from_memory(memory: PageMemory) -> dict[str, object]:
    return {
        "watch": rows.clean(memory.watch),
        "lines": _packed(memory.lines),
        "told": None if memory.told == memory.lines else _packed(memory.told),
        "restless": memory.restless,
        "remark": rows.clean(memory.remark),
    }


def _packed(lines: tuple[str, ...]) -> bytes:
    return pack("\n".join(lines).encode("utf-8", "replace"))


def _lines(packed: bytes) -> tuple[str, ...]:
    text = unpack(packed).decode("utf-8", "replace")
    return tuple(text.split("\n")) if text else ()
