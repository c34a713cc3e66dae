"""What an operator says of the visits of feeds: for one, a folder, a tag or the sources of a query feed."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import msgspec

from afresh.base.durations import format_duration
from afresh.base.errors import UsageError
from afresh.base.plain_numbers import amount, must_save

KEY = "refresh.scopes"  #: where the store keeps what is said, by scope
PRICED = "priced"  #: the strategy that goes by rules and a price


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How feeds are visited, and what shall be reached; None: as is said for more than these."""

    strategy: str | None = None
    estimator: str | None = None
    mean_delay: float | None = None  # seconds, at most
    completeness: float | None = None  # share of the entries that is found, at least

    def over(self, general: Choice) -> Choice:
        """What is said here, and for the rest what is said for more."""
        return replace(general, **self.said())

    def said(self) -> dict[str, Any]:
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) is not None}

    @property
    def words(self) -> str:
        """As people say it; as usual where nothing is said."""
        parts = [f"{name} {value}" for name, value in self.said().items() if name in ("strategy", "estimator")]
        parts += [] if self.mean_delay is None else [f"a mean delay of {format_duration(self.mean_delay)} at most"]
        parts += [] if self.completeness is None else [f"completeness {self.completeness:g} at least"]
        return ", ".join(parts) or "as usual"

    @property
    def is_empty(self) -> bool:
        return not self.said()

    @property
    def has_target(self) -> bool:
        return self.mean_delay is not None or self.completeness is not None

    @classmethod
    def of(cls, said: dict[str, Any]) -> Self:
        try:
            return msgspec.convert(said, cls, strict=False)
        except msgspec.MsgspecError as error:
            raise UsageError(f"not a choice of how feeds are visited: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport:
    """What a group does, for people."""

    scope: str
    strategy: str
    estimator: str
    feeds: int
    requests_per_hour: float  # its part of the budget
    threshold: float  # τ
    chosen: int  # in its last round
    at: float | None  # of that; None: there was none yet

    @property
    def words(self) -> str:
        """As a sentence."""
        return (
            f"{self.strategy} ({self.estimator}) for {self.scope.replace(':', ' ', 1)}: {self.feeds:,} feeds, "
            f"{amount(self.requests_per_hour)} requests an hour, {must_save(self.threshold)}"
        )


def to_text(choices: dict[str, Choice]) -> str:
    """As the store keeps them: JSON by scope."""
    return msgspec.json.encode({scope: one.said() for scope, one in choices.items() if not one.is_empty}).decode()


def from_text(text: str | None) -> dict[str, Choice]:
    """What ``to_text`` made; what is damaged is as if nobody had said anything."""
    try:
        found = msgspec.json.decode(text or "{}", type=dict[str, dict[str, Any]])
        return {scope: Choice.of(said) for scope, said in found.items()}
    except (msgspec.MsgspecError, UsageError):
        return {}
