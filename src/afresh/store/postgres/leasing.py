"""Handing out work to several processes at once."""

from afresh.base.models import Lease
from afresh.store.postgres.connection import Connection
from afresh.store.postgres.statements import own_statements
from afresh.store.sql import rows


def lease(
    connection: Connection, *, holder: str, now: float, until: float, limit: int, early: float = 0.0
) -> list[Lease]:
    """Reserves ready sites, the longest ready first; O(log n) each.

    First the sites are locked, passing over those that are locked already; only then the resources are chosen, by a
    statement of its own: whoever had a site before has committed by now, and its resources are seen as they are.
    """
    sql = own_statements()
    when = {"now": now, "early": early}
    locked = [row["id"] for row in connection.execute(sql["pick_sites"], {**when, "limit": limit})]
    if not locked:
        return []
    picked = connection.execute(sql["pick_resources"], {**when, "sites": locked}).fetchall()
    sites = [row["site_id"] for row in picked if row["resource_id"] is not None]
    resources = [row["resource_id"] for row in picked if row["resource_id"] is not None]
    both = {"sites": sites, "resources": resources}
    numbers = {
        row["resource_id"]: row["lease"]
        for row in connection.execute(sql["lease_sites"], {**both, "holder": rows.clean(holder), "until": until})
    }
    found = {row["id"]: row for row in connection.execute(sql["leased_resources"], both)}
    return [
        Lease(
            id=numbers[number],
            site=found[number]["site"],
            until=until,
            resource=rows.to_resource(found[number]),
            pause=found[number]["pause"],
            is_shared=found[number]["resources"] > 1,
        )
        for number in resources
    ]
