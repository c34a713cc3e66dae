"""Fetchers in PostgreSQL."""

from dataclasses import asdict

from afresh.base.records.frontier import FetcherAccount
from afresh.store.postgres.frontier.statements import SQL, Cursor

_FIELDS = (
    "uuid",
    "contact",
    "name",
    "registered",
    "token_digest",
    "location",
    "tld_preference",
    "address",
    "last_seen",
)


def register(cursor: Cursor, account: FetcherAccount) -> bool:
    values = asdict(account)
    return cursor.execute(SQL["register"], [values[name] for name in _FIELDS]).rowcount == 1


def find(cursor: Cursor, uuid: str) -> FetcherAccount | None:
    row = cursor.execute(SQL["fetcher"], (uuid,)).fetchone()
    return None if row is None else FetcherAccount(**dict(zip(_FIELDS, row, strict=True)))


def listing(cursor: Cursor) -> list[FetcherAccount]:
    rows = cursor.execute(SQL["fetchers"]).fetchall()
    return [FetcherAccount(**dict(zip(_FIELDS, row, strict=True))) for row in rows]


def replace(cursor: Cursor, account: FetcherAccount) -> bool:
    return cursor.execute(SQL["replace_fetcher"], asdict(account)).rowcount == 1


def remove(cursor: Cursor, uuid: str, now: float) -> bool:
    """With its reservations and assignments; the delay after what it was given stays."""
    cursor.execute(SQL["free_sites_of_fetcher"], {"now": now, "fetcher": uuid})
    cursor.execute(SQL["remove_leases_of_fetcher"], (uuid,))
    cursor.execute(SQL["remove_homes"], (uuid,))
    return cursor.execute(SQL["remove_fetcher"], (uuid,)).rowcount == 1
