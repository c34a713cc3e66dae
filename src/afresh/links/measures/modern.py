"""Measures that today's pages need besides those of the thesis: main text, title, sketches, language, template."""

import numpy as np
from rapidfuzz import fuzz

from afresh.links.measures.profile import HASHES, Profile

_TITLE = 300  # characters of a title that count


def main_cosine(a: Profile, b: Profile) -> float:
    """Cosine of the tf-idf vectors of the main texts: rare words of the prose, not navigation."""
    if not a.main_weights or not b.main_weights:
        return float(not a.main_weights and not b.main_weights)
    if a.main_norm == 0.0 or b.main_norm == 0.0:
        return float(a.main_weights == b.main_weights)
    one, other = a.main_weights, b.main_weights
    # Sorted, because the order of a set differs between processes and with it the last digit of a sum.
    dot = sum(one[word] * other[word] for word in sorted(one.keys() & other.keys()))
    return min(1.0, dot / (a.main_norm * b.main_norm))


def minhash(a: Profile, b: Profile) -> float:
    """The measure `shingle`, estimated from 128 hashes: for comparing with versions that are no longer kept."""
    if not len(a.minhash) or not len(b.minhash):
        return float(len(a.minhash) == len(b.minhash))
    return int(np.count_nonzero(a.minhash == b.minhash)) / HASHES


def simhash(a: Profile, b: Profile) -> float:
    """Agreement of two 64-bit sketches; 32 equal bits are chance, so that is 0."""
    if not a.counts or not b.counts:
        return float(not a.counts and not b.counts)
    return max(0.0, 1.0 - (a.simhash ^ b.simhash).bit_count() / 32.0)


def title(a: Profile, b: Profile) -> float:
    """Likeness of the titles, whatever the order of their words; two pages without a title are the same."""
    one, other = " ".join(a.title_words)[:_TITLE], " ".join(b.title_words)[:_TITLE]
    if not one or not other:
        return float(one == other)
    return float(fuzz.token_sort_ratio(one, other)) / 100.0


def canonical(a: Profile, b: Profile) -> float:
    """Whether both name the same canonical address, or neither names one; a half where only one does."""
    one, other = a.page.canonical, b.page.canonical
    if bool(one) != bool(other):
        return 0.5
    return float(one == other)


def language(a: Profile, b: Profile) -> float:
    """Whether the declared languages agree; a half where one is not declared."""
    one, other = (x.page.language.partition("-")[0] for x in (a, b))
    if not one or not other:
        return 1.0 if one == other else 0.5
    return float(one == other)


def length_ratio(a: Profile, b: Profile) -> float:
    """Visible words of the shorter over those of the longer."""
    shorter, longer = sorted((len(a.words), len(b.words)))
    return shorter / longer if longer else 1.0


def boilerplate(a: Profile, b: Profile) -> float:
    """Agreement in the share of the words that are not main text."""
    return 1.0 - abs(_share(a) - _share(b))


def _share(page: Profile) -> float:
    return 1.0 - min(1.0, len(page.main_words) / len(page.words)) if page.words else 0.0
