"""Scrapy's engine, as far as it has to be known: which requests it works on, and how it is told that there are more."""

import asyncio
from typing import TYPE_CHECKING, Protocol

from scrapy import Request

if TYPE_CHECKING:
    from collections.abc import Container

    from scrapy.crawler import Crawler


class Keeper(Protocol):
    """What the middleware asks of the scheduler."""

    def holds(self, request: Request) -> bool:
        """Whether a request came from the frontier and is worked on."""
        ...

    def say_pause(self, site: str, pause: float) -> None:
        """Tells the frontier what a site asks for."""
        ...


def in_progress(crawler: "Crawler") -> "Container[Request]":
    """The requests the engine works on, until their callbacks' output was taken.

    Scrapy has no signal for that moment: ``response_received`` comes before the callback, ``item_scraped`` with items
    only. Its own slot knows it, whose closing waits for these requests.
    """
    slot = _slot(crawler)
    return () if slot is None else slot.inprogress  # type: ignore[attr-defined]


def wake(crawler: "Crawler") -> None:
    """The engine asks the scheduler now, not at its next heartbeat, which may be five seconds away."""
    slot = _slot(crawler)
    if slot is not None:
        slot.nextcall.schedule()  # type: ignore[attr-defined]


def holds(crawler: "Crawler", request: Request) -> bool:
    """Whether our scheduler has handed out this request; False with another scheduler."""
    keeper = _keeper(crawler)
    return keeper is not None and keeper.holds(request)


def say_pause(crawler: "Crawler", site: str, pause: float) -> None:
    """Tells our scheduler, if there is one."""
    keeper = _keeper(crawler)
    if keeper is not None:
        keeper.say_pause(site, pause)


def _keeper(crawler: "Crawler") -> Keeper | None:
    scheduler = getattr(_slot(crawler), "scheduler", None)
    return scheduler if hasattr(scheduler, "say_pause") else None


def _slot(crawler: "Crawler") -> object | None:
    return getattr(crawler.engine, "_slot", None)


def close_spider(crawler: "Crawler", reason: str) -> None:
    """Closes the spider as soon as what it has begun is done."""
    engine = crawler.engine
    if engine.spider is not None:
        _closing.add(task := asyncio.ensure_future(engine.close_spider_async(reason=reason)))
        task.add_done_callback(_closing.discard)


_closing: set[asyncio.Future[None]] = set()  # the loop itself keeps none of its tasks
