"""The times of a frontier's store, for its timekeeper (``base.timekeeping``): how far ahead each of them may lie."""

from dataclasses import replace

from afresh.base.records.frontier_store import FrontierStore
from afresh.base.settings.frontier import FrontierSettings
from afresh.base.settings.sections import Hygiene
from afresh.base.timekeeping import SeenTimes, TimeBounds
from afresh.frontier.kept_settings import read_settings


class FrontierTimes:
    """Implements ``base.store_parts.TimedStore``; the bounds follow what an operator sets meanwhile."""

    def __init__(self, store: FrontierStore, hygiene: Hygiene) -> None:
        self._store, self._hygiene = store, hygiene
        self.get_setting, self.put_setting = store.get_setting, store.put_setting

    def seen_times(self) -> SeenTimes:
        seen = self._store.seen_times()
        return replace(seen, worked=seen.visited)

    def pull_back(self, now: float) -> int:
        return self._store.pull_back(now=now, bounds=self.bounds())

    def resume_pauses(self, now: float, *, since: float) -> None:
        """Nothing: fetchers remember the pauses of their sites themselves."""

    def bounds(self) -> TimeBounds:
        return frontier_bounds(self._hygiene, read_settings(self._store)[0])


def frontier_bounds(hygiene: Hygiene, settings: FrontierSettings) -> TimeBounds:
    """How far ahead anything is ever planned under these settings."""
    return TimeBounds(
        intervals={
            "page": max(
                hygiene.longest_revisit, hygiene.longest_retry, hygiene.second_look, settings.revisit_after or 0.0
            )
        },
        pause=max(hygiene.longest_retry, hygiene.longest_delay),
        delay=settings.default_delay,
        lease=settings.lease_seconds,
    )
