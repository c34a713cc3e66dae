"""Fetchers: who they are, and what becomes of their reservations when they go."""

import sqlite3

from afresh.base.records.frontier import FetcherAccount
from afresh.store.sqlite.frontier.statements import SQL


def register(connection: sqlite3.Connection, account: FetcherAccount) -> bool:
    values = (
        account.uuid,
        account.contact,
        account.name,
        account.registered,
        account.token_digest,
        account.location,
        account.tld_preference,
        account.address,
        account.last_seen,
    )
    return connection.execute(SQL["register"], values).rowcount == 1


def find(connection: sqlite3.Connection, uuid: str) -> FetcherAccount | None:
    row = connection.execute(SQL["fetcher"], (uuid,)).fetchone()
    return None if row is None else to_account(row)


def listing(connection: sqlite3.Connection) -> list[FetcherAccount]:
    return [to_account(row) for row in connection.execute(SQL["fetchers"])]


def replace(connection: sqlite3.Connection, account: FetcherAccount) -> bool:
    values = (
        account.contact,
        account.name,
        account.token_digest,
        account.location,
        account.tld_preference,
        account.address,
        account.last_seen,
        account.uuid,
    )
    return connection.execute(SQL["replace_fetcher"], values).rowcount == 1


def remove(connection: sqlite3.Connection, uuid: str, now: float) -> bool:
    """With its reservations and assignments; the delay after what it was given stays."""
    connection.execute(SQL["free_sites_of_fetcher"], {"now": now, "fetcher": uuid})
    connection.execute(SQL["remove_leases_of_fetcher"], (uuid,))
    connection.execute(SQL["remove_homes"], (uuid,))
    return connection.execute(SQL["remove_fetcher"], (uuid,)).rowcount == 1


def to_account(row: tuple[str, str, str, float, str, str, str, str, float | None]) -> FetcherAccount:
    uuid, contact, name, registered, token_digest, location, tld_preference, address, last_seen = row
    return FetcherAccount(
        uuid=uuid,
        contact=contact,
        name=name,
        registered=registered,
        token_digest=token_digest,
        location=location,
        tld_preference=tld_preference,
        address=address,
        last_seen=last_seen,
    )
