"""Crawls beside each other, URLs one by one, and what an operator says about sites: the door to ``frontier.queues``."""

from typing import Annotated

import msgspec
import orjson
from msgspec import UNSET, Meta, Struct
from starlette.responses import Response

from afresh.base.records.queues import NEVER_AGAIN, Put, QueueControl, QueueRequest, QueueStats, QueueUrl
from afresh.base.settings.frontier import MOST_URLS
from afresh.doors.presenting.showing import shown
from afresh.doors.rest.frontier import bodies
from afresh.doors.rest.frontier.answers import Time, moment
from afresh.doors.rest.frontier.door import Asked, Routes, answer, in_query
from afresh.doors.rest.frontier.operating import (
    CRAWL,
    FQDN,
    Count,
    SiteView,
    crawl_in_query,
    fetcher_names,
    site_view,
    text_in_query,
)
from afresh.doors.rest.frontier.reading import seconds
from afresh.doors.rest.incoming_gate import CALLER
from afresh.doors.rest.problems import Refused
from afresh.doors.rest.who_asks import Need
from afresh.frontier.queues import CrawlPut, Queues, crawl_name, put_of

routes = Routes()
_WRITTEN_NAME = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[^\\x00-\\x1f\\x7f]*$"}
_NAME = {**in_query("crawl", "Its name.", **_WRITTEN_NAME), "required": True}


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
    active: Annotated[bool, Meta(description="False: the frontier is paused, and all sites are.")]


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


@routes("GET", "/crawls", "crawls", "All crawls", answer=CrawlList, need=Need.MEMBER)
async def list_crawls(asked: Asked[None]) -> Response:
    """By name, with their counts. A crawl is a tenant: the same URL may be in several."""
    queues = Queues(asked.door.frontier)
    found = [_crawl_view(name, await queues.stats(name)) for name in await queues.crawls()]
    return await answer(asked.request, CrawlList(items=found))


@routes(
    "GET",
    "/crawls/counts",
    "crawls",
    "Counts of a crawl, or of one site of it",
    answer=CrawlView,
    need=Need.MEMBER,
    parameters=(CRAWL, FQDN),
)
async def count_crawl(asked: Asked[None]) -> Response:
    """Nothing but zeros where there is none."""
    crawl, site = crawl_in_query(asked), text_in_query(asked, "fqdn")
    return await answer(asked.request, _crawl_view(crawl, await Queues(asked.door.frontier).stats(crawl, site)))


@routes("PUT", "/crawls", "crawls", "Make a crawl", answer=CrawlView, need=Need.ADMIN)
async def make_crawl(asked: Asked[bodies.CrawlKey]) -> Response:
    """One that is there stays as it is. The first URL put into a crawl makes it as well."""
    body = asked.body
    queues, name = Queues(asked.door.frontier), crawl_name(body.crawl)
    await queues.make_crawl(name)
    return await answer(asked.request, _crawl_view(name, await queues.stats(name)))


@routes(
    "DELETE", "/crawls", "crawls", "Delete a crawl", answer=Count, problems=(404,), need=Need.ADMIN, parameters=(_NAME,)
)
async def delete_crawl(asked: Asked[None]) -> Response:
    """With its sites and URLs; the answer says how many URLs."""
    if not asked.request.query_params.get("crawl", "").strip():
        raise Refused(422, "query.crawl: say which crawl; GET /api/v1/crawls lists them", where="query.crawl")
    return await answer(
        asked.request, Count(urls=await Queues(asked.door.frontier).delete_crawl(crawl_in_query(asked)))
    )


