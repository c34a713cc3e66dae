"""Numbers that the scheduler processes of one `afresh serve` count together: each in a row, told as the sum.

The rows, and samples of the totals, are in one piece of memory that outlives each process: one that is started again
goes on with the row of the one before, so whoever is asked tells the same, and no sum ever falls.
"""

import mmap
import tempfile
from collections.abc import Sequence
from typing import IO, Any, Final

from afresh.frontier.failures import Reason

FAILURES: Final = {reason: f"failures.{reason}" for reason in Reason}
ANSWERS: Final = {digit: f"answers.{digit}" for digit in range(10)}  # by the first digit of their status
#: What clients of queues do.
QUEUES: Final = (
    "get_calls", "got", "get_ended", "get_seconds",
    "put_calls", "batch_calls", "put", "discovered", "known", "ignored", "completed",
)  # fmt: skip
OUT_OF_SCOPE: Final = "out_of_scope"  # links that were not added
LEFT_OUT: Final = "links_left_out"  # links that fetchers did not report, since a page had too many
_PLACES: Final = {
    name: place for place, name in enumerate((*FAILURES.values(), *ANSWERS.values(), *QUEUES, OUT_OF_SCOPE, LEFT_OUT))
}
_WIDTH: Final = len(_PLACES)
_SAMPLE: Final = 4  # numbers
SAMPLES: Final = 1_440  # remembered: two hours at one every five seconds
_RING: Final = 1 + SAMPLES * _SAMPLE  # how many there were, and the last of them
_CELL: Final = 8  # bytes


def memory_for(processes: int) -> IO[bytes]:
    """A file without a name that so many processes count in; gone with the last of them."""
    file = tempfile.TemporaryFile(prefix="afresh-tallies-")  # noqa: SIM115 (as long as who asked for it)
    file.truncate(_CELL * (_RING + processes * _WIDTH))
    return file


class Tallies:
    """The numbers as one process has them: it adds to its own row. Without a ``file`` it counts for itself."""

    def __init__(self, file: int | None = None, *, place: int = 0) -> None:
        memory: Any = bytearray(_CELL * (_RING + _WIDTH)) if file is None else mmap.mmap(file, 0)
        self._cells = memoryview(memory).cast("d")
        self._rows = range(_RING, len(self._cells), _WIDTH)
        self._own = self._rows[place]

    def add(self, name: str, amount: float = 1.0) -> None:
        self._cells[self._own + _PLACES[name]] += amount

    def total(self, name: str) -> float:
        """Of all processes, since the first of them was started."""
        place = _PLACES[name]
        return sum(self._cells[row + place] for row in self._rows)

    def keep(self, sample: Sequence[float]) -> None:
        """Remembers a sample. Of two processes that do so at once one is heard, and that is enough."""
        count = int(self._cells[0])
        start = 1 + count % SAMPLES * _SAMPLE
        for place, number in enumerate(sample):
            self._cells[start + place] = number
        self._cells[0] = count + 1

    def kept(self, last: int = SAMPLES) -> list[tuple[float, ...]]:
        """The last samples, the oldest first."""
        count = int(self._cells[0])
        starts = (1 + number % SAMPLES * _SAMPLE for number in range(max(0, count - min(last, SAMPLES)), count))
        return [tuple(self._cells[start : start + _SAMPLE]) for start in starts]
