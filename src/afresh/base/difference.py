"""The difference of two versions of a text: by lines, by words within lines, with blocks that moved recognised.

Lines are compared as wholes first (a longest common subsequence at C speed). What is left is paired: a line that went
and a similar one that came are one changed line, whose words are compared in the same way.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

MAX_LINES = 5_000  # of a version; the rest is not compared
_MAX_WORDS = 1_000  # of a line, to be compared by words
_SIMILAR = 50.0  # per cent of characters that two forms of one line have in common
_NEAR = 12  # lines among which the other form of a line is looked for
_WORD = re.compile(r"\d+(?:[.,:\u2009\u202f'’]\d+)*|\w+|\s+|[^\w\s]")
_NUMBER = re.compile(r"\d")


class Mark(StrEnum):
    """What became of a line, or of some words of it."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"  # a line of which some words differ
    MOVED = "moved"  # stands elsewhere now; told where it stands now


@dataclass(frozen=True, slots=True)
class Words:
    """Some words of a line: SAME, ADDED or REMOVED."""

    mark: Mark
    text: str

    @property
    def is_number(self) -> bool:
        """Whether numbers differ here: a price, a count, a date."""
        return self.mark is not Mark.SAME and _NUMBER.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the difference: its old form, its new form, or both."""

    mark: Mark
    old: str = ""
    new: str = ""
    words: tuple[Words, ...] = ()  # of a changed line, both forms in one

    @property
    def has_numbers(self) -> bool:
        """Whether the numbers of it differ."""
        if self.mark is Mark.CHANGED:
            return any(words.is_number for words in self.words)
        return _NUMBER.search(self.old or self.new) is not None


@dataclass(frozen=True, slots=True)
class Difference:
    """All lines of two versions, in the order of the newer one."""

    rows: tuple[Row, ...]

    @property
    def news(self) -> tuple[Row, ...]:
        """The lines that differ."""
        return tuple(row for row in self.rows if row.mark is not Mark.SAME)

    def words(self, mark: Mark) -> int:
        """How many words were ADDED, or REMOVED."""
        return sum(len(words_of(text)) for text in self._texts(mark))

    def _texts(self, mark: Mark) -> Iterator[str]:
        for row in self.rows:
            if row.mark is mark:
                yield row.new if mark is Mark.ADDED else row.old
            elif row.mark is Mark.CHANGED:
                yield from (words.text for words in row.words if words.mark is mark)


def compare(old: Sequence[str], new: Sequence[str]) -> Difference:
    """What differs between two versions, given as lines.

    >>> [(row.mark.value, row.old, row.new) for row in compare(["a", "Price: 10 €"], ["a", "Price: 12 €", "b"]).news]
    [('changed', 'Price: 10 €', 'Price: 12 €'), ('added', '', 'b')]
    """
    rows: list[Row] = []
    found = _with_moves(list(aligned(old, new)))
    for is_same, group in groupby(found, key=lambda row: row.mark is Mark.SAME):
        block = list(group)
        rows += block if is_same else _paired(block)
    return Difference(tuple(rows))


def aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Lines that stay, go and come, each by itself."""
    old, new = old[:MAX_LINES], new[:MAX_LINES]
    for is_same, steps in groupby(LCSseq.opcodes(old, new), key=lambda step: step.tag == "equal"):
        block = list(steps)
        gone = [line for step in block for line in old[step.src_start : step.src_end]]
        come = [line for step in block for line in new[step.dest_start : step.dest_end]]
        if is_same:
            yield from (Row(Mark.SAME, line, line) for line in come)
        else:
            yield from (Row(Mark.REMOVED, old=line) for line in gone)
            yield from (Row(Mark.ADDED, new=line) for line in come)


def _paired(block: Sequence[Row]) -> Iterator[Row]:
    """Lines of a block that are two forms of one become one changed line, at the place of the newer one."""
    gone = [row.old for row in block if row.mark is Mark.REMOVED]
    came = [row for row in block if row.mark is not Mark.REMOVED]
    told = 0  # of those that went
    waiting: list[Row] = []  # that came, and are no form of one that went
    for row, at in zip(came, _former(gone, came), strict=True):
        if at is None:
            waiting.append(row)
            continue
        yield from (Row(Mark.REMOVED, old=text) for text in gone[told:at])  # what went stands before what came
        yield from waiting
        yield Row(Mark.CHANGED, gone[at], row.new, _words(gone[at], row.new))
        told, waiting = at + 1, []
    yield from (Row(Mark.REMOVED, old=text) for text in gone[told:])
    yield from waiting


def _former(gone: Sequence[str], came: Sequence[Row]) -> Iterator[int | None]:
    """Of each line that came the one that went and is another form of it, in ascending order; None: there is none."""
    first = 0  # of those that went and have no other form yet
    for row in came:
        near = range(first, min(first + _NEAR, len(gone))) if row.mark is Mark.ADDED else range(0)
        alike = [_similarity(gone[at], row.new) for at in near]
        if not alike or max(alike) < _SIMILAR:
            yield None
            continue
        first += alike.index(max(alike)) + 1
        yield first - 1


def _similarity(old: str, new: str) -> float:
    """Per cent; of numbers alone nothing can be said, so two of them are alike."""
    if not re.search(r"[^\W\d]", old + new):
        return 100.0
    return fuzz.ratio(old[:2_000], new[:2_000])


def _words(old: str, new: str) -> tuple[Words, ...]:
    before, after = _WORD.findall(old), _WORD.findall(new)
    if max(len(before), len(after)) > _MAX_WORDS:
        return (Words(Mark.REMOVED, old), Words(Mark.ADDED, new))
    return tuple(_spans(before, after))


def _spans(before: Sequence[str], after: Sequence[str]) -> Iterator[Words]:
    """Words that stay, go and come; a space between two that differ belongs to them, so that they are read together."""
    gone = come = ""
    for step in LCSseq.opcodes(before, after):
        went = "".join(before[step.src_start : step.src_end])
        came = "".join(after[step.dest_start : step.dest_end])
        if step.tag != "equal":
            gone, come = gone + went, come + came
        elif came.isspace() and (gone or come):
            gone, come = gone + came, come + came
        else:
            yield from _differing(gone, come)
            gone = come = ""
            yield Words(Mark.SAME, came)
    yield from _differing(gone, come)


def _differing(gone: str, come: str) -> Iterator[Words]:
    kept = ""
    if gone and come and gone[-1] == come[-1] and come[-1].isspace():
        gone, come, kept = gone[:-1], come[:-1], come[-1]
    if gone:
        yield Words(Mark.REMOVED, gone)
    if come:
        yield Words(Mark.ADDED, come)
    if kept:
        yield Words(Mark.SAME, kept)


def _with_moves(rows: Sequence[Row]) -> Iterator[Row]:
    """Lines that went from one place and came at another are moved; the place they left is not told."""
    gone = Counter(row.old for row in rows if row.mark is Mark.REMOVED)
    come = Counter(row.new for row in rows if row.mark is Mark.ADDED)
    moved = gone & come
    left, arrived = moved.copy(), moved.copy()
    for row in rows:
        if row.mark is Mark.REMOVED and left[row.old] > 0:
            left[row.old] -= 1
        elif row.mark is Mark.ADDED and arrived[row.new] > 0:
            arrived[row.new] -= 1
            yield Row(Mark.MOVED, row.new, row.new)
        else:
            yield row


def words_of(text: str) -> list[str]:
    """Words and numbers, without what stands between them."""
    return [word for word in _WORD.findall(text) if word[0].isalnum()]
