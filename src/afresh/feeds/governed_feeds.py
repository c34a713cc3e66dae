"""Feeds that a refresh strategy governs: what their visits teach, when they are due at the latest, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.durations import format_duration
from afresh.base.models import Bounds, Explanation, Resource, Row, Status
from afresh.base.plain_numbers import often
from afresh.base.visits import Answer, Finding, Planned
from afresh.feeds.estimates import VISITS, learnt, model_of
from afresh.feeds.rounds import GroupKey, Member

if TYPE_CHECKING:
    from afresh.base.models import Visit
    from afresh.base.protocols import Store
    from afresh.feeds.strategy_choices import Choices, Chosen

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Governing:
    """Asked by the kind of visit before it asks a rule."""

    choices: Choices
    store: Store
    pushed: Callable[[int, float], float | None] | None = None  # interval of a feed that a hub tells of

    def of(self, resource: Resource) -> Chosen | None:
        """The strategy that governs it; None: a rule, an interval of its own, or a hub does."""
        chosen = self.choices.of(resource)
        if chosen.is_priced or resource.pinned is not None:
            return None
        if resource.rule is not None and chosen.by.get("strategy") != f"feed:{resource.id}":
            return None
        if self.pushed is not None and self.pushed(resource.id, resource.last_visit or 0.0) is not None:
            return None
        return chosen

    def plan(self, chosen: Chosen, known: Resource, answer: Answer, finding: Finding, bounds: Bounds) -> Planned:
        """Learn from the visit; due when the longest interval is over, unless a round chooses it before."""
        spec = _estimator(chosen)
        model, state = model_of(spec), self.state(spec, answer.before)
        before, now = answer.before.last_ok, answer.now
        if before is not None and now > before:
            new, full = float(len(finding.entries)), float(finding.missed)
            type(model).update(model.params(), state, before, now, new, full, _window(known))
        return Planned(
            now + bounds.longest, self._words(chosen, state, now, bounds), state=state, state_of=_owner(spec)
        )

    def member(self, resource: Resource, *, bounds: Bounds, weight: float) -> tuple[GroupKey, Member] | None:
        """Its group (scope, strategy, estimator) and how it stands there; None: no strategy governs it, or not yet."""
        if resource.status is not Status.ACTIVE or resource.last_ok is None:
            return None
        chosen = self.of(resource)
        if chosen is None:
            return None
        spec, scope = _estimator(chosen), chosen.by.get("strategy", "")
        result = resource.last_result
        member = Member(
            id=resource.id,
            last=resource.last_ok,
            state=self.state(spec, resource),
            window=_window(resource),
            weight=weight,
            shortest=bounds.shortest,
            is_resting=result is not None and not result.is_success,
        )
        return ("feeds" if scope.startswith("feed:") else scope, chosen.strategy, spec), member

    def state(self, spec: str, resource: Resource) -> Row:
        """What the estimator has learnt; where another one learnt before, what the log of visits teaches it."""
        model = model_of(spec)
        if resource.state_of == _owner(spec) and len(resource.state) == model.state_size:
            return resource.state.copy()
        if resource.last_ok is None:
            return np.zeros(model.state_size)
        return learnt(model, self.visits(resource.id), window=_window(resource))

    def visits(self, resource: int) -> Sequence[Visit]:
        return [visit for _, visit in self.store.visits(resource=resource, limit=VISITS)]

    def explain(self, chosen: Chosen, resource: Resource, *, now: float, bounds: Bounds) -> Explanation:
        spec = _estimator(chosen)
        model, state = model_of(spec), self.state(spec, resource)
        last = now if resource.last_ok is None else resource.last_ok
        unseen, moment = type(model).expect(model.params(), state, last, max(now, last))
        numbers = {
            "per_day": _per_day(spec, state, now),
            "unseen": float(unseen),
            "utility": float(moment),
            "window": _window(resource),
            "shortest": bounds.shortest,
            "longest": bounds.longest,
        }
        words = resource.reason or self._words(chosen, state, now, bounds)
        return Explanation(rule=f"{chosen.strategy} ({spec})", summary=words, numbers=numbers)

    def _words(self, chosen: Chosen, state: Row, now: float, bounds: Bounds) -> str:
        spec = _estimator(chosen)
        return (
            f"{chosen.strategy} chooses in rounds what is worth a request ({_by(chosen)}); {spec} expects "
            f"{often(_per_day(spec, state, now), 'entry', 'entries')}, and after {format_duration(bounds.longest)} "
            f"it is visited in any case"
        )


def _by(chosen: Chosen) -> str:
    scope = chosen.by.get("strategy", "all")
    return "refresh.strategy" if scope == "all" else f"said for {scope.replace(':', ' ', 1)}"


def _per_day(spec: str, state: Row, now: float) -> float:
    model = model_of(spec)
    return float(type(model).expect(model.params(), state, now, now + _DAY)[0])


def _estimator(chosen: Chosen) -> str:
    return chosen.choice.estimator or "hybrid"


def _owner(spec: str) -> str:
    """The name under which the store keeps an estimator's row: rules have names, too."""
    return f"estimator:{spec}"


def _window(resource: Resource) -> float:
    return float(max(1, resource.capacity))
