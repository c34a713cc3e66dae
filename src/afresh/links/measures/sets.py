"""How much two sets have in common."""

from collections.abc import Hashable
from collections.abc import Set as AbstractSet


def jaccard(a: AbstractSet[Hashable], b: AbstractSet[Hashable]) -> float:
    """Common over all; two empty sets are the same.

    >>> jaccard({1, 2, 3}, {2, 3, 4})
    0.5
    """
    if not a and not b:
        return 1.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)


def contained(a: AbstractSet[Hashable], b: AbstractSet[Hashable]) -> float:
    """Which part of ``a`` is in ``b``; nothing is in everything."""
    return len(a & b) / len(a) if a else 1.0
