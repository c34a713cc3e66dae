"""All measures by name and number, and vectors of their values at fixed positions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.links.measures import modern, text, url
from afresh.links.measures.profile import Profile
from afresh.links.measures.sets import contained, jaccard
from afresh.links.measures.shingles import shingle_jaccard, shingle_overlap
from afresh.links.measures.tokens import sequence_similarity


class Family(StrEnum):
    """The four classes of [M03] §4.5, and what came after."""

    URL = "url"
    TEXT = "text"
    LINK = "link"
    STRUCTURE = "structure"
    MODERN = "modern"


@dataclass(frozen=True, slots=True)
class Measure:
    """A similarity of two page versions: 0 to 1, larger is more similar, 1 for a page and itself.

    The first argument is the older version; only the superset measures care.
    """

    number: int  # position in [M03] App. B; modern ones continue from 19
    name: str
    family: Family
    compare: Callable[[Profile, Profile], float]


def _of_part(part: str, likeness: Callable[[Any, Any], float]) -> Callable[[Profile, Profile], float]:
    """Of one part of both versions; where neither has it, they are the same."""
    get = attrgetter(part)
    return lambda a, b: likeness(get(a), get(b))


def _equal(a: object, b: object) -> float:
    return float(a == b)


_U, _T, _L, _S, _M = Family.URL, Family.TEXT, Family.LINK, Family.STRUCTURE, Family.MODERN

#: Every measure; the numbers are those of [M03] App. B and never change.
MEASURES: tuple[Measure, ...] = (
    Measure(1, "levenshtein_raw_text", _T, _of_part("raw_words", sequence_similarity)),  # [M03] eq. 4.7
    Measure(2, "levenshtein_structure", _S, _of_part("tags", sequence_similarity)),  # eq. 4.17
    Measure(3, "levenshtein_text", _T, _of_part("words", sequence_similarity)),  # eq. 4.6
    Measure(4, "simple_raw_text", _T, _of_part("page.raw", _equal)),  # eq. 4.5
    Measure(5, "url", _U, url.url_measure),
    Measure(6, "text_link_bag", _L, _of_part("link_texts", jaccard)),  # eq. 4.14, text sets (errata)
    Measure(7, "text_link", _L, text.text_link),
    Measure(8, "simple_text", _T, _of_part("page.text", _equal)),  # eq. 4.4
    Measure(9, "url_link_bag", _L, _of_part("link_urls", jaccard)),  # eq. 4.13
    Measure(10, "url_link", _L, text.url_link),
    Measure(11, "cosine", _T, text.cosine),
    Measure(12, "euclid", _T, text.euclid),
    Measure(13, "heading", _S, _of_part("headings", sequence_similarity)),  # eq. 4.18, each heading one unit
    # What was added does not count: eq. 4.16, sets for θ(a), and eq. 4.15.
    Measure(14, "url_link_superset", _L, _of_part("link_urls", contained)),
    Measure(15, "text_link_superset", _L, _of_part("link_texts", contained)),
    Measure(16, "url_query", _U, url.url_query_measure),
    Measure(17, "url_query_only", _U, url.url_query_only_measure),
    Measure(18, "word_bag", _T, _of_part("word_set", jaccard)),  # eq. 4.8
    Measure(19, "euclid_normalised", _M, text.euclid_normalised),
    Measure(20, "main_cosine", _M, modern.main_cosine),
    Measure(21, "main_shingle", _M, _of_part("main_shingles", shingle_jaccard)),
    # Of the smaller text: pages that grow or shrink stay near 1.
    Measure(22, "main_overlap", _M, _of_part("main_shingles", shingle_overlap)),
    Measure(23, "shingle", _M, _of_part("shingles", shingle_jaccard)),
    Measure(24, "minhash", _M, modern.minhash),
    Measure(25, "simhash", _M, modern.simhash),
    Measure(26, "title", _M, modern.title),
    Measure(27, "piece_bag", _M, _of_part("piece_set", jaccard)),  # of text nodes
    Measure(28, "heading_bag", _M, _of_part("heading_words", jaccard)),
    Measure(29, "canonical", _M, modern.canonical),
    Measure(30, "language", _M, modern.language),
    Measure(31, "length_ratio", _M, modern.length_ratio),
    Measure(32, "boilerplate", _M, modern.boilerplate),
)

_BY_NAME: Mapping[str, Measure] = {measure.name: measure for measure in MEASURES}

#: Measures of the thesis, in its order.
THESIS: tuple[str, ...] = tuple(m.name for m in MEASURES if m.number <= 18)


def _of(*families: Family) -> tuple[str, ...]:
    return tuple(m.name for m in MEASURES if m.number <= 18 and m.family in families)


#: Combinations of [M03] §5.5; "modern" is everything that does not compare addresses.
COMBINATIONS: Mapping[str, tuple[str, ...]] = {
    "ALL": THESIS,
    "NO-URL": _of(_T, _L, _S),
    "LINK": _of(_L),
    "TEXT": _of(_T),
    "STRUCTURE": _of(_S),
    "MODERN": tuple(m.name for m in MEASURES if m.family is not _U and m.name != "canonical"),
}


def measure(name: str) -> Measure:
    """The measure of that name; ModelError if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ModelError(f"unknown measure {name!r}; there are {', '.join(_BY_NAME)}") from None


def compare_pages(a: Profile, b: Profile, names: Sequence[str]) -> NDArray[np.float64]:
    """The values of the named measures, in that order; ``a`` is the older version."""
    return np.array([measure(name).compare(a, b) for name in names], np.float64)
