"""Sites that were blocked lately, for fetchers that hold one: kept as a setting, so that every process tells them."""

import json
from typing import NamedTuple

from afresh.base.records.frontier_store import FrontierStore

_SETTING = "frontier.blocked_lately"
_KEPT = 86_400.0  # seconds: no list is out for longer
_MOST = 1_000
_RECALL = 8.0  # seconds in which a fetcher that is asked back has heard of it: it asks every five


class _Block(NamedTuple):
    crawl: str
    site: str
    until: float
    at: float


class Blocks:
    """Written when an operator blocks a site, read by fetchers now and then. Calls of the store."""

    def __init__(self, store: FrontierStore) -> None:
        self._store = store

    def note(self, crawl: str, site: str, until: float, *, now: float) -> None:
        """``until`` in the past takes it back."""
        with self._store.batch():
            others = [one for one in self._current(now) if (one.crawl, one.site) != (crawl, site)]
            blocks = [*others, *([_Block(crawl, site, until, now)] if until > now else [])]
            self._store.put_setting(_SETTING, json.dumps(blocks[-_MOST:]))

    def recall(self, crawl: str, site: str, *, now: float) -> None:
        """Whoever holds a list of the site gives its rest back, and has it again under what holds now."""
        if site not in self.lately(crawl, now=now):
            self.note(crawl, site, now + _RECALL, now=now)

    def lately(self, crawl: str, *, now: float) -> list[str]:
        """Names of sites that nobody shall ask now."""
        return [one.site for one in self._current(now) if one.crawl == crawl]

    def _current(self, now: float) -> list[_Block]:
        found = [_Block(*one) for one in json.loads(self._store.get_setting(_SETTING) or "[]")]
        return [one for one in found if one.until > now and now - one.at < _KEPT]
