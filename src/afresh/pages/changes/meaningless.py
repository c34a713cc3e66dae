"""Differences that say nothing: today's date, how long ago something was, tokens, a question about cookies.

No history is needed to see them. Names of months and days are taken as any words, so that the language does not matter.
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from afresh.base.difference import Mark, Row, words_of

_NAME = r"[^\W\d_]{2,}\.?"
_DATES = re.compile(
    rf"(?:{_NAME},?\s+)?(?:"
    r"(?P<y1>\d{4})[-/.年]\s?(?P<m1>\d{1,2})[-/.月]\s?(?P<d1>\d{1,2})日?"
    r"|(?P<d2>\d{1,2})[-/.]\s?(?P<m2>\d{1,2})[-/.]\s?(?P<y2>\d{4})"
    rf"|(?P<d3>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:de\s+)?{_NAME}\s+(?:de\s+)?(?P<y3>\d{{4}})"
    rf"|{_NAME}\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y4>\d{{4}})"
    r")(?:[T,\s]+(?:at\s+|um\s+|à\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?(?:\s?(?:Z|UTC|GMT|[A-Z]{3,4}|Uhr))?)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b", re.IGNORECASE)
_UNIT = (
    r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?"
    r"|sekunden?|minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?"
    r"|secondes?|heures?|jours?|semaines?|mois|ans?|segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|años?)"
)
_SOME = r"(?:\d+|an?|eine[rmn]?|une?|un[ao]?)"
_AGO = re.compile(
    rf"\b(?:vor|il y a|hace|há)\s+{_SOME}\s*{_UNIT}\b"
    rf"|\b{_SOME}\s*{_UNIT}\s+(?:ago|atrás)\b|\bjust now\b|\bgerade eben\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_-]{16,}|[0-9a-f]{12,}")
_COOKIES = re.compile(r"\bcookies?\b|\bGDPR\b|\bDSGVO\b|\bRGPD\b", re.IGNORECASE)
_NEAR = timedelta(days=1)  # time zones


def is_passing(row: Row, *, now: float) -> bool:
    """Whether a line differs only by what says nothing."""
    if row.mark is Mark.CHANGED:
        return _masked(row.old, None) == _masked(row.new, datetime.fromtimestamp(now, UTC).date())
    return row.mark in (Mark.ADDED, Mark.REMOVED) and _COOKIES.search(row.old or row.new) is not None


def _masked(line: str, today: date | None) -> str:
    """The line without dates (of today, if one is given), times and tokens."""
    line = _DATES.sub(lambda found: "\0" if today is None or _is_near(found, today) else found[0], line)
    for pattern in (_AGO, _CLOCK, _TOKEN):
        line = pattern.sub("\0", line)
    return line


def _is_near(found: re.Match[str], today: date) -> bool:
    given = {name[0]: int(value) for name, value in found.groupdict().items() if value}
    return any(
        given["y"] == day.year and _fits(given["d"], given.get("m"), day)
        for day in (today - _NEAR, today, today + _NEAR)
    )


def _fits(number: int, month: int | None, day: date) -> bool:
    """Whether it may be that day: which of two numbers is the month differs by country."""
    if month is None:
        return number == day.day
    return sorted((number, month)) == sorted((day.day, day.month))


def says_nothing_new(rows: Iterable[Row]) -> bool:
    """Whether the same words stand elsewhere or in other lines, as after a page was built anew around its text."""
    gone: Counter[str] = Counter()
    come: Counter[str] = Counter()
    for row in rows:
        if row.mark is Mark.CHANGED:
            return False
        if row.mark is Mark.REMOVED:
            gone.update(words_of(row.old))
        elif row.mark is Mark.ADDED:
            come.update(words_of(row.new))
    return gone == come
