"""Sites: what is known of them, and handing one out for a request outside any plan."""

import math

from afresh.base.errors import ModelError, UsageError
from afresh.base.hashing import bucket_of
from afresh.base.models import Site, TakenSite
from afresh.base.search_words import has_words, words_sought
from afresh.store.buckets import BUCKETS
from afresh.store.sql import rows
from afresh.store.sql.leases import take_numbers
from afresh.store.sql.resources import ensure_sites
from afresh.store.sql.salvage import readable
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import NEWEST, StorePart
from afresh.store.sql.words import first_fitting, longest_run


def named(name: str) -> dict[str, object]:
    """The name of a site and its bucket."""
    site = rows.clean(name)
    return {"name": site, "bucket": bucket_of(site, BUCKETS)}


class Sites(StorePart):
    """The units of politeness."""

    def site(self, name: str) -> Site | None:
        return self._first("site_by_name", named(name), rows.to_site)

    def list_sites(self, *, after: str = "", limit: int = 100, text: str = "", failing: bool = False) -> list[Site]:
        name = "failing_sites_like" if failing else "sites_like" if text else "sites_after"
        words = words_sought(text)
        values = {"after": rows.clean(after), "limit": NEWEST if words else limit, "text": longest_run(words)}
        with self._database.reading() as connection:
            found = connection.execute(SQL[name], values)
            return list(
                readable(first_fitting(found, lambda row: has_words([row["name"]], words), limit), rows.to_site)
            )

    def set_site_delay(self, name: str, delay: float | None) -> None:
        if delay is not None and (rows.finite(delay) is None or delay < 0):
            raise UsageError(f"a delay between requests cannot be {delay}; give seconds, 0 or more")
        site = rows.clean(name)
        with self._database.writing() as connection:
            ensure_sites(connection, [site])  # known or not
            connection.execute(SQL["set_site_delay"], {**named(site), "delay": rows.finite(delay)})

    def take_site(self, name: str, *, holder: str, now: float, until: float) -> TakenSite | None:
        if not until > now:
            raise ModelError(f"a lease until {until} has expired at {now}")
        site = rows.clean(name)
        with self._database.writing() as connection:
            [lease] = take_numbers(connection, [ensure_sites(connection, [site])[site]])
            values = {**named(site), "lease": lease, "holder": rows.clean(holder), "now": now, "until": until}
            row = connection.execute(SQL["take_site"], values).fetchone()
            return None if row is None else TakenSite(lease, float(row["pause"]))

    def leave_site(self, lease: int, *, next_allowed: float) -> bool:
        if not math.isfinite(next_allowed):
            raise ModelError("the site's next request is not a time")
        with self._database.writing() as connection:
            left = connection.execute(SQL["leave_site"], {"lease": lease, "next_allowed": float(next_allowed)})
            row = left.fetchone()
            if row is not None:
                connection.execute(SQL["refresh_ready"], {"sites": as_set([row["id"]])})
            return row is not None
