"""What an experiment about revisiting reports: figures as published or certified, beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: as published or certified, as measured here, and whether the claim holds."""

    what: str
    published: float | None  # None: no value was given, only a relation
    ours: float
    holds: bool
    wanted: str  # the claim in words: "±0.002", ">= 0.9999", ...


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


def near(what: str, published: float, ours: float, tolerance: float) -> Figure:
    """A figure that must be within a tolerance of the published one."""
    return Figure(what, published, ours, abs(ours - published) <= tolerance, f"±{tolerance:g}")


def at_least(what: str, ours: float, least: float, published: float | None = None) -> Figure:
    """A figure that must not fall below a value."""
    return Figure(what, published, ours, ours >= least, f">= {least:g}")


def at_most(what: str, ours: float, most: float, published: float | None = None) -> Figure:
    """A figure that must not exceed a value."""
    return Figure(what, published, ours, ours <= most, f"<= {most:g}")
