"""Processor time and memory of each part of the system, over time, as numbers that can be exported.  [G20] §7.2."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Use:
    """What a part has used."""

    calls: int = 0
    cpu_seconds: float = 0.0
    longest: float = 0.0  # of one call

    def add(self, seconds: float) -> None:
        """One more call."""
        self.calls += 1
        self.cpu_seconds += seconds
        self.longest = max(self.longest, seconds)

    def mean_ms(self) -> float:
        """Milliseconds a call; 0 if there was none."""
        return 1e3 * self.cpu_seconds / self.calls if self.calls else 0.0


@dataclass(slots=True)
class Meter:
    """Processor seconds by part, in all and by slices of (virtual) time."""

    slice_seconds: float = 60.0
    clock: Callable[[], float] = time.process_time
    parts: dict[str, Use] = field(default_factory=dict)
    slices: dict[tuple[str, int], float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str, now: float) -> Iterator[None]:
        """Books what happens inside to a part."""
        begun = self.clock()
        try:
            yield
        finally:
            self.book(name, now, self.clock() - begun)

    def book(self, name: str, now: float, seconds: float) -> None:
        """Books processor seconds to a part."""
        self.parts.setdefault(name, Use()).add(seconds)
        place = (name, int(now // self.slice_seconds))
        self.slices[place] = self.slices.get(place, 0.0) + seconds

    def curve(self, name: str) -> tuple[list[float], list[float]]:
        """Times in seconds and the share of one processor that the part used in each slice."""
        times = sorted(number for part, number in self.slices if part == name)
        shares = [self.slices[name, number] / self.slice_seconds for number in times]
        return [number * self.slice_seconds for number in times], shares

    def rows(self) -> list[dict[str, object]]:
        """One row a part and slice, for export."""
        return [
            {"part": part, "seconds": number * self.slice_seconds, "cpu_seconds": used}
            for (part, number), used in sorted(self.slices.items())
        ]


def memory_of(pid: int | None = None) -> int | None:
    """Bytes of resident memory of a process (this one without a number); None where /proc does not tell."""
    try:
        pages = Path(f"/proc/{pid or os.getpid()}/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def cpu_of(pid: int) -> float | None:
    """Processor seconds a process has used, with the children it has waited for; None where /proc does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return sum(int(value) for value in fields[11:15]) / os.sysconf("SC_CLK_TCK")
