"""The link as a kind of visit: is it still the page that was saved, and when is another look due?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Protocol

from afresh.base.models import Bounds, Explanation, Lease, Outcome, Request, Resource, Result, Site
from afresh.base.visits import Answer, Finding, Planned, Seat, out_of_turn, own_bounds

if TYPE_CHECKING:
    from afresh.base.records.pages import SignalCounts
    from afresh.base.visit_kinds import FollowUp, Revisits


class LinkChecks(Protocol):
    """Checks watched links: what is asked for, the probe of a site that answers anything, and the verdict."""

    def request(self, resource: Resource, *, no_cache: bool) -> Request: ...

    async def follow_up(self, lease: Lease, outcome: Outcome) -> Outcome:
        """Probes the site where the page calls for it; the outcome then ends with the last request."""
        ...

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        """The finding with the check to be recorded."""
        ...


@dataclass(frozen=True, slots=True)
class LinkKind:
    """Visits of saved links. For a link the news is a change of its standing, not of its text."""

    follows_moves: ClassVar[bool] = False  # a move is offered to the person who saved the link
    asks_store: ClassVar[bool] = False

    revisits: Revisits  # a link changes when its standing does
    limits: Bounds
    price: Callable[[Resource], float]
    checks: LinkChecks | None = None  # None: only to explain

    @property
    def follow_up(self) -> FollowUp | None:
        return None if self.checks is None else self.checks.follow_up

    def request(self, resource: Resource, *, no_cache: bool) -> Request:
        assert self.checks is not None
        return self.checks.request(resource, no_cache=no_cache)

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        return plain if self.checks is None else self.checks.judge(answer, plain)

    def learn(self, known: Resource, answer: Answer, finding: Finding) -> Resource:
        row = self.revisits.learn(answer.before, now=answer.now, changed=finding.result is Result.NEW)
        return replace(known, state=row, state_of=self.revisits.name)

    def plan(self, known: Resource, answer: Answer, finding: Finding) -> Planned:  # noqa: ARG002 (learnt already)
        told = self.revisits.explain(known.state, self.price(known), self.bounds(known))
        return Planned(answer.now + told.numbers["interval"], told.summary)

    def seat(self, known: Resource, answer: Answer, planned: Planned, *, free: float) -> Seat:  # noqa: ARG002
        return out_of_turn(answer.before)

    def is_priced(self, resource: Resource) -> bool:  # noqa: ARG002
        return True

    def bounds(self, resource: Resource) -> Bounds:
        return own_bounds(resource, self.limits)

    def explain(
        self,
        resource: Resource,
        *,
        now: float,  # noqa: ARG002
        site: Site | None = None,  # noqa: ARG002
        signals: Mapping[str, SignalCounts] | None = None,  # noqa: ARG002
    ) -> Explanation:
        return self.revisits.explain(self.revisits.row(resource), self.price(resource), self.bounds(resource))
