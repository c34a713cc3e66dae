"""What has to be done now and then: expired reservations, old keys, recounting, clearing."""

import sqlite3
from collections.abc import Mapping

from afresh.store.sqlite.frontier.statements import SQL

Connection = sqlite3.Connection


def expire(connection: Connection, now: float) -> int:
    return connection.execute(SQL["free_expired"], {"now": now}).rowcount


def forget(connection: Connection, before: float) -> int:
    """Keys, lists and measurements older than this; answers how many keys."""
    connection.execute(SQL["forget_leases"], (before,))
    connection.execute(SQL["forget_round_trips"], (before,))
    return connection.execute(SQL["forget_receipts"], (before,)).rowcount


def recount(connection: Connection) -> Mapping[str, int]:
    """How many sites (and totals) differ from a recount, by sum; corrects nothing."""
    cursor = connection.execute(SQL["recount_sites"])
    row = cursor.fetchone()
    found = {column[0]: int(value or 0) for column, value in zip(cursor.description, row, strict=True)}
    cursor = connection.execute(SQL["recount_totals"])
    row = cursor.fetchone()
    return found | {column[0]: int(value or 0) for column, value in zip(cursor.description, row, strict=True)}


def clear(connection: Connection, *, fetchers: bool, urls: bool, sites: bool, reservations: bool, edges: bool) -> None:
    if fetchers:
        connection.execute("DELETE FROM fetcher")
        connection.execute(SQL["clear_homes"])
    if fetchers or reservations or urls or sites:
        connection.execute(SQL["clear_reservations"])
        connection.execute("DELETE FROM lease")
    if edges or urls or sites:
        connection.execute("DELETE FROM edge")
        connection.execute(SQL["clear_degrees_of_sites"])
        connection.execute(SQL["clear_degrees"])
        connection.execute(SQL["clear_total_edges"])
    if urls or sites:
        connection.execute("DELETE FROM page")
        connection.execute("DELETE FROM address")
        connection.execute(SQL["clear_sums"])
        connection.execute(SQL["clear_total_urls"])
    if sites:
        connection.execute("DELETE FROM site")
        connection.execute("DELETE FROM round_trip")
        connection.execute("UPDATE total SET sites = 0")
