"""What PostgreSQL and its driver complain about, as one line that says what, where and what to try."""

import re

import psycopg
from psycopg import errors

from afresh.base.errors import SchemaMismatch, ServerAway, StoreAway, StoreBusy, StoreError
from afresh.base.passwords import hide_password

#: A transaction ended by these did nothing and may simply be begun again.
TRANSIENT = (errors.DeadlockDetected, errors.SerializationFailure)

#: The server's answer to an attempt to connect has no code, only a text.
_AT_THE_DOOR: tuple[tuple[re.Pattern[str], type[StoreError], str], ...] = (
    (
        re.compile("database .* does not exist"),
        StoreError,
        "has no such database; create it first, with `createdb` for instance",
    ),
    (
        re.compile("authentication failed|pg_hba.conf|no password supplied|role .* does not exist"),
        StoreError,
        "refused user or password; check both, and pg_hba.conf",
    ),
    (
        re.compile("too many (clients|connections)|remaining connection slots"),
        StoreAway,
        "has no connection left; raise max_connections, or run fewer processes",
    ),
)
#: How the coordinator of a cluster says whom it cannot reach.
_BEHIND = re.compile(r"(?:remote node (?:\S+@)?|executing command on )([\w.-]+:\d+)")
_EXHAUSTED = (errors.InsufficientResources, errors.OutOfMemory, errors.TooManyConnections, errors.IoError)
_ADVICE: tuple[tuple[type[psycopg.Error] | tuple[type[psycopg.Error], ...], type[StoreError], str], ...] = (
    (errors.LockNotAvailable, StoreBusy, "is locked by another process; try again later"),
    (TRANSIENT, StoreBusy, "is used by too many writers of the same rows at once; try again later"),
    (errors.DiskFull, StoreAway, "has a full disk; free some space, nothing recorded was lost"),
    (_EXHAUSTED, StoreAway, "lacks memory, disk or connections; see its log"),
    (errors.ReadOnlySqlTransaction, StoreAway, "is read-only, perhaps a standby; name the primary server"),
    (errors.InsufficientPrivilege, StoreError, "does not let this user do that; grant it the tables and the schema"),
    (errors.DuplicateTable, SchemaMismatch, "holds tables of another program; choose another database or schema"),
    (errors.UndefinedTable, SchemaMismatch, "lacks a table; was it changed by hand? restore a backup"),
)


def explain(error: psycopg.Error, name: str) -> StoreError:
    """The driver's error as one of ours; ``name`` is the database without its password."""
    for kinds, made, advice in _ADVICE:
        if isinstance(error, kinds):
            return made(f"{name} {advice} ({first_line(error)})")
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        for pattern, made, advice in _AT_THE_DOOR:
            if pattern.search(str(error)):
                return made(f"{name} {advice} ({first_line(error)})")
    if (server := lost_server(error)) is not None:
        return ServerAway(
            f"{name}: its server {server} does not answer ({first_line(error)}); what is on the others goes on",
            server=server,
        )
    if is_lost(error):
        return StoreAway(
            f"cannot reach {name}: {first_line(error)}; is the server running, and are host and port right?"
        )
    return StoreError(f"{name}: {first_line(error)}")


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection is gone, and another one may do: the server was stopped, or the network failed."""
    return isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08").startswith(("08", "57P"))


def lost_server(error: psycopg.Error) -> str | None:
    """The server behind the coordinator that does not answer, host and port; None: it is something else.

    >>> from psycopg.errors import ConnectionFailure
    >>> lost_server(ConnectionFailure("connection to the remote node me@db7:5432 failed"))
    'db7:5432'
    """
    if not isinstance(error, psycopg.OperationalError) or error.sqlstate is None or not is_lost(error):
        return None  # without a code it is our own connection that was lost
    said = (error.diag.message_primary or str(error), error.diag.message_detail or "", error.diag.context or "")
    found = _BEHIND.search(" ".join(said))
    return found[1] if found else None


def first_line(error: psycopg.Error) -> str:
    """What the server or the driver says, on one line and without secrets."""
    primary = error.diag.message_primary or str(error)
    lines = [line.strip() for line in primary.splitlines() if line.strip()]
    return hide_password(lines[0] if lines else type(error).__name__)[:300]
