"""What is wrong with a body, in words for people: the decoder's own speak of its types and patterns."""

import re
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
    "long_term_prio_mode": SiteOrder,
    "short_term_prio_mode": PageOrder,
    "long_term_part_mode": Partitioning,
    "result": PageResult,
}
_BOUNDS: Final = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `(\w+)` of length ([<>]=) (\d+)")
_SIZE = re.compile(r"Expected `\w+` ([<>]=?) (\S+)")
_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]+)`")
_ENUM = re.compile(r"Invalid enum value (.*)")


def in_words(text: str, field: str) -> str:
    """What the decoder says about a field.

    >>> in_words("Expected `int | null`, got `str`", "amount"), in_words("Expected `int` >= 0", "amount")
    ('a whole number or null is expected, not text', 'at least 0 is expected')
    """
    if found := _TYPE.fullmatch(text):
        return f"{_kinds(found[1])} is expected, not {_kinds(found[2])}"
    if found := _LENGTH.fullmatch(text):
        return f"{_BOUNDS[found[2]]} {int(found[3]):,} {'characters' if found[1] == 'str' else 'items'} are expected"
    if found := _SIZE.fullmatch(text):
        return f"{_BOUNDS[found[1]]} {found[2].removesuffix('.0')} is expected"
    if found := _MISSING.fullmatch(text):
        return f"{found[1]} is missing"
    if found := _UNKNOWN.fullmatch(text):
        return f"there is no field {found[1]}"
    if found := _ENUM.fullmatch(text):
        return f"{found[1]} is none of: {', '.join(_CHOICES[field])}" if field in _CHOICES else f"{found[1]} is unknown"
    pattern = next((words for pattern, words in bodies.PATTERNS.items() if repr(pattern) in text), "")
    return f"{pattern} is expected" if pattern else text.replace("`", "")


def _kinds(names: str) -> str:
    return " or ".join(_KINDS.get(name, name) for name in names.split(" | "))
