"""What is wrong with a body, in words for people: the decoder's own speak of its types and patterns."""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from afresh.base.records.frontier import PageOrder, PageResult, Partitioning, SiteOrder
from afresh.doors.rest.frontier import bodies

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
    r"Object contains unknown field `([^`]+)`": lambda name, _: f"there is no field {name}",
    r"Invalid enum value (.*)": _choices,
}


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
