"""The part of the SQLite store that keeps subscriptions with hubs: every method one transaction."""

from dataclasses import asdict

from afresh.base.records.push import PushState, Subscription
from afresh.store.named_sql import parse_named, read_sql
from afresh.store.session import Database, Record
from afresh.store.sql import rows

SQL = parse_named(read_sql("afresh.store.sql", "push.sql"))


class PushStore:
    """Implements ``base.records.push.PushStore`` over the database of the class it is part of."""

    _database: Database

    def put_subscription(self, subscription: Subscription) -> bool:
        values = asdict(subscription)
        for name in ("hub", "topic", "error"):  # what others wrote
            values[name] = rows.clean(values[name])
        with self._database.writing() as connection:
            return connection.execute(SQL["put_subscription"], values).rowcount > 0

    def subscription(self, resource: int) -> Subscription | None:
        return self._one("subscription", {"resource": resource})

    def subscription_by_token(self, token: str) -> Subscription | None:
        return self._one("subscription_by_token", {"token": rows.clean(token)})

    def subscriptions(self, *, after: int = 0, limit: int = 100) -> list[Subscription]:
        with self._database.reading() as connection:
            found = connection.execute(SQL["subscriptions"], {"after": after, "limit": limit})
            return [_to_subscription(row) for row in found]

    def subscriptions_due(self, *, now: float, limit: int = 100) -> list[Subscription]:
        with self._database.reading() as connection:
            found = connection.execute(SQL["subscriptions_due"], {"now": now, "limit": limit})
            return [_to_subscription(row) for row in found]

    def drop_subscription(self, resource: int) -> None:
        with self._database.writing() as connection:
            connection.execute(SQL["drop_subscription"], {"resource": resource})

    def _one(self, name: str, values: dict[str, object]) -> Subscription | None:
        with self._database.reading() as connection:
            row = connection.execute(SQL[name], values).fetchone()
            return None if row is None else _to_subscription(row)


def _to_subscription(row: Record) -> Subscription:
    values = {name: row[name] for name in row.keys() if name != "resource_id"}  # noqa: SIM118 (a Row iterates values)
    return Subscription(resource=row["resource_id"], **{**values, "state": PushState(row["state"])})
