"""An experiment's table as people read it: what stands over its columns, and in its cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from afresh.base.durations import format_duration

_DURATIONS = ("delay_feeds", "delay_entries")  # columns of seconds


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands over one column, or over a measured value and the published one behind it."""

    words: str
    columns: tuple[str, ...]

    @property
    def is_pair(self) -> bool:
        return len(self.columns) > 1


def headings(columns: Sequence[str]) -> list[Heading]:
    """Words over the columns of a table, a pair of measured and published under one heading.

    >>> [(one.words, one.columns) for one in headings(["rule", "delay_feeds", "published_delay_feeds"])]
    [('rule', ('rule',)), ('delay feeds', ('delay_feeds', 'published_delay_feeds'))]
    """
    paired = {f"published_{name}" for name in columns}
    out = []
    for name in columns:
        if name not in paired or name.removeprefix("published_") not in columns:
            both = (name, f"published_{name}") if f"published_{name}" in columns else (name,)
            out.append(Heading(name.replace("_", " "), both))
    return out


def numeric(columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> frozenset[str]:
    """The columns that hold nothing but numbers."""
    return frozenset(name for name in columns if all(isinstance(row.get(name), int | float | None) for row in rows))


def cell(value: object, name: str = "") -> str:
    """A value for people: four significant digits, and a mean delay (by the name of its column) as a length of time.

    >>> cell(0.123456), cell(None), cell(5_160.0, "delay_feeds"), cell(5_160, "published_delay_entries")
    ('0.1235', '', '1h26m', '1h26m')
    """
    if isinstance(value, int | float) and name.removeprefix("published_") in _DURATIONS:
        return "" if value != value else format_duration(value)
    if isinstance(value, float):
        return "" if value != value else f"{value:.4g}"  # NaN is empty
    return "" if value is None else str(value)
