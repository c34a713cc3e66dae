"""Running totals: sites, resources by kind and status, resources of each site. Whoever changes one counts it here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from afresh.store.sql.statements import SQL

if TYPE_CHECKING:
    from afresh.store.session import Session

Counted = tuple[int, str, str]  # a resource: number of its site, kind, status


def count_up(connection: Session, changes: Mapping[str, int]) -> None:
    """Adds to totals by name, in the order of their names: so no two processes wait for each other in a circle."""
    bucket = connection.slot
    rows = [{"bucket": bucket, "name": name, "amount": amount} for name, amount in sorted(changes.items()) if amount]
    connection.executemany(SQL["count_up"], rows)


def count_resources(connection: Session, *, came: Iterable[Counted] = (), went: Iterable[Counted] = ()) -> None:
    """Resources that came, and those that went; one that changed went as it was and came as it is."""
    totals: Counter[str] = Counter()
    sites: Counter[int] = Counter()
    for sign, resources in ((1, came), (-1, went)):
        for (site, kind, status), count in Counter(resources).items():
            totals[f"resources/{kind}/{status}"] += sign * count
            sites[site] += sign * count
    connection.executemany(
        SQL["grow_site"], [{"id": site, "more": more} for site, more in sorted(sites.items()) if more]
    )
    count_up(connection, totals)
