"""The queue: which sites are ready, who has them, and when the next will be."""

import math
from collections.abc import Sequence

from afresh.base.models import Lease
from afresh.store.session import Session
from afresh.store.sql import rows
from afresh.store.sql.statements import SQL, as_set


def next_ready(connection: Session) -> float | None:
    found = connection.execute(SQL["next_ready"]).fetchone()
    return None if found is None or math.isinf(found[0]) else float(found[0])


def lease(connection: Session, *, holder: str, now: float, until: float, limit: int, early: float = 0.0) -> list[Lease]:
    """Reserves ready sites, the longest ready first: O(log n) each, for the queue and for the pages of a site.

    Numbers only ever grow, so a late report of an expired lease can be told from its successor.
    """
    ready = connection.execute(SQL["pick"], {"now": now, "limit": limit, "early": early}).fetchall()
    ready.sort(key=lambda row: (row["ready"], row["site_id"]))  # a subquery's order is no promise
    picked = [(row["site_id"], row["resource_id"]) for row in ready]
    if not picked:
        return []
    last = int(connection.execute(SQL["take_lease_numbers"], {"count": len(picked)}).fetchone()[0])
    first = last - len(picked) + 1
    connection.executemany(
        SQL["lease_site"],
        [
            {"lease": number, "resource_id": resource, "holder": rows.clean(holder), "until": until, "site_id": site}
            for number, (site, resource) in enumerate(picked, first)
        ],
    )
    found = connection.execute(SQL["resources_by_id"], {"ids": as_set(resource for _, resource in picked)})
    resources = {row["id"]: rows.to_resource(row) for row in found}
    return [
        Lease(
            id=number,
            site=resources[row["resource_id"]].site,
            until=until,
            resource=resources[row["resource_id"]],
            pause=row["pause"],
            is_shared=row["resources"] > 1,
        )
        for number, row in enumerate(ready, first)
    ]


def release(connection: Session, leases: Sequence[int]) -> None:
    """Frees the sites of leases that are still open; the others are none of the caller's business any more."""
    held = [row["id"] for row in connection.execute(SQL["sites_by_lease"], {"leases": as_set(leases)})]
    connection.execute(SQL["free_sites"], {"ids": as_set(held)})
    connection.execute(SQL["refresh_ready"], {"ids": as_set(held)})
