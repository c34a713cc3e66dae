"""Dates of feeds as seconds since 1970 UTC: RFC 822, RFC 3339, and what people write instead.

A date without zone is UTC. None means unusable: no date, not a date, or one before 1970 or after 9999.
"""

import re
from datetime import UTC, date, datetime
from functools import lru_cache

_MAX_LENGTH = 80  # JavaScript writes "Tue Jan 02 2024 03:04:05 GMT+0100 (Central European Standard Time)"
_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
# Minutes east of UTC. RFC 822 names the American ones; the others are what servers write. Ambiguous abbreviations
# have the meaning most feeds give them (IST India, BST Britain, CST and EST America).
_ZONES = {
    "": 0, "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0,
    "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
    "AKST": -540, "AKDT": -480, "HST": -600, "AST": -240, "ADT": -180, "NST": -210, "NDT": -150, "BRT": -180,
    "ART": -180, "BST": 60, "IST": 330, "CET": 60, "CEST": 120, "MET": 60, "MEST": 120, "MEZ": 60, "MESZ": 120,
    "WEST": 60, "EET": 120, "EEST": 180, "MSK": 180, "MSD": 240, "SAST": 120, "PKT": 300, "ICT": 420, "WIB": 420,
    "CCT": 480, "HKT": 480, "SGT": 480, "AWST": 480, "JST": 540, "KST": 540, "ACST": 570, "ACDT": 630,
    "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780, "A": -60, "M": -720, "N": 60, "Y": 720, "ET": -300,
    "AT": -240, "CT": -360, "MT": -420, "PT": -480,
}  # fmt: skip
_ZONE_SECONDS = {name: minutes * 60 for name, minutes in _ZONES.items()}
_ZONE_SECONDS |= {
    f"{sign}{hours:02}{minutes:02}": (hours * 60 + minutes) * (60 if sign == "+" else -60)
    for sign in "+-"
    for hours in range(15)
    for minutes in (0, 30, 45)
}
# Looked up with what stands around them, digits take a fifth of the time of int().
_CLOCK = {f"{mark}{n // 60:02}:{n % 60:02}": 60 * n for n in range(24 * 60) for mark in " T"}
_SECONDS = {f":{n:02}": n for n in range(60)}
_AFTER_BLANK = {f" {zone}": seconds for zone, seconds in _ZONE_SECONDS.items()}
_AFTER_ISO = {f"{zone[:3]}:{zone[3:]}": seconds for zone, seconds in _ZONE_SECONDS.items() if zone[:1] in ("+", "-")}
_AFTER_ISO |= {"Z": 0, "": 0}
_RFC822 = re.compile(
    r"(?:[^\W\d]+\.?,?\s*)?(\d{1,2})[\s-]+([A-Za-z]{3})[a-z]*\.?,?[\s-]+(\d{4}|\d{2})"
    r"(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(?:(?:GMT|UTC)?([+-])(\d{2}):?(\d{2})|([A-Za-z]{0,5}))"
    r"(?:\s*\([^)]*\))?)?\s*\Z",
    re.ASCII,
)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)([.,]\d{1,12})?)?\s?(?:([+-])(\d\d):?(\d\d)|[Zz]|UTC|GMT|)\Z",
    re.ASCII,
)
_LAST = 253_402_300_800.0  # the first second of the year 10000


def parse_date(text: str | None) -> float | None:
    """Seconds since 1970 UTC, or None if the text is no usable date.

    >>> parse_date("Thu, 01 Jan 70 01:00:00 +0100"), parse_date("1970-01-01T00:00:01.5Z"), parse_date("soon")
    (0.0, 1.5, None)
    """
    if not text:
        return None
    text = text.strip()
    length = len(text)
    if length > _MAX_LENGTH:
        return None
    try:
        # Nine of ten dates have one of these two layouts; reading them by position takes a fifth of the time.
        if length > 28 and text[3] == ",":
            of_day = _CLOCK[text[16:22]] + _SECONDS[text[22:25]] - _AFTER_BLANK[text[25:]]
            seconds = _midnight(text[3:16]) + of_day
            return seconds if 0.0 <= seconds < _LAST else None
        if length > 18 and text[10] == "T":
            offset = _AFTER_ISO.get(text[19:])
            if offset is None:  # a fraction of a second
                seconds = _utc(datetime.fromisoformat(text))
            else:
                seconds = _iso_midnight(text[:10]) + _CLOCK[text[10:16]] + _SECONDS[text[16:19]] - offset
            return seconds if 0.0 <= seconds < _LAST else None
    except (ValueError, OverflowError, KeyError):
        pass  # hour 24, a leap second, or no date at all
    return _by_pattern(text)


