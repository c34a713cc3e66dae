"""The locks of a store as advisory locks of PostgreSQL, which every process on the database knows."""

from typing import Any

import psycopg

from afresh.store.locks import Lock

__all__ = ["Lock", "begin", "share_lock", "take_lock", "try_hold", "try_lock", "try_share", "unshare_all"]

_CLASS = 0x61667273  # "afrs": the first half of every key; other programs on the database have their own


def take_lock(connection: "psycopg.Connection[Any]", lock: Lock) -> None:
    """Waits for the lock; it lasts until the transaction ends."""
    connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (_CLASS, int(lock)))


def share_lock(connection: "psycopg.Connection[Any]", lock: Lock) -> None:
    """Waits until nobody has the lock alone, and lets nobody until the transaction ends."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", (_CLASS, int(lock)))


def begin(connection: "psycopg.Connection[Any]", lock: Lock, *, shared: bool) -> None:
    """Begins a transaction that holds the lock until its end, in one round trip."""
    function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    connection.execute(f"BEGIN; SELECT {function}({_CLASS}, {int(lock)})".encode())


def try_lock(connection: "psycopg.Connection[Any]", lock: Lock) -> bool:
    """Takes the lock until the transaction ends, unless anybody has it."""
    return _answer(connection, "SELECT pg_try_advisory_xact_lock(%s, %s)", lock)


def try_share(connection: "psycopg.Connection[Any]", lock: Lock) -> bool:
    """Shares the lock as long as the connection lives, unless somebody has it alone."""
    return _answer(connection, "SELECT pg_try_advisory_lock_shared(%s, %s)", lock)


def try_hold(connection: "psycopg.Connection[Any]", lock: Lock) -> bool:
    """Takes the lock as long as the connection lives, unless anybody has it."""
    return _answer(connection, "SELECT pg_try_advisory_lock(%s, %s)", lock)


def unshare_all(connection: "psycopg.Connection[Any]") -> None:
    """Gives back what ``try_share`` and ``try_hold`` took."""
    connection.execute("SELECT pg_advisory_unlock_all()")


def _answer(connection: "psycopg.Connection[Any]", question: str, lock: Lock) -> bool:
    row = connection.cursor(row_factory=psycopg.rows.tuple_row).execute(question, (_CLASS, int(lock))).fetchone()
    return bool(row and row[0])
