"""Notices and their outbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from afresh.base.errors import UsageError
from afresh.base.records.notices import (
    BrokenLink,
    Delivery,
    Event,
    Failing,
    NewNotice,
    Notice,
    NoticeNotFound,
    Topic,
    WorkingAgain,
)
from afresh.base.records.queries import QueryNotFound
from afresh.store.sql import rows
from afresh.store.sql.reading import read_row
from afresh.store.sql.statements import SQL
from afresh.store.sql.store_part import NEWEST, StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

_WORDS = ("key", "title", "link", "detail", "source", "feed_url", "summary")


class Notices(StorePart):
    """Implements ``base.store_parts.NoticeStore``."""

    def add_notice(self, new: NewNotice, *, cursor: float, now: float) -> Notice:
        values: dict[str, object] = {name: rows.clean(getattr(new, name)) for name in ("target", "secret", "quiet")}
        values |= {"topic": new.topic.value, "subject": rows.clean(new.subject), "digest": new.digest}
        with self._database.writing() as connection:
            known = connection.execute(SQL["same_notice"], values).fetchone()
            if known is not None:
                raise UsageError(f"notice {known[0]} tells this target the same already; drop it first")
            query = None
            if new.topic is Topic.QUERY:
                query = connection.execute(SQL["query_of_notice"], values).fetchone()
                if query is None:
                    raise QueryNotFound(new.subject)
            values |= {"query_id": query[0] if query else None, "cursor": cursor, "now": now}
            number = int(connection.execute(SQL["add_notice"], values).fetchone()[0])
            return _one(connection, number)

    def notice(self, number: int) -> Notice:
        with self._database.reading() as connection:
            return _one(connection, number)

    def list_notices(self, *, after: int = 0, limit: int = 100) -> list[Notice]:
        return self._read("notices", {"after": after, "last": NEWEST, "limit": limit}, _to_notice)

    def drop_notice(self, number: int) -> None:
        if self._write("drop_notice", {"number": number}) == 0:
            raise NoticeNotFound(number)

    def put_events(self, notice: int, events: Sequence[Event], *, cursor: float, now: float) -> int:
        with self._database.writing() as connection:
            if connection.execute(SQL["set_notice_cursor"], {"number": notice, "cursor": cursor}).rowcount == 0:
                return 0
            return sum(
                connection.execute(SQL["put_event"], _event_row(notice, event, now)).rowcount for event in events
            )

    def next_delivery(
        self, notice: int, *, mark: str, now: float, until: float, gathered_before: float, limit: int
    ) -> Delivery | None:
        with self._database.writing() as connection:
            found = connection.execute(SQL["open_delivery"], {"notice": notice}).fetchone()
            if found is None:
                oldest = connection.execute(SQL["oldest_waiting"], {"notice": notice}).fetchone()[0]
                if oldest is None or oldest > gathered_before:
                    return None
                made = connection.execute(SQL["add_delivery"], {"notice": notice, "mark": mark, "now": now})
                values = {"notice": notice, "delivery": made.fetchone()[0], "limit": limit}
                connection.execute(SQL["fill_delivery"], values)
                found = connection.execute(SQL["open_delivery"], {"notice": notice}).fetchone()
            taking = {"delivery": found["id"], "now": now, "until": until}
            if connection.execute(SQL["take_delivery"], taking).fetchone() is None:
                return None
            return _to_delivery(connection, found)

    def settle_delivery(self, number: int, *, now: float, error: str = "", retry_at: float | None = None) -> None:
        values = {"number": number, "now": now, "error": rows.clean(error), "retry_at": retry_at if error else None}
        self._write("settle_delivery", values)

    def hasten_deliveries(self, notice: int, *, now: float) -> int:
        with self._database.writing() as connection:
            return connection.execute(SQL["hasten_deliveries"], {"notice": notice, "now": now}).rowcount

    def prune_outbox(self, *, before: float) -> int:
        return self._prune("prune_outbox", before)

    def last_visit_number(self) -> int:
        [number] = self._read("last_visit_number", {}, lambda row: int(row[0]))
        return number

    def failing(self, *, after: int, failures: int, limit: int = 1000) -> list[Failing]:
        values = {"after": after, "failures": failures, "limit": limit}
        return self._read("found_failing", values, lambda row: read_row(Failing, row))

    def working_again(self, notice: int, *, limit: int = 1000) -> list[WorkingAgain]:
        values = {"notice": notice, "limit": limit}
        return self._read("working_again", values, lambda row: WorkingAgain(**_named(row)))

    def links_working_again(self, notice: int, *, limit: int = 1000) -> list[WorkingAgain]:
        values = {"notice": notice, "limit": limit}
        return self._read("links_working_again", values, lambda row: WorkingAgain(**_named(row)))

    def broken_links(self, *, since: float, limit: int = 1000) -> list[BrokenLink]:
        return self._read("broken_links", {"since": since, "limit": limit}, lambda row: BrokenLink(**_named(row)))


def _named(row: Record) -> dict[str, Any]:
    return {name: row[name] for name in row.keys()}  # noqa: SIM118 (a Row iterates values)


def _one(connection: Session, number: int) -> Notice:
    found = connection.execute(SQL["notices"], {"after": number - 1, "last": number, "limit": 1}).fetchone()
    if found is None:
        raise NoticeNotFound(number)
    return _to_notice(found)


def _to_notice(row: Record) -> Notice:
    return read_row(Notice, row, sent=row["told"], error=row["error"] or "")


def _event_row(notice: int, event: Event, now: float) -> dict[str, object]:
    words = {name: rows.clean(getattr(event, name)) for name in _WORDS}
    return {**words, "notice": notice, "kind": event.kind.value, "at": event.at, "resource": event.resource, "now": now}


def _to_delivery(connection: Session, row: Record) -> Delivery:
    events = connection.execute(SQL["events_of_delivery"], {"delivery": row["id"]})
    return Delivery(
        id=row["id"],
        mark=row["mark"],
        notice=_one(connection, row["notice_id"]),
        attempts=row["attempts"],
        created=row["created"],
        events=tuple(read_row(Event, event) for event in events),
    )
