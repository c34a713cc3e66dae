"""Crawls beside each other, URLs one by one, and what an operator says about sites: the door to ``frontier.queues``."""

from typing import Annotated

import msgspec
import orjson
from msgspec import UNSET, Meta, Struct
from starlette.responses import Response

from afresh.base.records.queues import NEVER_AGAIN, Put, QueueRequest, QueueStats, QueueUrl
from afresh.base.settings.frontier import MOST_URLS
from afresh.doors.presenting.showing import shown
from afresh.doors.rest.frontier import bodies
from afresh.doors.rest.frontier.answers import Time, moment
from afresh.doors.rest.frontier.door import Asked, answer
from afresh.doors.rest.frontier.inside import Count, crawl_in_query, site_view, text_in_query
from afresh.doors.rest.frontier.reading import seconds
from afresh.doors.rest.problems import Refused
from afresh.frontier.queues import CrawlPut, Queues, crawl_name, put_of


class CrawlView(Struct, kw_only=True):
    """A crawl: sites and URLs of its own."""

    crawl: str
    sites: int
    active_sites: Annotated[int, Meta(description="With something to fetch.")]
    urls: int
    completed: Annotated[int, Meta(description="URLs that are not to be fetched again.")]
    locked: Annotated[int, Meta(description="URLs that some client has been given one by one.")]


class CrawlList(Struct, kw_only=True):
    """All crawls, by name."""

    items: list[CrawlView]


class BlockedSites(Struct, kw_only=True):
    """Sites that are to be left alone at once."""

    items: Annotated[list[str], Meta(description="Their names.")]


class LockedUrl(Struct, gc=False):
    """A URL to fetch, nobody else's until the end of its lock."""

    url: str
    fqdn: str
    crawl: str
    metadata: Annotated[dict[str, list[str]], Meta(description="As a client sent it.")]


class LockedUrls(Struct, kw_only=True):
    """URLs to fetch; put them back as known when they are."""

    until: Annotated[Time | None, Meta(description="When their locks end.")]
    items: list[LockedUrl]


class Acknowledged(Struct, kw_only=True):
    """What became of each URL, in the order they came."""

    statuses: Annotated[
        list[str],
        Meta(description="new, updated (it was known), known (found again: left as it was), refused (no such URL)."),
    ]


async def list_crawls(asked: Asked) -> Response:
    queues = Queues(asked.door.frontier)
    found = [_crawl_view(name, await queues.stats(name)) for name in await queues.crawls()]
    return await answer(asked.request, CrawlList(items=found))


async def count_crawl(asked: Asked) -> Response:
    crawl, site = crawl_in_query(asked), text_in_query(asked, "fqdn")
    return await answer(asked.request, _crawl_view(crawl, await Queues(asked.door.frontier).stats(crawl, site)))


async def make_crawl(asked: Asked) -> Response:
    body: bodies.CrawlKey = asked.body
    queues, name = Queues(asked.door.frontier), crawl_name(body.crawl)
    await queues.make_crawl(name)
    return await answer(asked.request, _crawl_view(name, await queues.stats(name)))


async def delete_crawl(asked: Asked) -> Response:
    """By its name alone: none is deleted by leaving something out."""
    if not asked.request.query_params.get("crawl", "").strip():
        raise Refused(422, "query.crawl: say which crawl; GET /api/v1/crawls lists them", where="query.crawl")
    return await answer(
        asked.request, Count(urls=await Queues(asked.door.frontier).delete_crawl(crawl_in_query(asked)))
    )


async def control_site(asked: Asked) -> Response:
    """Block, delay, limit."""
    body: bodies.SiteControl = asked.body
    queues, crawl = Queues(asked.door.frontier), crawl_name(body.crawl)
    await queues.control(
        crawl,
        body.fqdn,
        delay=None if body.crawl_delay is UNSET else body.crawl_delay,
        block_until=None if body.blocked_until is UNSET else seconds(body.blocked_until or 0),
        limit=None if body.limit is UNSET else body.limit,
        forgets_delay=body.crawl_delay is None,
    )
    return await answer(asked.request, site_view(await queues.site(crawl, body.fqdn)))


async def visit_site(asked: Asked) -> Response:
    body: bodies.SiteKey = asked.body
    found = await Queues(asked.door.frontier).visit_again(crawl_name(body.crawl), body.fqdn)
    return await answer(asked.request, Count(urls=found))


async def show_blocked(asked: Asked) -> Response:
    names = await Queues(asked.door.frontier).blocked_lately(crawl_in_query(asked))
    return await answer(asked.request, BlockedSites(items=names))


async def show_delay(asked: Asked) -> Response:
    return await answer(asked.request, bodies.Delay(crawl_delay=await Queues(asked.door.frontier).default_delay()))


async def set_delay(asked: Asked) -> Response:
    body: bodies.Delay = asked.body
    await Queues(asked.door.frontier).set_default_delay(body.crawl_delay)
    return await answer(asked.request, body)


async def lock_urls(asked: Asked) -> Response:
    """As many sites as asked for, some at a time: others are served in between."""
    body: bodies.WantedUrls = asked.body
    if body.sites * body.urls > MOST_URLS:
        raise Refused(422, f"body.sites: sites times urls is {MOST_URLS:,} at most", where="body.sites")
    request = QueueRequest(
        crawl=None if body.crawl is None else crawl_name(body.crawl),
        key=body.fqdn,
        queues=body.sites,
        urls=body.urls,
        hold=body.seconds,
    )
    until = asked.door.frontier.now() + body.seconds
    items = [_locked_view(one) async for part in Queues(asked.door.frontier).get(request) for one in part]
    return await answer(asked.request, LockedUrls(until=moment(until), items=items))


async def put_urls(asked: Asked) -> Response:
    body: bodies.PutUrls = asked.body
    crawl = crawl_name(body.crawl)
    taken = await Queues(asked.door.frontier).put([CrawlPut(crawl, _put(one)) for one in body.urls])
    return await answer(asked.request, Acknowledged(statuses=[one.name.lower() for one in taken]))


def _put(one: bodies.PutUrl) -> Put:
    due = NEVER_AGAIN if one.completed else None if one.due is None else seconds(one.due)
    metadata = orjson.dumps(one.metadata, option=orjson.OPT_SORT_KEYS).decode() if one.metadata else ""
    return put_of(Put(one.url, one.fqdn, one.known or due is not None, due, metadata))


def _crawl_view(name: str, stats: QueueStats) -> CrawlView:
    return shown(CrawlView, stats, crawl=name, sites=stats.queues, active_sites=stats.active_queues)


def _locked_view(one: QueueUrl) -> LockedUrl:
    return LockedUrl(one.url, one.key, one.crawl, msgspec.json.decode(one.metadata) if one.metadata else {})
