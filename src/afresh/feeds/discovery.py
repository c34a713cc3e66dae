"""Discover: which feeds does a site announce? (Reichert §3.4)"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar
from urllib.parse import quote_plus

from afresh.base.errors import ParseError, UsageError
from afresh.base.models import Failed, Failure, FeedDocument, Fetched, Outcome, Rejected, Request
from afresh.base.outcome_words import outcome_words
from afresh.parse import child_reader
from afresh.parse.discover import FoundFeed, announced_feeds, result_links
from afresh.parse.duplicates import Dropped, deduplicate
from afresh.parse.feed import parse_feed
from afresh.parse.url import canonical, names_scheme, strip_session_ids

if TYPE_CHECKING:
    from afresh.base.protocols import Fetcher

T = TypeVar("T")

_BARREN = "announces no feed"
_NO_TLS = ("wrong version number", "record layer failure", "packet length too long", "unexpected message")  # OpenSSL's


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A feed that a site offers, and whether it answered."""

    url: str
    title: str = ""
    format: str = ""
    entries: int = 0
    site: str = ""
    error: str = ""  # empty: alive
    is_passing: bool = False  # it could not be asked now, and may well answer later
    is_forbidden: bool = False  # by robots.txt: whether it is alive nobody knows


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What was found on some sites: living feeds, dead or forbidden ones, and duplicates with the reason they were
    dropped."""

    feeds: tuple[Candidate, ...]
    dead: tuple[Candidate, ...]
    duplicates: tuple[Dropped, ...]
    unreachable: tuple[Candidate, ...]  # sites that did not answer
    barren: tuple[Candidate, ...] = ()  # sites that answered and announce nothing


_Checked: TypeAlias = tuple[Candidate, FeedDocument | None]


class Discoverer:
    """Asks sites for their feeds; how quickly, and what robots.txt lets us ask for, is the fetcher's business."""

    def __init__(self, fetcher: Fetcher, *, parallel: int = 16) -> None:
        self._fetcher = fetcher
        self._room = asyncio.Semaphore(parallel)

    async def discover(self, sites: Sequence[str]) -> Discovery:
        """All feeds that these sites announce, each checked to be alive."""
        found = await asyncio.gather(*(self._announced(site) for site in dict.fromkeys(sites)))
        unreachable = tuple(item for _, items in found for item in items if item.error)
        barren = tuple(Candidate(url=site, site=site, error=_BARREN) for site, items in found if not items)
        announced = [item for _, items in found for item in items if not item.error]
        by_url = {strip_session_ids(item.url): item for item in announced}
        unique = deduplicate(item.url for item in announced)
        checked = await self._check([by_url[url] for url in unique.kept], unique.kept)
        twins = _twins(checked)
        feeds = (item for item, _ in checked if not item.error)
        return Discovery(
            feeds=tuple(item for item in feeds if item.url not in twins),
            dead=tuple(item for item, _ in checked if item.error),
            duplicates=(*(item for item in unique.dropped if item.url != item.kept), *twins.values()),
            unreachable=unreachable,
            barren=barren,
        )

    async def search(self, words: str, engine: str, *, limit: int = 50) -> list[str]:
        """Sites a search engine names for some words; ``engine`` is a URL with ``{query}`` in it."""
        url = engine.replace("{query}", quote_plus(words))
        outcome = await self._get(canonical(url))
        if not isinstance(outcome, Fetched):
            raise ParseError(f"the search engine did not answer: {outcome_words(outcome)}")
        content_type = outcome.trip.headers.get("content-type", "")
        base = outcome.trip.final_url
        links = await _off_the_loop(result_links, list[str], outcome.body, content_type=content_type, base_url=base)
        return list(dict.fromkeys(links))[:limit]

    async def _announced(self, site: str) -> tuple[str, list[Candidate]]:
        try:
            site, outcome = await self._ask(site)
        except UsageError as error:  # the others are asked all the same
            return site, [Candidate(url=site, site=site, error=str(error))]
        if not isinstance(outcome, Fetched):
            return site, [_silent(Candidate(url=site, site=site), outcome)]
        content_type = outcome.trip.headers.get("content-type", "")
        base = outcome.trip.final_url
        document = await _as_feed(outcome.body, content_type, base)
        if document is not None:  # the address given is a feed itself
            return site, [Candidate(url=site, site=site, title=document.facts.title)]
        try:
            feeds = await _announced(outcome.body, base, content_type)
        except ParseError as error:
            return site, [Candidate(url=site, site=site, error=str(error))]
        return site, [Candidate(url=feed.url, site=site, title=feed.title) for feed in feeds]

    async def _ask(self, site: str) -> tuple[str, Outcome]:
        """A site and what it answers. Where no scheme was written and nobody speaks TLS, without it, as browsers do."""
        url = canonical(site)
        outcome = await self._get(url)
        if names_scheme(site) or not _speaks_no_tls(outcome):
            return url, outcome
        plain = "http" + url.removeprefix("https")
        second = await self._get(plain)
        return (url, outcome) if isinstance(second, Failed) else (plain, second)

    async def _check(self, candidates: Sequence[Candidate], urls: Sequence[str]) -> list[_Checked]:
        return await asyncio.gather(*map(self._check_one, candidates, urls))

    async def _check_one(self, candidate: Candidate, url: str) -> _Checked:
        outcome = await self._get(url)
        if not isinstance(outcome, Fetched):
            return _silent(Candidate(url=url, site=candidate.site, title=candidate.title), outcome), None
        document = await _as_feed(outcome.body, outcome.trip.headers.get("content-type", ""), outcome.trip.final_url)
        if document is None:
            return Candidate(url=url, site=candidate.site, title=candidate.title, error="not a feed"), None
        alive = Candidate(
            url=url,
            site=candidate.site,
            title=document.facts.title or candidate.title,
            format=document.facts.format,
            entries=len(document.entries),
        )
        return alive, document

    async def _get(self, url: str) -> Outcome:
        async with self._room:
            return await self._fetcher.fetch(Request(url=url, is_crawl=True, is_feed=True))


