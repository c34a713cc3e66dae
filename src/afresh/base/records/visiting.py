"""What an operator has decided about the visits of one resource, as lists carry it from one store to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from afresh.base.models import Status
from afresh.base.value_class import alike
from afresh.base.without_defaults import as_text, from_text, unusual

if TYPE_CHECKING:
    from afresh.base.models import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Visiting:
    """Values by the names that ``engine.edit_resource.change`` has for them; the defaults are those of the settings."""

    paused: bool = False
    pinned: float | None = None
    shortest: float | None = None
    longest: float | None = None
    standard: float | None = None
    weight: float = 1.0
    rule: str | None = None

    @classmethod
    def of(cls, resource: Resource) -> Self:
        """Those of a resource; one that ended by itself (410) begins anew elsewhere."""
        return alike(cls, resource, paused=resource.status is Status.PAUSED)

    def to_text(self) -> str:
        """JSON of what was decided; empty: nothing."""
        return as_text(self) if unusual(self) else ""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What ``to_text`` made; raises UsageError."""
        return from_text(cls, text, "visits")
