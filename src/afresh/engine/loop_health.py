"""What the loop says of itself: for status pages, metrics and tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from afresh.base.models import Result
from afresh.engine.supervision import Companion


@dataclass(slots=True)
class LoopHealth:
    """Counted since the start."""

    started: float = 0.0
    last_turn: float = 0.0
    in_flight: int = 0
    visits: int = 0
    recorded: int = 0
    refused: int = 0  # reports that came too late
    is_offline: bool = False  # the last visit found our own network down
    results: dict[Result, int] = field(default_factory=dict)
    companions: dict[str, Companion] = field(default_factory=dict)  # what runs beside the loop, by name
