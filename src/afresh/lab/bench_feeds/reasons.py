"""Why two readers of feeds find different things in a document, as far as what they found tells."""

import re
from calendar import monthrange

from afresh.lab.bench_feeds.readers import Found

ASPECTS = ("number", "ids", "links", "dates")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+\Z|/")
#: Why dates differ that nobody can have meant.
IMPOSSIBLE = "they make another day of one that cannot be"
_WHOLE_DATE = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?|\s*\Z)")


def reasons(ours: Found, theirs: Found) -> dict[str, str]:
    """By aspect why afresh and another reader ("they") differ; nothing where they agree.

    >>> reasons(Found(("1",), ("",), (None,)), Found(("1",), ("no address",), (None,)))
    {'links': 'they follow an id that is no address'}
    """
    if len(ours.ids) != len(theirs.ids):
        return dict.fromkeys(ASPECTS, _number(len(ours.ids), len(theirs.ids)))
    written = theirs.written or ("",) * len(theirs.dates)
    found = {
        "ids": [_one_or_other(a, b) for a, b in zip(ours.ids, theirs.ids, strict=True) if a != b],
        "links": [_link(a, b) for a, b in zip(ours.links, theirs.links, strict=True) if a != b],
        "dates": [_date(a, b, text) for a, b, text in zip(ours.dates, theirs.dates, written, strict=True) if a != b],
    }
    return {aspect: "; ".join(dict.fromkeys(names)) for aspect, names in found.items() if names}


def _number(ours: int, theirs: int) -> str:
    if not ours or not theirs:
        return "only they find entries" if theirs else "they find no entry"
    return "they find more entries" if theirs > ours else "they find fewer entries"


def _one_or_other(ours: object, theirs: object) -> str:
    if theirs in ("", None):
        return "they find none"
    return "only they find one" if ours in ("", None) else "they find another"


def _link(ours: str, theirs: str) -> str:
    if theirs and not ours and not _ADDRESS.match(theirs):
        return "they follow an id that is no address"
    return _one_or_other(ours, theirs)


def _date(ours: int | None, theirs: int | None, written: str) -> str:
    return IMPOSSIBLE if theirs is not None and is_impossible(written) else _one_or_other(ours, theirs)


def is_impossible(written: str) -> bool:
    """Whether no calendar has such a day, or no clock such a time. By itself: our own reader of dates is on trial here.

    >>> [is_impossible(text) for text in ("2003-06-31", "2003-07-01T25:51:30-05:00", "2004-02-29T23:59:60Z", "7 March")]
    [True, True, False, False]
    """
    found = _WHOLE_DATE.match(written)
    if found is None:
        return False
    year, month, day, hour, minute, second = (int(number or 0) for number in found.groups())
    if not (year and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
        return True
    return hour > 24 or minute > 59 or second > 60  # midnight may be 24:00, and there are leap seconds
