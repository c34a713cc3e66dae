"""What a project's settings.py says to afresh."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.errors import ConfigError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

_DELAY = 1.0  # seconds
_LEASE = 60.0  # seconds
_AT_ONCE = 100  # requests, where Scrapy has no bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Read once, when the spider is opened."""

    frontier: str  # AFRESH_FRONTIER: a file, or postgresql://…
    crawl: str  # AFRESH_CRAWL: processes of the same name share a crawl; the spider's name
    pause: float  # AFRESH_DELAY: seconds between two requests to a site; DOWNLOAD_DELAY if that is longer
    lease: float  # AFRESH_LEASE: seconds after which the requests of a process that was killed are handed out again
    revisits: bool  # AFRESH_REVISIT: pages are due again when they have probably changed
    settings: dict[str, object]  # AFRESH_SETTINGS: of afresh, by name
    at_once: int  # CONCURRENT_REQUESTS
    newest_first: bool  # by SCHEDULER_DISK_QUEUE
    start_apart: bool  # by SCHEDULER_START_DISK_QUEUE


def read_options(crawler: "Crawler") -> Options:
    """The options of a crawler; ConfigError names what cannot be used."""
    given = crawler.settings
    spider = crawler.spider
    return Options(
        frontier=str(given.get("AFRESH_FRONTIER", "frontier.db")),
        crawl=str(given.get("AFRESH_CRAWL") or (spider.name if spider else "scrapy")),
        pause=pause_of(given),
        lease=_seconds(given, "AFRESH_LEASE", _LEASE, least=1.0),
        revisits=given.getbool("AFRESH_REVISIT"),
        settings=dict(given.getdict("AFRESH_SETTINGS")),
        at_once=given.getint("CONCURRENT_REQUESTS") or _AT_ONCE,
        newest_first="fifo" not in str(given.get("SCHEDULER_DISK_QUEUE")).lower(),
        start_apart=bool(given.get("SCHEDULER_START_DISK_QUEUE")),
    )


def pause_of(given: "BaseSettings") -> float:
    """Seconds between two requests to a site; AFRESH_DELAY or DOWNLOAD_DELAY, whichever is longer."""
    own = given.getfloat("DOWNLOAD_DELAY")
    return max(own, _seconds(given, "AFRESH_DELAY", own or _DELAY, least=0.0))


def _seconds(given: "BaseSettings", name: str, default: float, *, least: float) -> float:
    try:
        seconds = float(given.get(name, default))
    except (TypeError, ValueError):
        seconds = -1.0
    if not least <= seconds < 1e9:
        raise ConfigError(f"{name} = {given.get(name)!r}: a number of seconds, {least:g} or more", option=name)
    return seconds
