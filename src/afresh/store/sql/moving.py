"""A resource goes to another address, and with it perhaps to another site; what hangs on it follows to its bucket.

Its number stays, and so do those of its entries, visits and versions: people and readers know them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afresh.base.errors import Conflict
from afresh.store.buckets import bucket_in
from afresh.store.locks import Lock
from afresh.store.named_sql import Statement
from afresh.store.sql import rows
from afresh.store.sql.counting import count_resources
from afresh.store.sql.resource_sites import find_home
from afresh.store.sql.resources import change, ensure_sites, get, url_is_taken
from afresh.store.sql.statements import SQL, as_set

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


def relocate(connection: Session, resource: int, *, url: str, site: str, now: float) -> int:
    """As an operator wishes: it is due there at once, and a visit that is out is of the old address. The site's number.

    Conflict: that address is watched already.
    """
    url, site = rows.clean(url), rows.clean(site)
    known = get(connection, resource)
    home = find_home(connection, resource)
    change(connection, resource, {"due": now})  # and out of the order of its site
    if rows.clean(known.url) == url:
        return home.site
    if url_is_taken(connection, url):
        raise Conflict(f"{url} is watched already; remove one of the two")
    number = ensure_sites(connection, [site])[site]
    connection.execute(SQL["forget_leased"], {"id": home.site, "resource": resource})
    move(connection, resource, url, old=home.site, new=number)
    connection.execute(SQL["ask_anew"], {"id": resource, "bucket": bucket_in(number)})
    counted = (str(known.kind), str(known.status))
    count_resources(connection, came=[(number, *counted)], went=[(home.site, *counted)])
    connection.execute(SQL["refresh_ready"], {"sites": as_set({home.site, number})})
    return number


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
