"""Words, and the edit distance of token sequences: exact where short, an upper bound in pieces where long."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from afresh.base.lazy import lazy
from afresh.base.longest_increasing import ascending

#: Longest side of a pair whose distance is computed exactly; the cost grows with the square.
PIECE = 1_000
#: Longest side of a slice of a longer pair.
SLICE = 300
#: How many tokens, unique in both sequences, are asked where a long pair may be cut.
ANCHORS = 200

#: What stands around words; a full stop only where a space follows, so that "3.5" stays one word.
_AROUND = ',;:!?()[]{}<>"`«»“”„‘…|*•·–—'
_SPACES = str.maketrans(dict.fromkeys((char for char in _AROUND if char.isascii()), " "))
#: Scripts written without spaces: every character counts as a word there.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text: lower case, without punctuation at their edges.

    >>> words_of("The cat, (the) CAT.")
    ('the', 'cat', 'the', 'cat')
    """
    if not text.isascii() and _UNSPACED.search(text):
        text = _UNSPACED.sub(r" \g<0> ", text)
    text = text.lower()
    if text.isascii():
        text = text.translate(_SPACES)
    else:  # where translating is slow: most of these characters do not occur at all
        for char in _AROUND:
            if char in text:
                text = text.replace(char, " ")
    return tuple(text.replace(". ", " ").replace(" - ", " ").removesuffix(".").split())


class Tokens:
    """A token sequence with, once asked for, the places of the tokens that mark one: those that occur once."""

    def __init__(self, items: tuple[str, ...], marks: Sequence[str] | None = None) -> None:
        self.items = items
        self._marks = items if marks is None else marks

    def __len__(self) -> int:
        return len(self.items)

    @lazy
    def singles(self) -> Mapping[str, int]:
        """Position of every mark that occurs exactly once."""
        counts = Counter(self._marks)
        return {mark: at for at, mark in enumerate(self._marks) if counts[mark] == 1}


def token_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Fewest replacements, deletions and insertions that turn ``a`` into ``b``.  [M03] eq. 3.22–3.25, unit costs.

    >>> token_distance("CHECKER", "TRACK")
    5
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 (where nothing is compared, nobody waits for it)

    return int(Levenshtein.distance(a, b))


def bounded_distance(a: Tokens, b: Tokens) -> int:
    """The token distance, for long sequences an upper bound of it.

    Long sequences are cut where a token unique in both marks the same place (the anchors of patience diff), pieces
    that are still long are cut in proportion, and the distances of the pieces are added.
    """
    one, other = a.items, b.items
    start, end = _common_ends(one, other)
    last_a, last_b = len(one) - end, len(other) - end
    if max(last_a, last_b) - start <= PIECE:
        return token_distance(one[start:last_a], other[start:last_b])
    total, left, right = 0, start, start
    for i, j in [*_anchors(a.singles, b.singles), (last_a, last_b)]:
        if left <= i <= last_a and right <= j <= last_b:
            total += _in_slices(one[left:i], other[right:j])
            left, right = i, j
    return min(total, max(len(a), len(b)))


def sequence_similarity(a: Tokens, b: Tokens) -> float:
    """1 - distance / length of the longer; two empty sequences are the same.  [M03] eq. 4.6."""
    if a.items == b.items:
        return 1.0
    if not a.items or not b.items:
        return 0.0
    return max(0.0, 1.0 - bounded_distance(a, b) / max(len(a), len(b)))


def _common_ends(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[int, int]:
    """How many tokens are common at the beginning, and at the end of what is left."""
    short = min(len(a), len(b))
    start = _longest(short, lambda n: a[:n] == b[:n])
    end = _longest(short - start, lambda n: a[len(a) - n :] == b[len(b) - n :])
    return start, end


def _longest(limit: int, agrees: Callable[[int], bool]) -> int:
    """The largest length up to the limit at which two ends agree, by halving."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if agrees(middle) else (low, middle - 1)
    return low


def _anchors(a: Mapping[str, int], b: Mapping[str, int]) -> list[tuple[int, int]]:
    """Pairs of positions of common unique tokens, ascending in both: the longest such chain of a sample of them."""
    common = sorted((a[token], b[token]) for token in a.keys() & b.keys())
    step = max(1, len(common) // ANCHORS)
    return ascending(common[::step])


def _in_slices(a: Sequence[str], b: Sequence[str]) -> int:
    longest = max(len(a), len(b))
    if not a or not b:
        return longest
    count = -(-longest // SLICE)
    cuts_a = [len(a) * k // count for k in range(count + 1)]
    cuts_b = [len(b) * k // count for k in range(count + 1)]
    return sum(token_distance(a[cuts_a[k] : cuts_a[k + 1]], b[cuts_b[k] : cuts_b[k + 1]]) for k in range(count))
