"""A resource goes to another address, and with it perhaps to another site; what hangs on it follows to its bucket.

Its number stays, and so do those of its entries, visits and versions: people and readers know them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.store.buckets import bucket_in
from afresh.store.locks import Lock
from afresh.store.named_sql import Statement
from afresh.store.sql import rows
from afresh.store.sql.statements import SQL

if TYPE_CHECKING:
    from afresh.store.session import Session

#: What has the bucket of a resource, besides its own row.
CARRIED = (
    *("visit", "entry", "document", "picture", "snapshot", "link", "link_check"),
    *("subscription", "page_memory"),
)


def move(connection: Session, resource: int, url: str, *, old: int, new: int) -> None:
    """Gives a resource another URL; ``old`` and ``new`` are the numbers of its sites."""
    here, there = bucket_in(old), bucket_in(new)
    _note_former(connection, resource, here, url)
    if here != there:
        connection.hold(Lock.ENTRIES)  # nobody reads them while they are on their way
        _carry(connection, "resource", resource, here, bucket=there, site_id=new)
        for table in CARRIED:
            _carry(connection, table, resource, here, bucket=there)
    values = {"bucket": there, "id": resource, "url": url, "url_key": rows.url_key(url), "site_id": new}
    connection.execute(SQL["move_resource"], values)


def _note_former(connection: Session, resource: int, here: int, url: str) -> None:
    """Whoever names the address it had means this resource, and nobody by the one it has now any other."""
    connection.execute(SQL["forget_former_address"], {"url_key": rows.url_key(url), "url": url})
    former = str(connection.execute(SQL["address_of"], {"bucket": here, "id": resource}).fetchone()["url"])
    if former != url:
        values = {"url_key": rows.url_key(former), "id": resource, "url": former}
        connection.execute(SQL["note_former_address"], values)


def _carry(connection: Session, table: str, resource: int, here: int, **changes: int) -> None:
    """Deletes rows of a bucket and inserts them into another: no row can change the server it is on."""
    key = "id" if table == "resource" else "resource_id"
    taken = f"DELETE FROM {table} WHERE bucket = :bucket AND {key} = :id RETURNING *"
    # SQLite is told nothing: numbers are enough to find them there
    statement = Statement.called("", ";", postgres=taken)
    found = connection.execute(statement, {"bucket": here, "id": resource}).fetchall()
    if not found:
        return
    columns = found[0].keys()
    names = ", ".join(f'"{name}"' for name in columns)  # "window" is a word of SQL
    text = f"COPY {table} ({names}) FROM STDIN"
    moved = [[changes.get(name, value) for name, value in zip(columns, row, strict=True)] for row in found]
    connection.executemany(Statement.called("", text, many="copy"), moved)
