"""What stands in the same order on both sides: the anchors that two versions of something are compared between."""

from bisect import bisect_left
from collections.abc import Sequence


def ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, ascending by their first, that ascends by their second as well.

    >>> ascending([(0, 5), (1, 2), (2, 3), (3, 9), (4, 4)])
    [(1, 2), (2, 3), (4, 4)]
    """
    tops: list[int] = []  # the smallest end of a run of each length
    ends: list[int] = []  # which pair that is
    before: list[int] = []
    for place, (_, value) in enumerate(pairs):
        length = bisect_left(tops, value)
        before.append(ends[length - 1] if length else -1)
        tops[length : length + 1] = [value]
        ends[length : length + 1] = [place]
    chosen: list[tuple[int, int]] = []
    place = ends[-1] if ends else -1
    while place >= 0:
        chosen.append(pairs[place])
        place = before[place]
    return chosen[::-1]
