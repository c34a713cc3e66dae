"""What is wrong with a body, in words for people: the decoder's own speak of its types and patterns."""

import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, get_args

from msgspec import Struct
from msgspec.structs import fields

from afresh.base.records.frontier import PageOrder, PageResult, Partitioning, SiteOrder
from afresh.doors.rest.frontier import bodies
from afresh.doors.rest.near_names import meant, shown

_KINDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "uuid": "a UUID",
    "datetime": "a time",
}
_CHOICES: Final[dict[str, type[StrEnum]]] = {
    "site_order": SiteOrder,
    "page_order": PageOrder,
    "partitioning": Partitioning,
    "long_term_prio_mode": SiteOrder,
    "short_term_prio_mode": PageOrder,
    "long_term_part_mode": Partitioning,
    "result": PageResult,
}
_BOUNDS: Final = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}


def _kinds(names: str) -> str:
    return " or ".join(_KINDS.get(name, name) for name in names.split(" | "))


def _choices(value: str, field: str) -> str:
    return f"{value} is none of: {', '.join(_CHOICES[field])}" if field in _CHOICES else f"{value} is unknown"


#: What the decoder says, and how people say it; the last word is the field's name.
_SAID: Final[dict[str, Callable[..., str]]] = {
    r"Expected `([^`]+)`, got `([^`]+)`": lambda want, got, _: f"{_kinds(want)} is expected, not {_kinds(got)}",
    r"Expected `(\w+)` of length ([<>]=) (\d+)": lambda kind, sign, count, _: (
        f"{_BOUNDS[sign]} {int(count):,} {'characters' if kind == 'str' else 'items'} are expected"
    ),
    r"Expected `\w+` ([<>]=?) (\S+)": lambda sign, limit, _: f"{_BOUNDS[sign]} {limit.removesuffix('.0')} is expected",
    r"Object missing required field `([^`]+)`": lambda name, _: f"{name} is missing",
    r"Invalid enum value (.*)": _choices,
}


_UNKNOWN: Final = re.compile(r"Object contains unknown field `([^`]+)`")


def unknown_field(text: str, body: Any, place: str) -> str:
    """What to say of a field that is not known at this place of a body of that type (``body.urls[...]``).

    Empty: it is something else that the decoder says.
    """
    found = _UNKNOWN.fullmatch(text)
    if found is None:
        return ""
    known = _known(body, re.findall(r"\.(\w+)", place))
    return f"there is no field {shown(found[1])}{f'; {meant(found[1], known)}' if known else ''}"


def _known(body: Any, path: Iterable[str]) -> frozenset[str]:
    """The names at the end of a path into a body; none where it cannot be followed."""
    structs = list(_structs(body))
    for part in path:
        inner = [one.type for struct in structs for one in fields(struct) if one.encode_name == part]
        structs = [struct for kind in inner for struct in _structs(kind)]
    return frozenset(one.encode_name for struct in structs for one in fields(struct))


def _structs(kind: Any) -> Iterator[type[Struct]]:
    """The structures among what a type allows: lists of them, or none."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield kind
    for inner in get_args(kind):
        yield from _structs(inner)


def in_words(text: str, field: str) -> str:
    """What the decoder says about a field.

    >>> in_words("Expected `int | null`, got `str`", "amount"), in_words("Expected `int` >= 0", "amount")
    ('a whole number or null is expected, not text', 'at least 0 is expected')
    """
    for said, words in _SAID.items():
        if found := re.fullmatch(said, text):
            return words(*found.groups(), field)
    pattern = next((words for pattern, words in bodies.PATTERNS.items() if repr(pattern) in text), "")
    return f"{pattern} is expected" if pattern else text.replace("`", "")
