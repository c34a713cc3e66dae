"""How much memory daemons hold over a soak: it grows in the first minutes, and then it must be flat."""

from __future__ import annotations

FIRST = 300.0  # seconds in which it may grow; half of a run that is shorter than two of these


class Memory:
    """The largest that was seen in the first minutes, and afterwards."""

    def __init__(self, seconds: float) -> None:
        self._first = min(FIRST, seconds / 2.0)
        self.first_mb = 0.0
        self.later_mb = 0.0

    def note(self, age: float, megabytes: float | None) -> None:
        """So much was held, so many seconds after the beginning; None: nobody knows."""
        if megabytes is None:
            return
        if age <= self._first:
            self.first_mb = max(self.first_mb, megabytes)
        else:
            self.later_mb = max(self.later_mb, megabytes)

    @property
    def growth(self) -> float | None:
        """By which share the peak of later is above that of the first minutes; None: there is not enough to say.

        >>> memory = Memory(1200.0)
        >>> for age, megabytes in ((10.0, 80.0), (250.0, 100.0), (400.0, 90.0), (900.0, 105.0)):
        ...     memory.note(age, megabytes)
        >>> round(memory.growth, 3)
        0.05
        """
        return self.later_mb / self.first_mb - 1.0 if self.first_mb and self.later_mb else None
