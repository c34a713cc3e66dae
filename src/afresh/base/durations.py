"""Human durations: "90s", "15m", "2h", "1d", "4w"."""

import math
import re

from afresh.base.errors import ModelError

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
#: How a duration is written, for help, reference and errors.
WRITTEN = "like 90s, 15m, 2h, 1d or 1d12h; a number alone is seconds"
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.IGNORECASE)


def parse_duration(text: str) -> float:
    """Seconds of a duration; a bare number is seconds; "inf" is no limit.

    >>> parse_duration("1d12h"), parse_duration("90")
    (129600.0, 90.0)
    """
    stripped = text.strip().lower()
    if stripped in ("inf", "∞", "never"):
        return math.inf
    total, end = 0.0, 0
    for match in _PART.finditer(stripped):
        unit = match[2] or "s"
        if match.start() != end or unit not in UNITS:
            break
        total += float(match[1]) * UNITS[unit]
        end = match.end()
        while end < len(stripped) and stripped[end] == " ":
            end += 1
    if not stripped or end != len(stripped):
        raise ModelError(f"not a duration: {text!r}; write it {WRITTEN}")
    return total


def format_duration(seconds: float) -> str:
    """The shortest usual form, for people.

    >>> format_duration(5400), format_duration(0.25), format_duration(93_600)
    ('1h30m', '250ms', '1d2h')
    """
    if math.isnan(seconds):
        return "?"
    if math.isinf(seconds):
        return "never" if seconds > 0 else "-never"
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    if seconds < 1:
        return f"{sign}{seconds * 1000:.0f}ms"
    if seconds < 10:
        return f"{sign}{seconds:.3g}s"
    whole = round(seconds)
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, secs = divmod(rest, 60)
    if days:
        return f"{sign}{days}d{hours}h" if hours else f"{sign}{days}d"
    if hours:
        return f"{sign}{hours}h{minutes}m" if minutes else f"{sign}{hours}h"
    if minutes:
        return f"{sign}{minutes}m{secs}s" if secs else f"{sign}{minutes}m"
    return f"{sign}{secs}s"
