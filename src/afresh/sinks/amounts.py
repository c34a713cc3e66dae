"""The parameters of a sink's address, as people write them."""

import re

from afresh.base.durations import parse_duration
from afresh.base.errors import UsageError

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", re.IGNORECASE)


def amount(text: str) -> int:
    """
    >>> amount("64MB"), amount("10000"), amount("1.5k")
    (64000000, 10000, 1500)
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or (found := int(float(match[1]) * _UNITS[match[2].lower()])) < 1:
        raise UsageError(f"{text!r} is no amount; write it like 10000 or 64MB")
    return found


def seconds(text: str) -> float:
    """A duration."""
    return parse_duration(text)
