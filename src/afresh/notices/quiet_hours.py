"""Quiet hours: a stretch of the day, in somebody's time zone, in which nothing is sent."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from afresh.base.errors import UsageError

_FORM = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})(?:\s+(\S+))?")


@dataclass(frozen=True, slots=True)
class Quiet:
    """From one time of the day to another, past midnight if need be; summer time is heeded."""

    begin: time
    end: time
    zone: ZoneInfo

    def until(self, now: float) -> float:
        """When sending may go on: ``now`` itself outside of the hours.

        >>> night = parse_quiet("22:00-07:00")
        >>> night.until(23 * 3600.0) / 3600, night.until(12 * 3600.0) / 3600
        (31.0, 12.0)
        """
        here = datetime.fromtimestamp(now, self.zone)
        clock = here.time()
        passes_midnight = self.begin > self.end
        is_quiet = clock >= self.begin or clock < self.end if passes_midnight else self.begin <= clock < self.end
        if not is_quiet:
            return now
        day = here.date() + timedelta(days=1 if passes_midnight and clock >= self.begin else 0)
        return max(now, datetime.combine(day, self.end, self.zone).timestamp())


@lru_cache(maxsize=256)
def parse_quiet(text: str) -> Quiet:
    """Quiet hours as written: ``22:00-07:00``, in UTC or with a time zone behind; UsageError says what is wrong."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"not quiet hours: {text!r}; write them like 22:00-07:00 or 22:00-07:00 Europe/Paris")
    try:
        begin, end = time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))
    except ValueError as error:
        raise UsageError(f"no such time of day in {text!r}; hours go from 00:00 to 23:59") from error
    if begin == end:
        raise UsageError(f"quiet hours from {begin:%H:%M} to the same time would never end; drop the notice instead")
    try:
        zone = ZoneInfo(found[5] or "UTC")
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(f"unknown time zone {found[5]!r}; write it like Europe/Paris") from error
    return Quiet(begin, end, zone)
