"""What the example database is drawn from: PageRanks, crawl delays, top-level domains, names.  [G20] §7.1.5, App. D."""

import csv
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: [G20] Table 20: last rank of a bucket, smallest and largest PageRank in it
PAGERANK_BUCKETS = (
    (10, 8.0, 10.0),
    (100, 4.0, 8.0),
    (1_000, 2.0, 4.0),
    (10_000, 1.0, 2.0),
    (100_000, 0.2, 1.0),
    (1_000_000, 0.01, 0.2),
    (10_000_000, 0.001, 0.01),
    (100_000_000, 0.0001, 0.001),
    (1_000_000_000, 0.00001, 0.0001),
    (60_000_000_000, 0.000001, 0.00001),
)

#: seconds: weight; None: the site states no delay. After Kolay et al. 2008; the weights need not sum to a thousand.
CRAWL_DELAYS: Mapping[float | None, float] = {
    None: 800, 1: 8, 2: 4.5, 3: 4.5, 5: 19.5, 10: 54, 15: 4.5, 20: 19, 30: 15, 45: 8, 50: 1, 60: 18, 120: 8, 200: 4.5,
    300: 3, 600: 1.5, 1000: 0.8,
}  # fmt: skip

#: letters of names, and how often German uses each (per cent, umlauts folded in)
_LETTERS = {
    "e": 17.4, "n": 9.8, "i": 7.6, "s": 7.3, "r": 7.0, "a": 6.5, "t": 6.2, "d": 5.1, "h": 4.8, "u": 4.4, "l": 3.4,
    "c": 3.1, "g": 3.0, "m": 2.5, "o": 2.5, "b": 1.9, "w": 1.9, "f": 1.7, "k": 1.2, "z": 1.1, "p": 0.8, "v": 0.7,
    "j": 0.3, "y": 0.04, "x": 0.03, "q": 0.02,
}  # fmt: skip
_FILES = ("/index", "/home", "/impressum", "/contact")
_ENDINGS = (".php", ".html", ".aspx", "", "/")


@cache
def top_level_domains() -> Mapping[str, int]:
    """The 193 domains with most registrations in June 2020 that are written in ASCII: [G20] App. D, Table 16."""
    text = files(__package__).joinpath("tlds.csv").read_text(encoding="utf-8")
    return {row["tld"]: int(row["registrations"]) for row in csv.DictReader(text.splitlines())}


def shares(weights: Iterable[float]) -> Floats:
    """The weights, summing to 1."""
    values = np.array(list(weights), dtype=np.float64)
    return np.asarray(values / values.sum())


def draw_tlds(rng: np.random.Generator, count: int) -> list[str]:
    """Top-level domains, by registrations."""
    names = list(top_level_domains())
    return [names[place] for place in rng.choice(len(names), size=count, p=shares(top_level_domains().values()))]


def draw_delays(rng: np.random.Generator, count: int) -> list[float | None]:
    """Crawl delays in seconds; None where a site states none."""
    values = list(CRAWL_DELAYS)
    return [values[place] for place in rng.choice(len(values), size=count, p=shares(CRAWL_DELAYS.values()))]


def draw_pageranks(rng: np.random.Generator, count: int, *, spread: bool = False) -> Floats:
    """A rank drawn uniformly from 1 … 60 billion, then a value drawn uniformly from its bucket.

    98.3 % fall into the last bucket. ``spread`` draws the rank log-uniformly instead, for small databases whose order
    should carry information.
    """
    last = np.array([bucket[0] for bucket in PAGERANK_BUCKETS], dtype=np.float64)
    if spread:
        ranks = np.exp(rng.random(count) * np.log(last[-1]))
    else:
        ranks = rng.integers(1, int(last[-1]), size=count, endpoint=True).astype(np.float64)
    bucket = np.minimum(np.searchsorted(last, ranks, side="left"), len(last) - 1)
    low = np.array([bucket[1] for bucket in PAGERANK_BUCKETS])[bucket]
    high = np.array([bucket[2] for bucket in PAGERANK_BUCKETS])[bucket]
    return np.asarray(low + (high - low) * rng.random(count))


def draw_words(rng: np.random.Generator, count: int, shortest: int = 10, longest: int = 16) -> list[str]:
    """Words of letters as frequent as in German."""
    lengths = rng.integers(shortest, longest, size=count, endpoint=True)
    letters = np.frombuffer("".join(_LETTERS).encode("ascii"), dtype=np.uint8)
    drawn = letters[rng.choice(len(_LETTERS), size=int(lengths.sum()), p=shares(_LETTERS.values()))]
    text = drawn.tobytes().decode("ascii")
    ends = np.cumsum(lengths)
    return [text[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]


def draw_hosts(rng: np.random.Generator, count: int) -> list[str]:
    """Host names ``www.word.tld``, no two alike."""
    found: dict[str, None] = {}
    while len(found) < count:
        missing = count - len(found)
        pairs = zip(draw_words(rng, missing), draw_tlds(rng, missing), strict=True)
        found.update((f"www.{word}.{tld}", None) for word, tld in pairs)
    return list(found)


def draw_paths(rng: np.random.Generator, count: int) -> list[str]:
    """Paths: a word, a file, an ending; alike so rarely (10^-14) that nobody looks."""
    files_of = rng.integers(len(_FILES), size=count)
    endings = rng.integers(len(_ENDINGS), size=count)
    words = draw_words(rng, count)
    tails = [file + ending for file in _FILES for ending in _ENDINGS]
    return [
        f"/{word}{tails[tail]}" for word, tail in zip(words, (files_of * len(_ENDINGS) + endings).tolist(), strict=True)
    ]
