"""The times of a daemon's store, for its timekeeper (``base.timekeeping``): how far ahead each kind of them may lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from afresh.base.models import Kind
from afresh.base.politeness import Manners
from afresh.base.settings import Settings
from afresh.base.timekeeping import TimeBounds

if TYPE_CHECKING:
    from afresh.base.protocols import Store


class WatchedTimes:
    """Implements ``base.store_parts.TimedStore``; ``leave_alone`` is told which site is not asked before when."""

    def __init__(self, store: Store, settings: Settings, *, leave_alone: Callable[[str, float], None]) -> None:
        self._times, self._settings, self._leave_alone = store.times, settings, leave_alone
        self.seen_times = store.times.seen_times
        self.get_setting, self.put_setting = store.get_setting, store.put_setting

    def bounds(self) -> TimeBounds:
        """How far ahead anything is ever planned under the settings."""
        settings = self._settings
        return TimeBounds(
            intervals={
                Kind.FEED: max(settings.predict.longest, settings.push.safety),
                Kind.PAGE: settings.revisit.longest,
                Kind.SITEMAP: max(settings.revisit.longest, settings.revisit.sitemap_every),
                Kind.LINK: settings.links.longest,
            },
            trouble=max(settings.errors.longest_wait, settings.politeness.retry_after_cap),
            pause=max(settings.politeness.retry_after_cap, Manners().backoff_cap),
            delay=settings.politeness.delay,
            lease=settings.loop.lease,
            delivery=settings.notices.longest_wait,
        )

    def resume_pauses(self, now: float, *, since: float) -> None:
        """In memory only: if the clock is wrong, the store shall not bear it."""
        bounds = self.bounds()
        for site, until in self._times.unfinished_pauses(since=since):
            self._leave_alone(site, now + min(max(bounds.pause, bounds.lease), until - since))

    def pull_back(self, now: float) -> int:
        return self._times.pull_back(now=now, bounds=self.bounds())
