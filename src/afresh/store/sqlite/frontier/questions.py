"""What is asked about the frontier: totals, sites, random URLs."""

import random
import sqlite3

from afresh.base.page_numbers import page_span
from afresh.base.records.frontier import FrontierStats, SiteFacts
from afresh.base.records.frontier_store import Holding
from afresh.store.frontier.facts import to_facts, to_stats
from afresh.store.sqlite.frontier.statements import SQL

_LAST = (1 << 63) - 1


def stats(connection: sqlite3.Connection) -> FrontierStats:
    return to_stats(connection.execute(SQL["totals"]).fetchone())


def holdings(connection: sqlite3.Connection) -> dict[str, Holding]:
    return {fetcher: Holding(*rest) for fetcher, *rest in connection.execute(SQL["holdings"])}


def sites(connection: sqlite3.Connection, fqdn: str, which: str, limit: int) -> list[SiteFacts]:
    rows = connection.execute(SQL["site_facts"].format(which=which), (fqdn, limit))
    return [to_facts(*row) for row in rows]


def random_urls(connection: sqlite3.Connection, amount: int, fqdn: str | None, seed: int | None) -> list[str]:
    """Different URLs, as many as there are if there are fewer.

    Of all sites: by jumping to random numbers, so that a page after a gap is likelier; sites are even, pages nearly.
    """
    rng = random.Random(seed)  # noqa: S311  # a sample, not a secret
    if fqdn is not None:
        row = connection.execute("SELECT id FROM site WHERE fqdn = ?", (fqdn,)).fetchone()
        if row is None:
            return []
        urls = [url for (url,) in connection.execute(SQL["urls_between"], page_span(row[0]))]
        return rng.sample(urls, min(amount, len(urls)))
    low, high = connection.execute(SQL["site_numbers"], (0, _LAST)).fetchone()
    if low is None:
        return []
    total = connection.execute("SELECT urls FROM total").fetchone()[0]
    if amount * 2 >= total:
        urls = [url for (url,) in connection.execute(SQL["urls_between"], (0, _LAST))]
        return rng.sample(urls, min(amount, len(urls)))
    found: dict[str, None] = {}
    while len(found) < amount:
        start = rng.randint(low, high)
        found[connection.execute(SQL["url_from"], (start, _LAST)).fetchone()[0]] = None
    return list(found)
