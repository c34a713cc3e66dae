"""Values people give: which are accepted. Every door asks here, so every door refuses the same in the same words."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.models import Bounds, Kind
from afresh.base.settings import Settings
from afresh.http.guard import Guard
from afresh.parse.url import plain_parts

LONGEST_INTERVAL = 315_360_000.0  # seconds: ten years
LARGEST_WEIGHT = 1e9
LONGEST_TEXT = 1_000  # characters of a title or folder
LONGEST_NOTE = 10_000
LONGEST_TAG = 200
MOST_TAGS = 50
#: whose bounds hold for a resource of a kind that has none of its own
_SECTIONS = {Kind.FEED: "predict", Kind.PAGE: "revisit", Kind.SITEMAP: "revisit", Kind.LINK: "links"}


def check(values: Mapping[str, Any]) -> None:
    """Raises for the first value that a resource cannot have; whether bounds fit each other, ``check_bounds`` says."""
    for name, value in values.items():
        _CHECKS[name](name, value)


def check_each(name: str, values: Sequence[Any]) -> None:
    """Raises for the first of many values of one name that a resource cannot have."""
    check_one = _CHECKS[name]
    if check_one is _text and _all_fit(values, _most(name)):
        return
    for value in dict.fromkeys(values):
        check_one(name, value)


def check_bounds(shortest: float | None, longest: float | None, *, kind: Kind, settings: Settings) -> None:
    """Refuses a shortest interval that is longer than the longest; None: what the settings have for the kind."""
    section = _SECTIONS[kind]
    usual: Bounds = getattr(settings, section).bounds
    low, high = usual.shortest if shortest is None else shortest, usual.longest if longest is None else longest
    if (shortest is None and longest is None) or low <= high:
        return
    words = f"the shortest interval, {format_duration(low)}, is longer than the longest, {format_duration(high)}"
    if shortest is not None and longest is not None:
        raise UsageError(f"{words}; change one of them")
    name = "longest" if longest is None else "shortest"
    raise UsageError(f"{words} ({section}.{name}); give its own --{name} as well, or change {section}.{name}")


def check_address(url: str, guard: Guard) -> None:
    """Refuses a canonical URL whose address or port no request may go to; names are judged when they are resolved."""
    if (plain := plain_parts(url)) is not None and plain[2] is None:
        return  # a name and the usual port, as nearly always
    parts = urlsplit(url)
    guard.check_host(parts.hostname or "")
    guard.check_port(parts.port or (443 if parts.scheme == "https" else 80))


def check_tag(tag: str) -> None:
    if not tag or len(tag) > LONGEST_TAG:
        raise UsageError(f"a tag has 1 to {LONGEST_TAG} characters, not {len(tag):,}")
    _storable("a tag", tag)


def tag_scope(tag: str) -> str:
    """What holds for all that bear a tag; raises UsageError for what is no tag."""
    check_tag(tag)
    return f"tag:{tag}"


def _tags(_: str, tags: tuple[str, ...]) -> None:
    if len(tags) > MOST_TAGS:
        raise UsageError(f"{len(tags):,} tags; a resource has at most {MOST_TAGS}")
    for tag in tags:
        check_tag(tag)


def _most(name: str) -> int:
    return LONGEST_NOTE if name == "note" else LONGEST_TEXT


def _text(name: str, text: str) -> None:
    most = _most(name)
    if len(text) > most:
        raise UsageError(f"a {name} of {len(text):,} characters; at most {most:,} are kept")
    _storable(f"a {name}", text)


def _storable(what: str, text: str) -> None:
    if text != _cleaned(text):
        raise UsageError(f"{what} contains what no store can keep: the character NUL, or half of a character")


def _cleaned(text: str) -> str:
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def fitting(text: str, most: int = LONGEST_TEXT) -> str:
    """The text of a document as a title, folder or note: cut and cleaned, where a person's would be refused."""
    return _cleaned(text)[:most] if text else text


def fitting_all(texts: Sequence[str], most: int = LONGEST_TEXT) -> Sequence[str]:
    """The same for each of many texts."""
    return texts if _all_fit(texts, most) else [fitting(text, most) for text in texts]


def _all_fit(texts: Sequence[str], most: int) -> bool:
    """Whether none of many texts has to be changed to be kept, as nearly always: one look at all takes no time."""
    whole = "".join(texts)
    return whole == _cleaned(whole) and max(map(len, texts), default=0) <= most


@lru_cache(maxsize=4_096)  # the same few again and again
def fitting_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of a document, as far as a resource can have them."""
    cleaned = [_cleaned(tag)[:LONGEST_TAG] for tag in tags]
    return tuple(dict.fromkeys([tag for tag in cleaned if tag]))[:MOST_TAGS]


def _weight(name: str, weight: float) -> None:
    if not 0 < weight <= LARGEST_WEIGHT:  # not a number compares false, too
        raise UsageError(f"{name} must be a number above 0, at most {LARGEST_WEIGHT:,.0f}, not {weight:g}")


def _interval(name: str, seconds: float | None) -> None:
    if seconds is None:
        return
    if not 0 < seconds <= LONGEST_INTERVAL:
        shown = format_duration(seconds) if math.isfinite(seconds) else f"{seconds}"
        raise UsageError(f"{name} must be an interval above 0, at most ten years, not {shown}")


def _rule(_: str, rule: str | None) -> None:
    if rule is not None:
        from afresh.feeds.rules import load  # noqa: PLC0415 (few say which)

        load(rule)  # an unknown rule is better refused now than at the next visit


def _kind(_: str, kind: Kind) -> None:
    if kind not in (Kind.PAGE, Kind.LINK):
        raise UsageError(f"nothing can become a {kind}; a page can become a link, a link a page")


_CHECKS: Mapping[str, Callable[[str, Any], None]] = {
    "kind": _kind,
    "title": _text,
    "folder": _text,
    "note": _text,
    "tags": _tags,
    "weight": _weight,
    "rule": _rule,
    "pinned": _interval,
    "shortest": _interval,
    "longest": _interval,
    "standard": _interval,
}
