"""Precision, recall, accuracy and F of yes/no answers.  [M03] §5.1; "positive" is "same page"."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Contingency:
    """[M03] Table 5.1; adding them up is micro-averaging."""

    same_as_same: int = 0
    different_as_same: int = 0
    same_as_different: int = 0
    different_as_different: int = 0

    def __add__(self, other: "Contingency") -> "Contingency":
        return Contingency(
            self.same_as_same + other.same_as_same,
            self.different_as_same + other.different_as_same,
            self.same_as_different + other.same_as_different,
            self.different_as_different + other.different_as_different,
        )

    @property
    def accuracy(self) -> float:
        right = self.same_as_same + self.different_as_different
        return _ratio(right, right + self.different_as_same + self.same_as_different)

    @property
    def precision(self) -> float:
        """NaN (n/a) if nothing was called the same."""
        return _ratio(self.same_as_same, self.same_as_same + self.different_as_same)

    @property
    def recall(self) -> float:
        return _ratio(self.same_as_same, self.same_as_same + self.same_as_different)

    @property
    def f(self) -> float:
        """[M03] eq. 5.4; NaN if nothing was called the same."""
        if not self.same_as_same + self.different_as_same:
            return float("nan")
        return _ratio(2 * self.same_as_same, 2 * self.same_as_same + self.same_as_different + self.different_as_same)

    def as_dict(self) -> dict[str, float]:
        return {"accuracy": self.accuracy, "precision": self.precision, "recall": self.recall, "f": self.f}


def contingency(truth: Sequence[bool] | NDArray[np.bool_], said: Sequence[bool] | NDArray[np.bool_]) -> Contingency:
    """Count answers against the truth."""
    y, p = np.asarray(truth, bool), np.asarray(said, bool)
    return Contingency(int((y & p).sum()), int((~y & p).sum()), int((y & ~p).sum()), int((~y & ~p).sum()))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
