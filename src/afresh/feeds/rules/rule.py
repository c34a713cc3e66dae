"""What all rules share: named parameters with units, their check, and the row a compiled step reads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from afresh.base.durations import format_duration
from afresh.base.errors import ModelError
from afresh.base.models import Bounds, Explanation, Row

if TYPE_CHECKING:
    from afresh.base.protocols import Step


def duration(default: float, *, low: float = 0.0, open_low: bool = True) -> float:
    """A parameter in seconds; also for a price, whose unit (entry-seconds) scales with the unit of time.

    NaN means "not set" where it is the default.
    """
    return field(default=default, metadata={"kind": "duration", "low": low, "open": open_low})


def number(default: float, *, low: float = 0.0, high: float = math.inf, open_low: bool = True) -> float:
    """A parameter without a unit, checked to lie between ``low`` and ``high``."""
    meta = {"kind": "number", "low": low, "high": high, "open": open_low}
    return field(default=default, metadata=meta)


def choice(default: str, *options: str) -> str:
    """One of several words; the params row carries its index."""
    return field(default=default, metadata={"kind": "choice", "options": (default, *options)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Says, after each poll of a feed, when to poll it next.

    A rule is a frozen dataclass of named parameters and one compiled step (``base.compiled.STEP``). It declares its
    parameters with ``duration``, ``number`` and ``choice``, in the order in which its step reads them from
    ``params[3:]``. Traits that are not parameters are class variables.
    """

    name: ClassVar[str] = ""
    state_size: ClassVar[int] = 0  # float64s kept per feed between polls; zeros: nothing learnt yet
    profile_size: ClassVar[int] = 0  # float64s of a trained profile expected behind the hints; 0: needs no training
    step: ClassVar[Step]
    is_priced: ClassVar[bool] = False  # looks at the price among the hints
    needs_counts: ClassVar[bool] = False  # reads COUNT_7D .. OLDEST_30D of the hints
    warm_up: ClassVar[bool] = False  # learns while it polls: a replay lets it poll through the training part
    has_calendar: ClassVar[bool] = False  # knows hours, days or other fixed spans
    is_bounded: ClassVar[bool] = True  # keeps its interval within shortest and longest
    is_random: ClassVar[bool] = False  # uses u

    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        for item in parameters_of(type(self)):
            _check(self.name, item, getattr(self, item.name))

    def params(self) -> Row:
        """The row the step reads: shortest, longest, standard, then the parameters as they are declared."""
        values = [self.bounds.shortest, self.bounds.longest, self.bounds.standard]
        for item in parameters_of(type(self)):
            value = getattr(self, item.name)
            options = item.metadata.get("options")
            values.append(float(options.index(value) if options else value))
        row = np.array(values)
        row.flags.writeable = False
        return row

    def state_from(self, kept: Row) -> Row:
        """A state of its own from one that was kept, perhaps by an earlier version; zeros where it cannot be read."""
        return kept.copy() if len(kept) == self.state_size else np.zeros(self.state_size)

    def wait(self, state: Row, now: float, window: Row, hints: Row) -> float:
        """How long the step would have the feed wait, without moving its state."""
        return float(type(self).step(self.params(), state.copy(), now, window, 0, hints, 0.0)) - now

    def explain(self, state: Row, now: float, window: Row, hints: Row) -> Explanation:
        """Why the poll after the one at ``now`` is when it is; ``state`` as the step left it."""
        raise NotImplementedError


def parameters_of(cls: type[Any]) -> Iterator[Field[Any]]:
    """The declared parameters of a rule class, without the bounds."""
    return (item for item in fields(cls) if item.name != "bounds")


def check_bounds(bounds: Bounds) -> None:
    """Refuse limits that contradict each other (0 < shortest ≤ standard ≤ longest, Reichert §4.2.1)."""
    if not 0.0 < bounds.shortest <= bounds.standard <= bounds.longest:
        shown = ", ".join(f"{n} {format_duration(getattr(bounds, n))}" for n in ("shortest", "standard", "longest"))
        raise ModelError(f"bounds must satisfy 0 < shortest ≤ standard ≤ longest, got {shown}")


def explained(rule: Rule, summary: str, **numbers: float) -> Explanation:
    """An explanation with the bounds among its numbers."""
    b = rule.bounds
    return Explanation(
        rule=rule.name,
        summary=summary,
        numbers={**numbers, "shortest": b.shortest, "longest": b.longest, "standard": b.standard},
    )


def bounded_words(rule: Rule, interval: float) -> str:
    """An interval in words, with the limit that changed it."""
    b = rule.bounds
    if not interval > 0:
        return f"no interval can be computed, so the standard {format_duration(b.standard)} is used"
    if interval < b.shortest:
        return f"{format_duration(interval)}, raised to the least allowed {format_duration(b.shortest)}"
    if interval > b.longest:
        return f"{format_duration(interval)}, cut to the most allowed {format_duration(b.longest)}"
    return format_duration(interval)


def _check(rule: str, item: Field[Any], value: Any) -> None:
    meta = item.metadata
    if meta["kind"] == "choice":
        if value not in meta["options"]:
            raise ModelError(f"{rule}: {item.name} must be one of {', '.join(meta['options'])}, not {value!r}")
        return
    if math.isnan(value) and isinstance(item.default, float) and math.isnan(item.default):
        return
    low, high = meta["low"], meta.get("high", math.inf)
    if not (low < value if meta["open"] else low <= value) or not value <= high:
        sign = ">" if meta["open"] else "≥"
        limit = "" if math.isinf(high) else f" and ≤ {high:g}"
        raise ModelError(f"{rule}: {item.name} must be {sign} {low:g}{limit}, not {value:g}")
