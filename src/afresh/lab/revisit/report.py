"""What an experiment about revisiting reports: figures of the cited work or of a reference trial, beside ours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from afresh.lab.experiments.model import field_of


class Origin(StrEnum):
    """Where the value beside ours comes from."""

    PUBLISHED = "published"  # printed in the cited work
    TRIAL = "reference trial"  # printed by a trial of our own, made once for the specification


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: as it should be and who says so, as measured here, and whether the claim holds."""

    what: str
    expected: float | None  # None: no value was given, only a relation
    ours: float
    holds: bool
    wanted: str  # the claim in words: "±0.002", ">= 0.9999", ...
    origin: Origin = Origin.TRIAL


@dataclass(frozen=True, slots=True)
class Report:
    """An experiment's figures."""

    name: str
    title: str
    figures: tuple[Figure, ...]
    numbers: Mapping[str, float] = field(default_factory=dict)
    table: Sequence[Mapping[str, object]] = ()  # where one row of numbers would be too wide

    @property
    def holds(self) -> bool:
        return all(figure.holds for figure in self.figures)


def near(
    what: str,
    expected: float,
    ours: float,
    tolerance: float,
    origin: Origin = Origin.TRIAL,
    field: Iterable[float] = (),
) -> Figure:
    """A figure that must be within a tolerance of the expected one; ``field``: all that it is compared with."""
    wanted = "; ".join(filter(None, (f"±{tolerance:g}", field_of(field))))
    return Figure(what, expected, ours, abs(ours - expected) <= tolerance, wanted, origin)


def at_least(
    what: str, ours: float, least: float, expected: float | None = None, origin: Origin = Origin.TRIAL
) -> Figure:
    """A figure that must not fall below a value."""
    return Figure(what, expected, ours, ours >= least, f">= {least:g}", origin)


def at_most(what: str, ours: float, most: float, expected: float | None = None) -> Figure:
    """A figure that must not exceed a value."""
    return Figure(what, expected, ours, ours <= most, f"<= {most:g}")
