"""How wide the columns of a table are, so that no word is broken and no address at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

GAP = 2  # between two columns
NARROW = 24  # what a column with words may be squeezed to beside addresses
_WORD = 32  # longest word that is kept whole
_NAME = 48  # longest name that is kept whole, in a column of names alone


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide a table wants to be."""

    addresses: frozenset[int]  # columns that have some
    texts: frozenset[int]  # columns of words that may be wrapped
    least: tuple[int, ...]  # of each column, at which no address is broken, no word of a heading and hardly any other
    most: tuple[int, ...]  # of each column, at which nothing is wrapped
    narrow: int = NARROW

    @classmethod
    def of(cls, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Self:
        from rich.cells import cell_len  # noqa: PLC0415 (see ``output.console``)

        places = range(len(columns))
        widths = [max((cell_len(row[place]) for row in cells), default=0) for place in places]
        addresses = frozenset(place for place in places if any("://" in row[place] for row in cells))
        named = frozenset(
            place for place in places if widths[place] <= _NAME and not any(" " in row[place] for row in cells)
        )
        texts = frozenset(place for place in places if widths[place] > NARROW) - addresses - named
        words = [_longest_word([columns[place], *(row[place] for row in cells)]) for place in places]
        if addresses:  # there is another way to print it: rather that than words in stumps of lines
            words = [
                max(_longest_word([columns[place]]), NARROW if place in texts else widths[place]) for place in places
            ]
        return cls(addresses, texts, tuple(words), tuple(map(max, map(cell_len, columns), widths)))

    @property
    def needed(self) -> int:
        """The least width of the whole table."""
        return needed(self.least)

    def parts(self, width: int) -> Iterator[list[int]]:
        """Columns that fit into the width together; the first, which says what a row is, is in each part."""
        part, room = [0], width - self.least[0]
        for place in range(1, len(self.least)):
            wanted = GAP + self.least[place]
            if wanted > room and len(part) > 1:
                yield part
                part, room = [0], width - self.least[0]
            part.append(place)
            room -= wanted
        yield part

    def widths(self, part: Sequence[int], width: int) -> list[int]:
        """Of these columns: as much as they want, or of what is there to spare in proportion to it."""
        least, most = [self.least[place] for place in part], [self.most[place] for place in part]
        spare, wanted = max(0, width - needed(least)), sum(most) - sum(least)
        share = min(1.0, spare / wanted) if wanted else 0.0
        return [low + int(share * (high - low)) for low, high in zip(least, most, strict=True)]


def _longest_word(texts: Sequence[str]) -> int:
    from rich.cells import cell_len  # noqa: PLC0415 (see ``output.console``)

    return max(min(_WORD, cell_len(word)) for text in texts for word in text.split() or [""])


def needed(widths: Sequence[int]) -> int:
    """By columns of these widths, with what is between them.

    >>> needed([3, 4]), needed([])
    (9, 0)
    """
    return sum(widths) + GAP * max(0, len(widths) - 1)