@lru_cache(maxsize=4096)
def _midnight(day: str) -> float:
    """The start of a day written like ", 07 Sep 2002"."""
    if day[:2] != ", ":
        raise ValueError(day)
    month = _MONTHS.get(day[5:8].lower(), 0)  # 0 is refused below
    return float((date(int(day[9:]), month, int(day[2:4])).toordinal() - _EPOCH) * 86_400)


@lru_cache(maxsize=4096)
def _iso_midnight(day: str) -> float:
    return float((date.fromisoformat(day).toordinal() - _EPOCH) * 86_400)


def _by_pattern(text: str) -> float | None:
    try:
        if match := _RFC822.match(text):
            seconds: float | None = _from_rfc822(match)
        elif match := _ISO.match(text):
            seconds = _from_iso(match)
        else:
            seconds = _rare(text)
    except (ValueError, OverflowError):
        return None
    return seconds if seconds is not None and 0.0 <= seconds < _LAST else None


def _from_rfc822(match: re.Match[str]) -> float | None:
    day, month_name, year_text, hour, minute, second, sign, zone_hours, zone_minutes, zone = match.groups()
    month = _MONTHS.get(month_name.lower())
    if month is None:
        return _patient(match.string)
    year = int(year_text)
    if year < 100:  # RFC 2822 §4.3: 00-49 are 2000-2049
        year += 2000 if year < 50 else 1900
    if sign:
        offset = (int(zone_hours) * 60 + int(zone_minutes)) * (60 if sign == "+" else -60)
    else:
        offset = _ZONE_SECONDS.get((zone or "").upper(), 0)  # RFC 2822 §4.3: an unknown zone is as good as none
    return _seconds(year, month, int(day), int(hour or 0), int(minute or 0), int(second or 0)) - offset


def _from_iso(match: re.Match[str]) -> float:
    year, month, day, hour, minute, second, fraction, sign, zone_hours, zone_minutes = match.groups()
    seconds = _seconds(int(year), int(month), int(day), int(hour), int(minute), int(second or 0))
    if fraction:
        seconds += float("0." + fraction[1:])
    if sign:
        seconds -= (int(zone_hours) * 60 + int(zone_minutes)) * (60 if sign == "+" else -60)
    return seconds


def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int) -> float:
    # Hour 24 is the end of a day and second 60 a leap second; what lies beyond is no time.
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
        raise ValueError("not a time of day")
    return float((date(year, month, day).toordinal() - _EPOCH) * 86_400 + hour * 3600 + minute * 60 + second)


@lru_cache(maxsize=4096)
def _rare(text: str) -> float | None:
    """A rare form by way of one of the standards, or by guessing."""
    from afresh.parse.rare_dates import is_nonsense, rewritten  # noqa: PLC0415 (rare)

    if is_nonsense(text):
        return None
    known = rewritten(text)
    if known is not None:
        if match := _RFC822.match(known):
            return _from_rfc822(match)
        if match := _ISO.match(known):
            return _from_iso(match)
    return _patient(known or text)


@lru_cache(maxsize=4096)
def _patient(text: str) -> float | None:
    """What neither standard describes: ISO short forms, asctime, then whatever dateutil understands."""
    try:
        return _utc(datetime.fromisoformat(text))
    except ValueError:
        pass
    if not any(c.isdigit() for c in text):
        return None
    try:
        loose = _loosely(text)
    except (ValueError, OverflowError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError):
        loose = None
    if loose is not None:
        return loose
    from email.utils import parsedate_tz  # noqa: PLC0415 (most documents have no such date)

    fields = parsedate_tz(text)
    if fields is None:
        return None
    year, month, day, hour, minute, second = fields[:6]
    return _seconds(year, month, day, hour, minute, second) - (fields[9] or 0)


def _loosely(text: str) -> float | None:
    from dateutil import parser as dateutil  # noqa: PLC0415 (a tenth of a second, and most documents have no such date)

    # dateutil fills what is missing from "today"; two different defaults tell whether the text was a whole date.
    first = dateutil.parse(text, default=datetime(1972, 1, 1), tzinfos=_zone)  # noqa: DTZ001
    second = dateutil.parse(text, default=datetime(1976, 2, 2), tzinfos=_zone)  # noqa: DTZ001
    return _utc(first) if first == second else None


def _zone(name: str | None, offset: int | None) -> int:
    return offset if offset is not None else _ZONE_SECONDS.get((name or "").upper(), 0)


def _utc(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
