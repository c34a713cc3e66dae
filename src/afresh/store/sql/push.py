"""Subscriptions with hubs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from afresh.base.records.push import PushState, Subscription
from afresh.store.sql import rows
from afresh.store.sql.noun import Noun

if TYPE_CHECKING:
    from afresh.store.session import Record


class Push(Noun):
    """Implements ``base.store_parts.PushStore``."""

    def put_subscription(self, subscription: Subscription) -> bool:
        values = asdict(subscription)
        for name in ("hub", "topic", "error"):  # what others wrote
            values[name] = rows.clean(values[name])
        return self._write("put_subscription", values) > 0

    def subscription(self, resource: int) -> Subscription | None:
        return self._first("subscription", {"resource": resource}, _to_subscription)

    def subscription_by_token(self, token: str) -> Subscription | None:
        return self._first("subscription_by_token", {"token": rows.clean(token)}, _to_subscription)

    def subscriptions(self, *, after: int = 0, limit: int = 100) -> list[Subscription]:
        return self._read("subscriptions", {"after": after, "limit": limit}, _to_subscription)

    def subscriptions_due(self, *, now: float, limit: int = 100) -> list[Subscription]:
        return self._read("subscriptions_due", {"now": now, "limit": limit}, _to_subscription)

    def drop_subscription(self, resource: int) -> None:
        self._write("drop_subscription", {"resource": resource})


def _to_subscription(row: Record) -> Subscription:
    values = {name: row[name] for name in row.keys() if name != "resource_id"}  # noqa: SIM118 (a Row iterates values)
    return Subscription(resource=row["resource_id"], **{**values, "state": PushState(row["state"])})
