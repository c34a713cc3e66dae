"""All measures by name and number, and vectors of their values at fixed positions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.links.measures import links, modern, structure, text, url
from afresh.links.measures.profile import Profile


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


_U, _T, _L, _S, _M = Family.URL, Family.TEXT, Family.LINK, Family.STRUCTURE, Family.MODERN

#: Every measure; the numbers are those of [M03] App. B and never change.
MEASURES: tuple[Measure, ...] = (
    Measure(1, "levenshtein_raw_text", _T, text.levenshtein_raw_text),
    Measure(2, "levenshtein_structure", _S, structure.levenshtein_structure),
    Measure(3, "levenshtein_text", _T, text.levenshtein_text),
    Measure(4, "simple_raw_text", _T, text.simple_raw_text),
    Measure(5, "url", _U, url.url_measure),
    Measure(6, "text_link_bag", _L, links.text_link_bag),
    Measure(7, "text_link", _L, links.text_link),
    Measure(8, "simple_text", _T, text.simple_text),
    Measure(9, "url_link_bag", _L, links.url_link_bag),
    Measure(10, "url_link", _L, links.url_link),
    Measure(11, "cosine", _T, text.cosine),
    Measure(12, "euclid", _T, text.euclid),
    Measure(13, "heading", _S, structure.heading),
    Measure(14, "url_link_superset", _L, links.url_link_superset),
    Measure(15, "text_link_superset", _L, links.text_link_superset),
    Measure(16, "url_query", _U, url.url_query_measure),
    Measure(17, "url_query_only", _U, url.url_query_only_measure),
    Measure(18, "word_bag", _T, text.word_bag),
    Measure(19, "euclid_normalised", _M, text.euclid_normalised),
    Measure(20, "main_cosine", _M, modern.main_cosine),
    Measure(21, "main_shingle", _M, modern.main_shingle),
    Measure(22, "main_overlap", _M, modern.main_overlap),
    Measure(23, "shingle", _M, modern.shingle),
    Measure(24, "minhash", _M, modern.minhash),
    Measure(25, "simhash", _M, modern.simhash),
    Measure(26, "title", _M, modern.title),
    Measure(27, "piece_bag", _M, modern.piece_bag),
    Measure(28, "heading_bag", _M, modern.heading_bag),
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
