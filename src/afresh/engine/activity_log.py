"""A line now and then of what a daemon does: failures have one each, and what goes well would look like nothing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from afresh.base.plain_numbers import counted

if TYPE_CHECKING:
    from afresh.base.models import Report

log = logging.getLogger("afresh.loop")

_EVERY = 60.0  # seconds


class ActivityLog:
    """What visits came to since the last line.

    >>> ActivityLog().words()
    '0 visits, 0 new entries'
    """

    def __init__(self) -> None:
        self._since = 0.0
        self._visits = self._entries = self._failed = self._put_off = 0

    def note(self, report: Report) -> None:
        if report.visit.was_kept_back:  # no server has seen it
            self._put_off += 1
            return
        self._visits += 1
        self._entries += len(report.entries)
        self._failed += not report.visit.result.is_success

    def say(self, now: float, *, is_last: bool = False) -> None:
        """A line, if there is something to say and the last one is long enough ago."""
        if not self._since:
            self._since = now
        if not (self._visits or self._put_off) or (now - self._since < _EVERY and not is_last):
            return
        log.info(self.words())
        self._since = now
        self._visits = self._entries = self._failed = self._put_off = 0

    def words(self) -> str:
        failed = f", {self._failed:,} failed" if self._failed else ""
        failed += f", {self._put_off:,} put off" if self._put_off else ""
        entries = counted(self._entries, "new entry", "new entries")
        return f"{counted(self._visits, 'visit')}, {entries}{failed}"
