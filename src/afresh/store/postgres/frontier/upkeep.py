"""What has to be done now and then, in PostgreSQL: old keys, recounting, clearing; and random URLs."""

import random
from collections.abc import Mapping

from afresh.base.page_numbers import page_span
from afresh.store.postgres.frontier.statements import SQL, Cursor


def forget(cursor: Cursor, before: float) -> int:
    """Keys, lists and measurements older than this; answers how many keys."""
    cursor.execute(SQL["forget_leases"], (before,))
    cursor.execute(SQL["forget_round_trips"], (before,))
    return cursor.execute(SQL["forget_receipts"], (before,)).rowcount


def recount(cursor: Cursor) -> Mapping[str, int]:
    """How many sites (and totals) differ from a recount, by sum; corrects nothing."""
    found: dict[str, int] = {}
    for name in ("recount_sites", "recount_totals"):
        row = cursor.execute(SQL[name]).fetchone() or ()
        names = [column.name for column in cursor.description or ()]
        found |= {name: int(value or 0) for name, value in zip(names, row, strict=True)}
    return found


def clear(cursor: Cursor, *, fetchers: bool, urls: bool, sites: bool, reservations: bool, edges: bool) -> None:
    if fetchers:
        cursor.execute("DELETE FROM frontier.fetcher")
        cursor.execute(SQL["clear_homes"])
    if fetchers or reservations or urls or sites:
        cursor.execute(SQL["clear_reservations"])
        cursor.execute("DELETE FROM frontier.lease")
    if edges or urls or sites:
        cursor.execute("DELETE FROM frontier.edge")
        for name in ("clear_degrees_of_sites", "clear_degrees", "clear_total_edges"):
            cursor.execute(SQL[name])
    if urls or sites:
        cursor.execute("TRUNCATE frontier.page, frontier.address, frontier.big_page")
        cursor.execute(SQL["clear_sums"])
        cursor.execute(SQL["clear_total_urls"])
    if sites:
        cursor.execute("TRUNCATE frontier.site, frontier.round_trip")
        cursor.execute(SQL["clear_total_sites"])


def random_urls(cursor: Cursor, amount: int, fqdn: str | None, seed: int | None) -> list[str]:
    """Different URLs, as many as there are if there are fewer: of random sites the pages after random numbers."""
    rng = random.Random(seed)  # noqa: S311  # a sample, not a secret
    if fqdn is not None:
        row = cursor.execute(SQL["site_number"], (fqdn,)).fetchone()
        urls = [url for (url,) in cursor.execute(SQL["urls_of_site"], row).fetchall()] if row else []
        return rng.sample(urls, min(amount, len(urls)))
    low, high, total = cursor.execute(SQL["site_range"]).fetchone() or (None, None, 0)
    if low is None:
        return []
    if amount * 2 >= total:
        urls = [url for (url,) in cursor.execute(SQL["all_urls"]).fetchall()]
        return rng.sample(urls, min(amount, len(urls)))
    found: dict[str, None] = {}
    while len(found) < amount:
        site = rng.randint(low, high)
        row = cursor.execute(SQL["url_from"], {"site": site, "start": rng.randint(*page_span(site))}).fetchone()
        if row:
            found[row[0]] = None
    return list(found)
