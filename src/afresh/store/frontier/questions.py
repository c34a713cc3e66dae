"""What is asked about the frontier: totals, sites, random URLs, settings; and what an operator says about a site."""

import math
import random

from afresh.base.page_numbers import page_span
from afresh.base.records.frontier import FrontierStats, SiteFacts
from afresh.base.records.frontier_store import Holding
from afresh.store.frontier.concern import Concern, read_setting, reading, writing
from afresh.store.frontier.session import ALL, Session


class Questions(Concern):
    """Answers, and an operator's words about one site."""

    @reading
    def stats(self, session: Session) -> FrontierStats:
        fetchers, sites, urls, visited, leased, sum_visited, visits, edges, backlog = session.rows("totals")[0]
        return FrontierStats(
            fetchers=fetchers,
            sites=sites,
            urls=urls,
            visited=visited,
            leased_sites=leased,
            mean_last_visited=sum_visited / visited if visited else None,
            visits=visits,
            edges=edges,
            backlog=backlog,
        )

    @reading
    def holdings(self, session: Session) -> dict[str, Holding]:
        return {fetcher: Holding(*rest) for fetcher, *rest in session.rows("holdings")}

    @reading
    def site(self, session: Session, name: str) -> SiteFacts | None:
        return next(iter(_sites(session, name, "=", 1)), None)

    @reading
    def sites(self, session: Session, *, after: str = "", limit: int = 100) -> list[SiteFacts]:
        return _sites(session, after, ">", limit)

    @reading
    def random_urls(
        self, session: Session, amount: int, *, site: str | None = None, seed: int | None = None
    ) -> list[str]:
        """Different URLs, as many as there are if there are fewer.

        Of all sites: from random numbers on, so that a page after a gap is likelier; sites are even, pages nearly.
        """
        rng = random.Random(seed)  # noqa: S311  # a sample, not a secret
        if site is not None:
            numbers = session.rows("site_number", {"site": site})
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
        session.run("set_delay", {"delay": delay, "site": site})

    @writing
    def block(self, session: Session, site: str, until: float) -> None:
        session.run("block", {"site": site, "until": until})

    @reading
    def get_setting(self, session: Session, key: str) -> str | None:
        return read_setting(session, key)

    @writing
    def put_setting(self, session: Session, key: str, value: str) -> None:
        session.run("put_setting", {"key": key, "value": value})


def _urls_from(session: Session, site: int, start: int, limit: int) -> list[str]:
    first, last = page_span(site)
    values = {"site": site, "first": max(start, first), "last": last, "limit": limit}
    return [url for (url,) in session.rows("urls_from", values)]


def _sites(session: Session, name: str, which: str, limit: int) -> list[SiteFacts]:
    return [_to_facts(*row) for row in session.rows("site_facts", {"site": name, "limit": limit}, which=which)]


def _to_facts(
    name: str,
    tld: str,
    name_hash: int,
    delay: float | None,
    ready: float,
    leased_by: str,
    leased_until: float | None,
    urls: int,
    visited: int,
    discovered: float | None,
    sum_visited: float,
    sum_pagerank: float,
    sum_rate: float,
    sum_in_degree: int,
    cash: float,
    errors: int,
    slow: float,
    backlog: int,
    home: str,
    ipv4: str,
    ipv6: str,
) -> SiteFacts:
    """A row of the statement ``site_facts``."""
    return SiteFacts(
        name=name,
        tld=tld,
        hash=name_hash,
        crawl_delay=delay,
        ready=None if math.isinf(ready) else ready,
        leased_by=leased_by,
        leased_until=leased_until,
        urls=urls,
        visited=visited,
        first_discovered=discovered,
        mean_last_visited=sum_visited / visited if visited else None,
        mean_pagerank=sum_pagerank / max(urls, 1),
        mean_change_rate=sum_rate / max(urls, 1),
        mean_in_degree=sum_in_degree / max(urls, 1),
        cash=cash,
        errors=errors,
        slow=slow,
        backlog=backlog,
        home=home,
        last_ipv4=ipv4,
        last_ipv6=ipv6,
    )
