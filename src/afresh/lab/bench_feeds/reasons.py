"""Why two readers of feeds find different things in a document, as far as what they found tells."""

import re

from afresh.lab.bench_feeds.readers import Found
from afresh.parse.dates import parse_date

ASPECTS = ("number", "ids", "links", "dates")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+\Z|/")
_WHOLE_DATE = re.compile(r"\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|\s*\Z)")


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
    if theirs is not None and _WHOLE_DATE.match(written) and parse_date(written) is None:
        return "they make another day of one that cannot be"
    return _one_or_other(ours, theirs)
