"""What an evaluation counted for each feed, and the three metrics of a feed."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from afresh.base.errors import ModelError
from afresh.base.models import Row

Counts = NDArray[np.int64]


def ratio(numerator: Row | Counts, denominator: Row | Counts) -> Row:
    """Element-wise quotient; NaN (undefined) where the denominator is 0."""
    top = np.asarray(numerator, dtype=np.float64)
    bottom = np.asarray(denominator, dtype=np.float64)
    quotient: Row = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return quotient


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of one evaluation, one element a feed.  [R12] §4.3.3.

    ``polls`` leaves the first poll out already (the "- 1" of Eq. 4.14). An entry of the first window is *initial* and
    counted nowhere; *open* ones were published after the last poll and before the end.
    """

    polls: Counts
    found: Counts
    missed: Counts
    open: Counts
    delay_sum: Row  # seconds, over the found entries

    @classmethod
    def of(
        cls,
        *,
        polls: ArrayLike,
        found: ArrayLike,
        missed: ArrayLike,
        open: ArrayLike,  # noqa: A002 - the word of the glossary
        delay_sum: ArrayLike,
    ) -> Self:
        """From anything array-like, checked once.

        >>> Tally.of(polls=[2], found=[6], missed=[0], open=[0], delay_sum=[60.0]).ape().round(2).tolist()
        [0.33]
        """
        tally = cls(
            polls=np.atleast_1d(np.asarray(polls, dtype=np.int64)),
            found=np.atleast_1d(np.asarray(found, dtype=np.int64)),
            missed=np.atleast_1d(np.asarray(missed, dtype=np.int64)),
            open=np.atleast_1d(np.asarray(open, dtype=np.int64)),
            delay_sum=np.atleast_1d(np.asarray(delay_sum, dtype=np.float64)),
        )
        tally._check()
        return tally

    def _check(self) -> None:
        for field in fields(self):
            column = getattr(self, field.name)
            if column.shape != self.polls.shape or column.ndim != 1:
                raise ModelError(f"{field.name} has shape {column.shape}, polls {self.polls.shape}: one number a feed")
            if not (column >= 0).all():  # catches NaN as well
                raise ModelError(f"{field.name} holds a negative or undefined number")

    def __len__(self) -> int:
        return len(self.polls)

    def due(self) -> Counts:
        """Entries that could have been found."""
        return self.found + self.missed + self.open

    def delay(self) -> Row:
        """Mean seconds from publication to the poll that found it; undefined without a find.  [R12] Eq. 4.12."""
        return ratio(self.delay_sum, self.found)

    def recall(self) -> Row:
        """Share of the due entries that was found; undefined where none was due.  [R12] Eq. 4.13."""
        return ratio(self.found, self.due())

    def ape(self) -> Row:
        """Polls per found entry; undefined without a find.  [R12] Eq. 4.14."""
        return ratio(self.polls, self.found)
