"""The feeds of a trace one by one, and the tables and figures across them.  [H12] Fig. 6.1-6.7."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from afresh.base.calendar import DAY
from afresh.base.errors import UsageError
from afresh.lab.analysis.activity import ACTIVITY, activity_of
from afresh.lab.analysis.categories import categories_of
from afresh.lab.analysis.rhythm import rhythm_of
from afresh.lab.analysis.shape import RELAXED, Shape, shape_of
from afresh.lab.experiments.model import Figure, Series
from afresh.lab.replay.trace import Trace

PERIODIC = 1.0  # a coefficient of variation up to this counts as periodic


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedProfile:
    """One feed."""

    feed_id: int
    per_day: float
    activity: str
    cv: float
    cv_printed: float
    strict: Shape
    relaxed: Shape
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """All feeds of a trace over whole days."""

    name: str
    start: float
    days: int
    feeds: tuple[FeedProfile, ...]

    def active(self) -> list[FeedProfile]:
        """Feeds with an entry in the period: the others have neither rhythm nor shape."""
        return [feed for feed in self.feeds if feed.per_day > 0]

    def periodic_share(self, above: float) -> float:
        """Share of the feeds with more than so many entries a day whose coefficient of variation is at most 1."""
        chosen = [feed for feed in self.feeds if feed.per_day > above]
        return float(np.mean([feed.cv <= PERIODIC for feed in chosen])) if chosen else float("nan")

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        active = self.active()
        return {
            "name": self.name,
            "days": self.days,
            "feeds": len(self.feeds),
            "activity": dict(Counter(feed.activity for feed in self.feeds)),
            "categories": dict(Counter(name for feed in self.feeds for name in feed.categories or ("other",))),
            "periodic_above_10_a_day": self.periodic_share(10.0),
            "periodic_above_48_a_day": self.periodic_share(48.0),
            "shapes_strict": cross_table(active, "activity", "strict"),
            "shapes_relaxed": cross_table(active, "activity", "relaxed"),
            "categories_by_activity": cross_table(self.feeds, "categories", "activity"),
        }

    def figures(self) -> list[Figure]:
        """Share of shapes in each activity class, strict and relaxed."""
        names = [name for name, _ in ACTIVITY[1:]]
        drawn = []
        for form in ("strict", "relaxed"):
            table = cross_table(self.active(), "activity", form)
            lines = []
            for shape in (Shape.PEAKS, Shape.UNIFORM, Shape.WAVES):
                shares = [_share(table.get(name, {}), shape.value) for name in names]
                lines.append(Series(shape.value, list(range(len(names))), shares))
            drawn.append(
                Figure(
                    f"shapes-{form}",
                    f"shapes by activity ({form}): " + ", ".join(f"{i} {n}" for i, n in enumerate(names)),
                    "activity class",
                    "share of feeds",
                    lines,
                )
            )
        return drawn


def analyse(trace: Trace, *, start: float | None = None, end: float | None = None, days: int | None = None) -> Analysis:
    """Every feed of a trace over whole days from ``start`` on (default: the last four weeks before ``end``)."""
    if not len(trace.times):
        raise UsageError(f"trace {trace.name} has no entries to analyse")
    last = trace.last if end is None else end
    if start is None:
        midnight = (last // DAY) * DAY  # the last day may be cut short
        days = days or int(min(28, max(1, (midnight - trace.first) // DAY)))
        begin = midnight - days * DAY
    else:
        begin = start
        days = days or int(max(1, (last - start) // DAY))
    return Analysis(
        name=trace.name,
        start=begin,
        days=days,
        feeds=tuple(_profile(trace, i, begin, days) for i in range(len(trace))),
    )


def _profile(trace: Trace, i: int, start: float, days: int) -> FeedProfile:
    rhythm = rhythm_of(trace.stream(i), start, days)
    texts = {name: column[i] for name, column in trace.columns.items()}
    return FeedProfile(
        feed_id=int(trace.feed_ids[i]),
        per_day=rhythm.per_day,
        activity=activity_of(rhythm.per_day),
        cv=rhythm.cv,
        cv_printed=rhythm.cv_printed,
        strict=shape_of(rhythm.mean),
        relaxed=shape_of(rhythm.mean, majority=RELAXED),
        categories=tuple(
            categories_of(
                url=" ".join(texts.get(name, "") for name in ("feed_url", "url", "host", "name")),
                feed_categories=[texts.get("categories", "")],
            )
        ),
    )


def cross_table(feeds: Iterable[FeedProfile], rows: str, columns: str) -> dict[str, dict[str, int]]:
    """Counts of feeds by two of their properties; a feed with several categories counts in each."""
    table: dict[str, Counter[str]] = {}
    for feed in feeds:
        for row in _values(feed, rows):
            table.setdefault(row, Counter()).update(_values(feed, columns))
    return {row: dict(counts) for row, counts in table.items()}


def _values(feed: FeedProfile, name: str) -> Sequence[str]:
    value = getattr(feed, name)
    if isinstance(value, tuple):
        return value or ("other",)
    return (str(value),)


def _share(counts: dict[str, int], name: str) -> float:
    total = sum(counts.values())
    return counts.get(name, 0) / total if total else 0.0


def as_text(analysis: Analysis) -> str:
    """For a terminal or a README."""
    told = analysis.as_dict()
    lines = [f"{analysis.name}: {len(analysis.feeds):,} feeds over {analysis.days} days"]
    total = max(1, len(analysis.feeds))
    counts = Counter(feed.activity for feed in analysis.feeds)
    lines.append("activity    " + "  ".join(f"{name} {counts[name] / total:.1%}" for name, _ in ACTIVITY))
    lines.append(
        f"periodic    {told['periodic_above_10_a_day']:.1%} above 10 entries a day, "
        f"{told['periodic_above_48_a_day']:.1%} above 48 (coefficient of variation at most 1)"
    )
    for form in ("strict", "relaxed"):
        table = cross_table(analysis.active(), "activity", form)
        lines.append(f"shapes, {form}")
        for name, _ in ACTIVITY[1:]:
            if name in table:
                shares = "  ".join(f"{s.value} {_share(table[name], s.value):.1%}" for s in list(Shape)[:3])
                lines.append(f"  {name:<16} {shares}  ({sum(table[name].values()):,} feeds)")
    categories = Counter(name for feed in analysis.feeds for name in feed.categories or ("other",))
    lines.append("categories  " + "  ".join(f"{name} {count:,}" for name, count in categories.most_common()))
    return "\n".join(lines) + "\n"
