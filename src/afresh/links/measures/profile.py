"""A page with everything measures ask of it, computed once and only when asked."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any
from zlib import crc32

from afresh.base.lazy import lazy
from afresh.base.page_text import PageText
from afresh.links.measures.background import RARE, rarities
from afresh.links.measures.shingles import SHINGLE, shingles_of
from afresh.links.measures.tokens import PIECE, Tokens, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from afresh.links.measures.shingles import Shingles

HASHES = 128  # of a MinHash signature


class Profile:
    """Derived views of one page version; the page itself stays as it was parsed."""

    def __init__(self, page: PageText, *, asked: str = "") -> None:
        self.page = page
        self.asked = asked or page.url  # the address that was asked for, where that led elsewhere
        self.notes: dict[str, Any] = {}  # what others worked out about the page, kept with it

    # --- sequences -------------------------------------------------------------------------------------------------

    @lazy
    def words(self) -> Tokens:
        return Tokens(words_of(self.page.text))

    @lazy
    def raw_words(self) -> Tokens:
        return Tokens(tuple(self.page.raw.split()))

    @lazy
    def tags(self) -> Tokens:
        """Tag names; they repeat, so places are marked by a tag with its three followers."""
        tags = self.page.tags
        return Tokens(tags, [" ".join(tags[i : i + 4]) for i in range(len(tags))] if len(tags) > PIECE else None)

    @lazy
    def headings(self) -> Tokens:
        return Tokens(self.page.headings)

    @lazy
    def main_words(self) -> tuple[str, ...]:
        return words_of(self.page.main)

    @lazy
    def title_words(self) -> tuple[str, ...]:
        return words_of(self.page.title)

    # --- sets and vectors ------------------------------------------------------------------------------------------

    @lazy
    def word_set(self) -> frozenset[str]:
        return frozenset(self.words.items)

    @lazy
    def counts(self) -> Counter[str]:
        return Counter(self.words.items)

    @lazy
    def norm(self) -> float:
        return sqrt(sum(map(mul, self.counts.values(), self.counts.values())))

    @lazy
    def main_weights(self) -> dict[str, float]:
        """tf-idf of the main text: (1 + log of the count) times the rarity of the word in pages at large."""
        counts = Counter(self.main_words)
        rarity = rarities().get
        return {
            word: rarity(word, RARE) if n == 1 else (1.0 + log(n)) * rarity(word, RARE) for word, n in counts.items()
        }

    @lazy
    def main_norm(self) -> float:
        return sqrt(sum(map(mul, self.main_weights.values(), self.main_weights.values())))

    @lazy
    def shingles(self) -> Shingles:
        return shingles_of(self.words.items)

    @lazy
    def main_shingles(self) -> Shingles:
        return shingles_of(self.main_words)

    @lazy
    def piece_set(self) -> frozenset[str]:
        return frozenset(self.page.pieces)

    @lazy
    def heading_words(self) -> frozenset[str]:
        return frozenset(words_of(" ".join(self.page.headings)))

    @lazy
    def link_texts(self) -> frozenset[str]:
        return frozenset(link.text for link in self.page.links)

    @lazy
    def link_urls(self) -> frozenset[str]:
        return frozenset(link.url for link in self.page.links)

    # --- sketches --------------------------------------------------------------------------------------------------

    @lazy
    def minhash(self) -> NDArray[np.uint64]:
        """Smallest of 128 hashes over the word shingles; empty for a page without words."""
        import numpy as np  # noqa: PLC0415 (where nothing is compared, nobody waits for it)

        words = self.words.items
        if not words:
            return np.empty(0, np.uint64)
        runs = {" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))}
        base = np.array([crc32(run.encode("utf-8", "surrogatepass")) for run in runs], np.uint64)
        rng = np.random.default_rng(20031118)  # fixed: signatures of different runs must be comparable
        factors = rng.integers(0, 2**63, HASHES, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        offsets = rng.integers(0, 2**63, HASHES, dtype=np.uint64)
        best = np.full(HASHES, np.iinfo(np.uint64).max, np.uint64)
        for chunk in np.array_split(base, max(1, len(base) // 1024)):
            # Multiply-shift hashing: wraps around 2^64, the upper half is kept.
            hashed = (factors[:, None] * chunk[None, :] + offsets[:, None]) >> np.uint64(32)
            best = np.minimum(best, hashed.min(axis=1))
        return best

    @lazy
    def simhash(self) -> int:
        """64 bits, each the sign of the sum over the words, weighted by their counts."""
        import numpy as np  # noqa: PLC0415 (where nothing is compared, nobody waits for it)

        if not self.counts:
            return 0
        hashes = np.array([_hash(word) for word in self.counts], np.uint64)
        weights = np.fromiter(self.counts.values(), np.float64, len(self.counts))
        bits = (hashes[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        signs = weights @ (2.0 * bits - 1.0)
        return int(sum(1 << k for k in np.flatnonzero(signs > 0).tolist()))


def _hash(text: str) -> int:
    from afresh.base.hashing import digest64  # noqa: PLC0415 (where nothing is compared, nobody waits for it)

    return int.from_bytes(digest64(text), "big")
