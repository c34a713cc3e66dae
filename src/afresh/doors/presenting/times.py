"""Times as people and JSON write them."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

from afresh.base.durations import format_duration
from afresh.base.iso_times import from_iso

_EARLIEST = -62_135_596_800.0  # year 1
_LATEST = 253_402_300_799.0  # end of year 9999


def iso(seconds: float | None) -> str | None:
    """ISO 8601 in UTC with milliseconds; None for no time or one no calendar can show.

    >>> iso(0.25), iso(float("inf"))
    ('1970-01-01T00:00:00.250Z', None)
    """
    if seconds is None or not math.isfinite(seconds) or not _EARLIEST <= seconds <= _LATEST:
        return None
    # Whole milliseconds, downwards: rounding must not carry past the last second of the calendar.
    minute, rest = divmod(math.floor(seconds * 1000), 60_000)
    return f"{_minute(minute)}{_SECONDS[rest // 1000]}.{rest % 1000:03d}Z"


_SECONDS = tuple(f"{second:02d}" for second in range(60))


@lru_cache(maxsize=65_536)
def _minute(number: int) -> str:
    """Date, hour and minute; lists of a frontier hold a thousand times each, most of them of the same few days."""
    return datetime.fromtimestamp(60 * number, UTC).isoformat()[:17]


def own_zone() -> tzinfo:
    """Of the person at this machine."""
    return datetime.now(UTC).astimezone().tzinfo or UTC


def plain(text: str | None) -> str:
    """One of our own ISO times for people, in UTC.

    >>> plain("2026-01-31T12:00:00.000Z"), plain(None)
    ('2026-01-31 12:00:00', 'never')
    """
    return "never" if text is None else text[:19].replace("T", " ")


def finite(number: float | None) -> float | None:
    """The number, or None where JSON has no word for it."""
    return number if number is not None and math.isfinite(number) else None


def relative(seconds: float | None, now: float) -> str:
    """How far away a time is, in words.

    >>> relative(90.0, 0.0), relative(0.0, 90.0), relative(None, 0.0), relative(10.2, 10.0)
    ('in 1m30s', '1m30s ago', 'never', 'now')
    """
    if seconds is None or not math.isfinite(seconds):
        return "never"
    distance = seconds - now
    if abs(distance) < 1:
        return "now"
    words = format_duration(math.floor(abs(distance)))
    return f"in {words}" if distance > 0 else f"{words} ago"


def upcoming(seconds: float | None, now: float) -> str:
    """When a visit comes, in words; one that is late is not said to lie behind.

    >>> upcoming(90.0, 0.0), upcoming(0.0, 90.0), upcoming(None, 0.0)
    ('in 1m30s', 'due for 1m30s', 'not planned')
    """
    if seconds is None or not math.isfinite(seconds):
        return "not planned"
    return relative(seconds, now) if seconds > now - 1 else f"due for {format_duration(math.floor(now - seconds))}"


def both_zones(text: str | None, zone: tzinfo | None = None) -> str:
    """One of our own ISO times in UTC and, where the clock of the reader shows another, in that zone.

    >>> from datetime import timedelta, timezone
    >>> both_zones("2026-01-31T23:30:00.000Z", timezone(timedelta(hours=1)))
    '2026-01-31 23:30:00 UTC (Sun 00:30 here)'
    >>> both_zones("2026-01-31T12:00:00.000Z", UTC), both_zones(None)
    ('2026-01-31 12:00:00 UTC', 'never')
    """
    if text is None:
        return "never"
    there = datetime.fromisoformat(text).astimezone(zone)
    if not there.utcoffset():
        return f"{plain(text)} UTC"
    day = "" if there.date().isoformat() == text[:10] else f"{there:%a} "
    return f"{plain(text)} UTC ({day}{there:%H:%M} here)"


def numbers(named: Mapping[str, float]) -> dict[str, float | None]:
    """Numbers by name, as far as JSON has words for them."""
    return {name: finite(float(value)) for name, value in named.items()}


def ago(text: str | None, now: float) -> str:
    """How far away one of our own ISO times is."""
    return relative(from_iso(text), now)
