"""Whose turn it is at a site, within one Scrapy process: one request at a time, and a pause after each.

Between processes the frontier sees to it. This is for what does not come from there: robots.txt, files that pipelines
fetch, requests that cannot be kept.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_MOST = 50_000  # sites remembered that need not be


@dataclass(slots=True)
class _Site:
    free: float = 0.0  # when it may be asked again, by the clock of ``time.monotonic``
    pause: float | None = None  # its own
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Turns:
    """Sites and when they may be asked. ``pause``: seconds after a request to a site that asks for no other."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.is_kept = False  # whether somebody takes turns here
        self._sites: dict[str, _Site] = {}

    def rest(self, site: str) -> float:
        """Seconds until a site may be asked again, as far as this process knows."""
        known = self._sites.get(site)
        return 0.0 if known is None else max(0.0, known.free - time.monotonic())

    async def take(self, site: str) -> None:
        """Returns when it is the caller's turn, which lasts until it leaves."""
        known = self._site(site)
        await known.turn.acquire()
        try:
            while (wait := known.free - time.monotonic()) > 0.0:
                await asyncio.sleep(wait)
        except BaseException:
            known.turn.release()
            raise

    def leave(self, site: str, *, wish: float = 0.0) -> None:
        """A request has ended; ``wish``: seconds for which the site wants to be left alone."""
        known = self._site(site)
        known.free = time.monotonic() + max(self.pause if known.pause is None else known.pause, wish)
        known.turn.release()

    def slow_down(self, site: str, pause: float) -> bool:
        """The site asks for a longer pause, from the last request on; False: that is none, or known."""
        known = self._site(site)
        before = self.pause if known.pause is None else known.pause
        if pause <= before:
            return False
        known.free += pause - before
        known.pause = pause
        return True

    def _site(self, name: str) -> _Site:
        known = self._sites.get(name)
        if known is None:
            if len(self._sites) >= _MOST:
                self._forget()
            known = self._sites[name] = _Site()
        return known

    def _forget(self) -> None:
        now = time.monotonic()
        self._sites = {
            name: one
            for name, one in self._sites.items()
            if one.free > now or one.pause is not None or one.turn.locked()
        }


_of: "WeakKeyDictionary[Crawler, Turns]" = WeakKeyDictionary()


def turns_of(crawler: "Crawler", pause: float) -> Turns:
    """The turns of a crawler, which its scheduler and its middleware share."""
    return _of.setdefault(crawler, Turns(pause))
