"""Two queues, one for coverage and one for freshness: which part of a list goes to pages seen before.  [G20] §4.2.3."""

from math import floor

from afresh.base.errors import ModelError


def split(places: int, revisit_share: float, *, seen: int, unseen: int, u: float = 0.5) -> tuple[int, int]:
    """Places for seen and for unseen pages. What one queue cannot fill goes to the other, so no place stays empty.

    ``u`` in [0, 1) decides who gets a place that the share divides, so that over many lists the share is met exactly.

    >>> split(10, 0.3, seen=100, unseen=100)
    (3, 7)
    >>> split(10, 0.3, seen=100, unseen=2)
    (8, 2)
    """
    if not 0.0 <= revisit_share <= 1.0:
        raise ModelError(f"a share lies between 0 and 1, got {revisit_share}")
    wanted = floor(places * revisit_share + u) if 0.0 < revisit_share < 1.0 else round(places * revisit_share)
    old = min(wanted, seen)
    new = min(places - old, unseen)
    return min(places - new, seen), new
