"""Measures of the words and the links of two documents.  [M03] §4.5.2, §4.5.3, Table 4.2."""

import math

from afresh.links.measures.profile import Profile


def cosine(a: Profile, b: Profile) -> float:
    """Cosine of the word counts.  [M03] eq. 4.9 printed 1 - |cos|, which breaks the orientation of all others."""
    if not a.counts or not b.counts:
        return float(not a.counts and not b.counts)
    return min(1.0, _dot(a, b) / (a.norm * b.norm))


def euclid(a: Profile, b: Profile) -> float:
    """exp of minus the Euclidean distance of the word counts.  [M03] eq. 4.10: near 0 after a few changed words."""
    return math.exp(-math.sqrt(_squared_distance(a, b)))


def euclid_normalised(a: Profile, b: Profile) -> float:
    """The same with vectors of length one, so that long pages are not punished for their length."""
    if a.norm == 0.0 or b.norm == 0.0:
        return float(a.norm == b.norm)
    return math.exp(-math.sqrt(max(0.0, 2.0 - 2.0 * cosine(a, b))))


def url_link(a: Profile, b: Profile) -> float:
    """Share of positions with the same link address, in order.  [M03] eq. 4.11, sum to min - 1 (errata)."""
    return _in_place([link.url for link in a.page.links], [link.url for link in b.page.links])


def text_link(a: Profile, b: Profile) -> float:
    """Share of positions with the same link text, in order.  [M03] eq. 4.12."""
    return _in_place([link.text for link in a.page.links], [link.text for link in b.page.links])


def _squared_distance(a: Profile, b: Profile) -> int:
    return round(a.norm**2) + round(b.norm**2) - 2 * _dot(a, b)


def _dot(a: Profile, b: Profile) -> int:
    one, other = a.counts, b.counts
    return sum(one[word] * other[word] for word in one.keys() & other.keys())


def _in_place(a: list[str], b: list[str]) -> float:
    longest = max(len(a), len(b))
    if not longest:
        return 1.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / longest
