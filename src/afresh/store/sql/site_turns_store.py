"""The part of the SQL stores that hands out a site for one request outside any plan: every method one transaction."""

import math

from afresh.base.errors import ModelError
from afresh.store.named_sql import parse_named, read_sql
from afresh.store.session import Database
from afresh.store.sql import rows
from afresh.store.sql.catalogue import ensure_sites
from afresh.store.sql.statements import SQL as COMMON
from afresh.store.sql.statements import as_set

SQL = parse_named(read_sql("afresh.store.sql", "site_turns.sql"))


class SiteTurnsStore:
    """Implements ``base.protocols.SiteTurnStore`` over the database of the class it is part of."""

    _database: Database

    def take_site(self, name: str, *, holder: str, now: float, until: float) -> int | None:
        if not until > now:
            raise ModelError(f"a lease until {until} has expired at {now}")
        site = rows.clean(name)
        with self._database.writing() as connection:
            ensure_sites(connection, [site])
            lease = int(connection.execute(SQL["take_lease_number"], {}).fetchone()[0])
            values = {"lease": lease, "name": site, "holder": rows.clean(holder), "now": now, "until": until}
            return None if connection.execute(SQL["take_site"], values).fetchone() is None else lease

    def leave_site(self, lease: int, *, next_allowed: float) -> bool:
        if not math.isfinite(next_allowed):
            raise ModelError("the site's next request is not a time")
        with self._database.writing() as connection:
            left = connection.execute(SQL["leave_site"], {"lease": lease, "next_allowed": float(next_allowed)})
            row = left.fetchone()
            if row is not None:
                connection.execute(COMMON["refresh_ready"], {"ids": as_set([row["id"]])})
            return row is not None