@routes("PATCH", "/sites", "urls", "Block, delay or limit a site", answer=SiteView, problems=(404,), need=Need.ADMIN)
async def control_site(asked: Asked[bodies.SiteControl]) -> Response:
    """What is left out stays; null takes back a block, or a delay of its own. Remembered across restarts. Nothing of
    a blocked site is handed out; a host that is not known yet is blocked when it is found. Where a fetcher holds it:
    `afresh fetch` asks for `/sites/blocked` every few seconds and gives the rest of its list back, after one more
    request at most; any other one stops when its list ends, `leased_until` at the latest.
    """
    body = asked.body
    queues, crawl, name = Queues(asked.door.frontier), crawl_name(body.crawl), body.fqdn
    if body.blocked_until is not UNSET and body.blocked_until is not None:
        name = await queues.blockable(crawl, name)
    said = QueueControl(
        delay=None if body.crawl_delay is UNSET else body.crawl_delay,
        forgets_delay=body.crawl_delay is None,
        block_until=None if body.blocked_until is UNSET else seconds(body.blocked_until or 0),
        limit=None if body.limit is UNSET else body.limit,
    )
    await queues.control(crawl, name, said)
    site = await queues.site(crawl, name)
    return await answer(asked.request, site_view(site, await fetcher_names(asked, [site.leased_by])))


@routes("POST", "/sites/visit", "urls", "Visit a site again", answer=Count, problems=(404,), need=Need.ADMIN)
async def visit_site(asked: Asked[bodies.SiteKey]) -> Response:
    """Its pages that are to be visited at some time are due now; they are fetched at the pace of their site. What is
    gone, failing or excluded stays so. The answer counts pages that were not due yet.
    """
    body = asked.body
    found = await Queues(asked.door.frontier).visit_again(crawl_name(body.crawl), body.fqdn)
    return await answer(asked.request, Count(urls=found))


@routes(
    "GET", "/sites/blocked", "urls", "Sites blocked lately", answer=BlockedSites, need=Need.MEMBER, parameters=(CRAWL,)
)
async def show_blocked(asked: Asked[None]) -> Response:
    """For fetchers at work: of these nothing more shall be asked for, though they may be in a list that is out."""
    frontier, account = asked.door.frontier, asked.request.scope[CALLER].account
    if account is not None:
        await frontier.run(frontier.heard.note, account.uuid, frontier.now())
    queues = Queues(frontier)
    names, is_active = await queues.blocked_lately(crawl_in_query(asked)), await queues.is_active()
    return await answer(asked.request, BlockedSites(items=names, active=is_active))


@routes("GET", "/sites/delay", "urls", "The delay of sites without their own", answer=bodies.Delay, need=Need.MEMBER)
async def show_delay(asked: Asked[None]) -> Response:
    """Between two times that single URLs of a site are locked; lists have `default_delay` of the settings."""
    return await answer(asked.request, bodies.Delay(crawl_delay=await Queues(asked.door.frontier).default_delay()))


@routes("PUT", "/sites/delay", "urls", "Set the delay of sites without their own", answer=bodies.Delay, need=Need.ADMIN)
async def set_delay(asked: Asked[bodies.Delay]) -> Response:
    """Remembered across restarts."""
    body = asked.body
    await Queues(asked.door.frontier).set_default_delay(body.crawl_delay)
    return await answer(asked.request, body)


@routes("POST", "/urls/lock", "crawl", "Ask for single URLs", answer=LockedUrls, need=Need.MEMBER)
async def lock_urls(asked: Asked[bodies.WantedUrls]) -> Response:
    """URLs that are due, of several sites, each locked for some seconds: nobody else gets it meanwhile. The sites
    stay free. Put a URL back as known when it was fetched; otherwise it is handed out again when its lock ends.
    """
    body = asked.body
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


@routes("POST", "/urls/put", "crawl", "Put URLs, each acknowledged", answer=Acknowledged, need=Need.MEMBER)
async def put_urls(asked: Asked[bodies.PutUrls]) -> Response:
    """Found URLs are added unless they are known; known ones are unlocked and told when they are due again: `due`,
    `completed` (never), or as the frontier estimates. URLs are kept as they are written. The same again is harmless.
    """
    body = asked.body
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
