"""The way to the web of the settings. Apart from the daemon, so that a command that only fetches starts quickly."""

from afresh.base.clock import SystemClock
from afresh.base.protocols import Fetcher
from afresh.base.settings import Settings
from afresh.http.client import AiohttpFetcher
from afresh.http.health import HealthFetcher, NetworkHealth
from afresh.http.robots import RobotsCache, RobotsFetcher


def make_fetcher(settings: Settings) -> Fetcher:
    """The way to the web: limits and guard, a sense for our own outages, robots.txt where it counts for feeds."""
    clock = SystemClock()
    fetcher: Fetcher = HealthFetcher(
        AiohttpFetcher(settings.fetch, clock=clock, hop_pause=settings.politeness.delay), NetworkHealth(), clock=clock
    )
    if settings.fetch.respect_robots_for_feeds:
        return robots_fetcher(fetcher, settings)
    return robots_fetcher(fetcher, settings, only_crawls=True) if settings.fetch.respect_robots else fetcher


def robots_fetcher(fetcher: Fetcher, settings: Settings, *, only_crawls: bool = False) -> Fetcher:
    """The same way to the web, heeding robots.txt; with ``only_crawls``, for what nobody asked for by name alone."""
    clock = SystemClock()
    cache = RobotsCache(fetcher, clock=clock, agent=settings.fetch.user_agent.partition("/")[0])
    return RobotsFetcher(fetcher, cache, clock=clock, delay=settings.politeness.delay, only_crawls=only_crawls)
