"""Measures of what the documents say.  [M03] §4.5.2."""

import math

from afresh.links.measures.profile import Profile
from afresh.links.measures.sets import jaccard
from afresh.links.measures.tokens import sequence_similarity


def simple_text(a: Profile, b: Profile) -> float:
    """Equality of the visible text.  [M03] eq. 4.4."""
    return float(a.page.text == b.page.text)


def simple_raw_text(a: Profile, b: Profile) -> float:
    """Equality of the documents as transferred.  [M03] eq. 4.5."""
    return float(a.page.raw == b.page.raw)


def levenshtein_text(a: Profile, b: Profile) -> float:
    """Edit distance of the words of the visible text.  [M03] eq. 4.6."""
    return sequence_similarity(a.words, b.words)


def levenshtein_raw_text(a: Profile, b: Profile) -> float:
    """Edit distance of the words of the source.  [M03] eq. 4.7."""
    return sequence_similarity(a.raw_words, b.raw_words)


def word_bag(a: Profile, b: Profile) -> float:
    """Jaccard coefficient of the sets of words.  [M03] eq. 4.8."""
    return jaccard(a.word_set, b.word_set)


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


def _squared_distance(a: Profile, b: Profile) -> int:
    return round(a.norm**2) + round(b.norm**2) - 2 * _dot(a, b)


def _dot(a: Profile, b: Profile) -> int:
    one, other = a.counts, b.counts
    return sum(one[word] * other[word] for word in one.keys() & other.keys())
