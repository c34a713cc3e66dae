"""The example database over REST (development only): the test system's generator into this frontier's store."""

from itertools import islice
from uuid import uuid4

import numpy as np
from msgspec import structs

from afresh.base.records.frontier import FetcherAccount, ListRequest, PageReport, PageResult, SiteReport
from afresh.doors.rest.frontier.bodies import ExampleDatabase
from afresh.frontier.scheduling import Frontier
from afresh.lab.crawl.database import ExampleSettings, example_fetchers, example_links, example_seeds

_BATCH = 20_000


async def make_example(frontier: Frontier, wanted: ExampleDatabase) -> None:
    """Fetchers, sites and pages as asked for; the same seed gives the same ones."""
    values = structs.asdict(wanted)
    rng = np.random.default_rng(values.pop("seed"))
    settings = ExampleSettings(**values)
    now = frontier.now()
    for account in example_fetchers(settings, rng, now):
        await frontier.run(frontier.store.register, account)
    seeds = example_seeds(settings, rng, now)
    urls: list[str] = []
    while batch := list(islice(seeds, _BATCH)):
        await frontier.add(batch)
        urls += [seed.url for seed in batch]
    if settings.connection_amount and urls:
        await _connect(frontier, settings, urls, rng)
    frontier.accounts.forget()


async def _connect(frontier: Frontier, settings: ExampleSettings, urls: list[str], rng: np.random.Generator) -> None:
    """Links as a fetcher would report them: every page is handed out once and comes back untried, but with links."""
    store, now = frontier.store, frontier.now()
    links = {page.url: page.links for page in example_links(urls, settings, rng)}
    maker = str(uuid4())
    account = FetcherAccount(uuid=maker, contact="example@example.org", name=maker, registered=now)
    await frontier.run(store.register, account)
    request = ListRequest(fetcher=maker, sites=0, pages=0, expires=now + 3_600.0)
    for site in await frontier.run(store.lease, request, now=now):
        pages = tuple(
            PageReport(url=page.url, result=PageResult.SKIPPED, links=links.get(page.url, ()), number=page.number)
            for page in site.pages
        )
        report = SiteReport(lease=site.lease, name=site.name, pages=pages)
        await frontier.run(store.report, maker, [report], key="", now=now, revisit_after=None)
    await frontier.run(store.remove_fetcher, maker, now=now)