def _speaks_no_tls(outcome: Outcome) -> bool:
    """Whether somebody answered who does not understand TLS, or nobody is at that port. A wrong certificate is more:
    to ask such a site without TLS would be to do what the certificate is there to prevent."""
    if not isinstance(outcome, Failed):
        return False
    is_other = outcome.cause is Failure.TLS and any(words in outcome.detail for words in _NO_TLS)
    return is_other or outcome.cause is Failure.CONNECT


def _twins(checked: Sequence[_Checked]) -> dict[str, Dropped]:
    """Feeds of a site that another one stands for, because both have the same entries; Atom preferred, else the first.

    Two in one format have to have one title as well: a feed of a section may for now have all there is.
    """
    kept: list[tuple[Candidate, FeedDocument]] = []
    twins: dict[str, Dropped] = {}
    alive = [(item, document) for item, document in checked if document is not None and document.entries]
    for item, document in sorted(alive, key=lambda one: not one[0].format.startswith("atom")):
        first = next((other for other, seen in kept if _is_twin(item, document, other, seen)), None)
        if first is None:
            kept.append((item, document))
        else:
            twins[item.url] = Dropped(item.url, "same entries", first.url)
    return twins


def _is_twin(item: Candidate, document: FeedDocument, other: Candidate, seen: FeedDocument) -> bool:
    if item.site != other.site or (item.format == other.format and item.title != other.title):
        return False
    return any(
        all(mine) and set(mine) == set(theirs)
        for mine, theirs in (
            ([entry.link for entry in document.entries], [entry.link for entry in seen.entries]),
            ([entry.native_id for entry in document.entries], [entry.native_id for entry in seen.entries]),
        )
    )


def _silent(candidate: Candidate, outcome: Outcome) -> Candidate:
    """With why no document came of it."""
    if isinstance(outcome, Failed) and outcome.cause is Failure.ROBOTS:
        return replace(candidate, error="robots.txt forbids it (fetch.respect_robots)", is_forbidden=True)
    return replace(candidate, error=outcome_words(outcome), is_passing=_is_passing(outcome))


def _is_passing(outcome: Outcome) -> bool:
    """Whether somebody is there who may well answer later, or nobody could be asked."""
    match outcome:
        case Rejected(status=status):
            return status == 429 or status >= 500
        case Failed(cause=cause):
            return cause in (Failure.LATER, Failure.TIMEOUT, Failure.OFFLINE)
    return False


async def _as_feed(body: bytes, content_type: str, url: str) -> FeedDocument | None:
    try:
        return await _off_the_loop(parse_feed, FeedDocument, body, content_type=content_type, url=url)
    except ParseError:
        return None


async def _announced(body: bytes, base_url: str, content_type: str) -> list[FoundFeed]:
    return await _off_the_loop(announced_feeds, list[FoundFeed], body, base_url=base_url, content_type=content_type)


async def _off_the_loop(reader: Callable[..., T], kind: type[T], body: bytes, **given: str) -> T:
    """Small documents are read at once, others where nobody waits."""
    if len(body) <= child_reader.SMALL:
        return reader(body, **given)
    return await asyncio.to_thread(lambda: child_reader.read(reader, kind, body, **given))
