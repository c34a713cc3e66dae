"""Subscriptions with hubs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from afresh.base.records.push import Subscription
from afresh.store.sql import rows
from afresh.store.sql.reading import read_row
from afresh.store.sql.resource_sites import find_homes
from afresh.store.sql.statements import SQL
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record


class Push(StorePart):
    """Implements ``base.store_parts.PushStore``."""

    def put_subscription(self, subscription: Subscription) -> bool:
        values = asdict(subscription)
        for name in ("hub", "topic", "error"):  # what others wrote
            values[name] = rows.clean(values[name])
        return self._write_at_home("put_subscription", values) > 0

    def subscription(self, resource: int) -> Subscription | None:
        return self._first("subscription", {"resource": resource}, _to_subscription)

    def subscription_by_token(self, token: str) -> Subscription | None:
        return self._first("subscription_by_token", {"token": rows.clean(token)}, _to_subscription)

    def subscriptions(self, *, after: int = 0, limit: int = 100) -> list[Subscription]:
        return self._read("subscriptions", {"after": after, "limit": limit}, _to_subscription)

    def subscriptions_due(self, *, now: float, limit: int = 100) -> list[Subscription]:
        return self._read("subscriptions_due", {"now": now, "limit": limit}, _to_subscription)

    def drop_subscription(self, resource: int) -> None:
        self._write_at_home("drop_subscription", {"resource": resource})

    def _write_at_home(self, statement: str, values: Mapping[str, Any]) -> int:
        """How many rows a statement changed in the bucket of its resource; none where that is gone."""
        with self._database.writing() as connection:
            homes = find_homes(connection, [values["resource"]])
            return sum(connection.execute(SQL[statement], {**values, "bucket": home.bucket}).rowcount for home in homes)


def _to_subscription(row: Record) -> Subscription:
    return read_row(Subscription, row, resource=row["resource_id"])
