"""What an experiment is and what it comes to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How an experiment is run; everything else is fixed by the experiment itself."""

    seed: int = 0
    jobs: int = 1
    scale: float = 1.0  # size of synthetic data relative to the experiment's own
    trace: Path | None = None  # a recorded history instead of the synthetic one
    progress: Callable[[str], None] = lambda _: None

    @property
    def how(self) -> dict[str, Any]:
        """How rules are replayed, whatever they are compared with: processes, seed, whom to tell of progress."""
        return {"jobs": self.jobs, "seed": self.seed, "progress": self.progress}


@dataclass(frozen=True, slots=True)
class Claim:
    """A published statement, tested: True, False, or None where this data cannot tell; and why."""

    text: str
    holds: bool | None
    why: str = ""


def failing_first(claims: Sequence[Claim]) -> list[Claim]:
    """What a reader should see first: what does not hold, then what cannot be told, then the rest, as they came."""
    return sorted(claims, key=lambda claim: (False, None, True).index(claim.holds))


def field_of(values: Iterable[float]) -> str:
    """How wide the whole field is, to read a tolerance by: 0.02 says little where all lie within 0.03.

    >>> field_of([0.5, 0.25, 1.0])
    'the whole field lies between 0.25 and 1'
    """
    known = [value for value in values if isfinite(value)]
    return f"the whole field lies between {min(known):.4g} and {max(known):.4g}" if known else ""


@dataclass(frozen=True, slots=True)
class Series:
    """One line or set of points of a figure."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    points: bool = False  # True: markers without a line
    low: Sequence[float] = ()  # lower ends of error bars, where known
    high: Sequence[float] = ()
    names: Sequence[str] = ()  # words beside the points, where they have names


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the report."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    x_log: bool = False
    y_log: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Rows with published beside measured values, claims, figures."""

    rows: Sequence[Mapping[str, object]]
    claims: Sequence[Claim] = ()
    figures: Sequence[Figure] = ()
    notes: str = ""  # what differs from the original and why
    timed: Sequence[str] = ()  # columns that hold seconds of this machine: all others repeat with the seed
    data: Mapping[str, object] = field(default_factory=dict)  # seed, sizes and settings, for the record


@dataclass(frozen=True, slots=True)
class Experiment:
    """A published table or figure that can be run again."""

    name: str
    title: str
    source: str  # where it was published, "[R12] Table 4.11"
    run: Callable[[Options], Outcome]
