"""Runs of three words as sorted arrays of hashes: sets that are built and intersected at C speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Shingles = NDArray[np.int64]

SHINGLE = 3  # words


def shingles_of(words: tuple[str, ...]) -> Shingles:
    """The distinct shingles; a text of one or two words is one shingle.

    The hashes are Python's own: they differ from process to process, but equal shingles stay equal and different ones
    collide once in 2^64, so that no result depends on them.
    """
    import numpy as np  # noqa: PLC0415 (where nothing is compared, nobody waits for it)

    if not words:
        return np.empty(0, np.int64)
    hashes = np.fromiter(map(hash, words), np.int64, len(words))
    if len(words) < SHINGLE:
        return np.array([int(hashes.sum())], np.int64)
    count = len(words) - SHINGLE + 1
    # Wrapping around is what makes this a hash; odd factors keep the order of the words in it.
    mixed = hashes[:count] * np.int64(0x9E3779B97F4A7C1) + hashes[1 : count + 1] * np.int64(0x2545F4914F6CDD1D)
    found = np.sort(mixed + hashes[2 : count + 2])
    distinct: Shingles = found[np.append(True, found[1:] != found[:-1])]
    return distinct


def common_shingles(a: Shingles, b: Shingles) -> int:
    """How many shingles are in both."""
    if not len(a) or not len(b):
        return 0
    import numpy as np  # noqa: PLC0415

    small, large = (a, b) if len(a) <= len(b) else (b, a)
    at = np.searchsorted(large, small)
    at[at == len(large)] = 0
    return int(np.count_nonzero(large[at] == small))


def shingle_jaccard(a: Shingles, b: Shingles) -> float:
    """Common over all; two empty texts are the same."""
    if not len(a) and not len(b):
        return 1.0
    common = common_shingles(a, b)
    return common / (len(a) + len(b) - common)


def shingle_overlap(a: Shingles, b: Shingles) -> float:
    """Part of the smaller text that is in the other; 1 for two empty ones, 0 if only one is."""
    if not len(a) or not len(b):
        return float(len(a) == len(b))
    return common_shingles(a, b) / min(len(a), len(b))
