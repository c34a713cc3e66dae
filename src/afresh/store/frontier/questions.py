"""What is asked about the frontier: totals, sites, random URLs, settings; and what an operator says about a site."""

import math
import random
from collections.abc import Sequence
from typing import Any

from afresh.base.hashing import bucket_of
from afresh.base.page_numbers import page_span
from afresh.base.records.frontier import FrontierStats, SiteFacts
from afresh.base.records.frontier_store import Holding, Waiting
from afresh.base.records.queues import FIRST_CRAWL
from afresh.store.frontier.failures import to_failure
from afresh.store.frontier.session import ALL, Session
from afresh.store.frontier.store_part import Concern, read_setting, reading, writing

#: What ``site_facts`` brings, as the fields are called; sums stand where a mean is made of them. Then its failure.
_COLUMNS = (
    *("name", "tld", "hash", "crawl_delay", "ready", "leased_by", "leased_until", "urls", "visited"),
    *("first_discovered", "sum_visited", "mean_pagerank", "mean_change_rate", "mean_in_degree", "cash"),
    *("errors", "slow", "backlog", "home", "last_ipv4", "last_ipv6", "blocked", "limit", "completed"),
    *("visited_well", "failed", "left_out"),
)
_TOTALS = (
    *("fetchers", "sites", "urls", "visited", "leased_sites"),
    *("sum_visited", "visits", "edges", "backlog", "leased_urls"),
    *("visited_well", "failed", "left_out"),
)


class Questions(Concern):
    """Answers, and an operator's words about one site."""

    @reading
    def stats(self, session: Session) -> FrontierStats:
        totals = dict(zip(_TOTALS, session.rows("totals")[0], strict=True))
        visited, sum_visited = totals["visited"], totals.pop("sum_visited")
        mean = sum_visited / visited if visited else None
        return FrontierStats(**totals, mean_last_visited=mean, set_aside=len(session.rows("aside")))

    @reading
    def waiting(self, session: Session, *, now: float) -> Waiting:
        due, later = session.rows("count_waiting", {"now": now})[0]
        leased = session.rows("totals")[0][4]
        return Waiting(due=due, later=max(0, later - leased))

    @reading
    def holdings(self, session: Session) -> dict[str, Holding]:
        return {fetcher: Holding(*rest) for fetcher, *rest in session.rows("holdings")}

    @reading
    def site(self, session: Session, name: str, *, crawl: int = FIRST_CRAWL) -> SiteFacts | None:
        return next(iter(_sites(session, crawl, name, "=", 1)), None)

    @reading
    def sites(
        self, session: Session, *, after: str = "", limit: int = 100, crawl: int = FIRST_CRAWL
    ) -> list[SiteFacts]:
        return _sites(session, crawl, after, ">", limit)

    @reading
    def random_urls(
        self, session: Session, amount: int, *, site: str | None = None, seed: int | None = None
    ) -> list[str]:
        """Different URLs, as many as there are if there are fewer.

        Of all sites: from random numbers on, so that a page after a gap is likelier; sites are even, pages nearly.
        """
        rng = random.Random(seed)  # noqa: S311  # a sample, not a secret
        if site is not None:
            numbers = session.rows("site_number", _place(session, site))
            urls = _urls_from(session, numbers[0][0], 0, ALL) if numbers else []
            return rng.sample(urls, min(amount, len(urls)))
        low, high, total = session.rows("site_range")[0]
        if amount * 2 >= total:
            urls = [url for (url,) in session.rows("all_urls")]
            return rng.sample(urls, min(amount, len(urls)))
        found: dict[str, None] = {}
        while len(found) < amount:
            number = rng.randint(low, high)
            start = rng.randint(*page_span(number))
            found.update(dict.fromkeys(_urls_from(session, number, start, 1) or _urls_from(session, number, 0, 1)))
        return list(found)

    @writing
    def set_delay(self, session: Session, site: str, delay: float | None) -> None:
        session.run("set_delay", {"delay": delay, "pause": delay or 0.0, **_place(session, site)})

    @writing
    def block(self, session: Session, site: str, until: float, *, now: float) -> None:
        session.run("block", {"until": until, "now": now, **_place(session, site)})

    @reading
    def get_setting(self, session: Session, key: str) -> str | None:
        return read_setting(session, key)

    @writing
    def put_setting(self, session: Session, key: str, value: str) -> None:
        session.run("put_setting", {"key": key, "value": value})


def _place(session: Session, site: str) -> dict[str, Any]:
    """Where a site is: its name, its crawl, its bucket."""
    return {"site": site, "crawl": FIRST_CRAWL, "bucket": bucket_of(site, session.buckets)}


def _urls_from(session: Session, site: int, start: int, limit: int) -> list[str]:
    first, last = page_span(site)
    values = {"site": site, "first": max(start, first), "last": last, "limit": limit}
    return [url for (url,) in session.rows("urls_from", values)]


def _sites(session: Session, crawl: int, name: str, which: str, limit: int) -> list[SiteFacts]:
    values = {"site": name, "limit": limit, "crawl": crawl}
    return [_to_facts(row) for row in session.rows("site_facts", values, which=which)]


def _to_facts(row: Sequence[Any]) -> SiteFacts:
    """A row of the statement ``site_facts``."""
    facts: dict[str, Any] = dict(zip(_COLUMNS, row[: len(_COLUMNS)], strict=True))
    visited, sum_visited = facts["visited"], facts.pop("sum_visited")
    facts["ready"] = None if math.isinf(facts["ready"]) else facts["ready"]
    for mean in ("mean_pagerank", "mean_change_rate", "mean_in_degree"):
        facts[mean] /= max(facts["urls"], 1)
    failure = to_failure(row[len(_COLUMNS) :])
    return SiteFacts(mean_last_visited=sum_visited / visited if visited else None, failure=failure, **facts)
