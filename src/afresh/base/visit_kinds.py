"""What a kind of visit promises, and who learns for it how often something changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from afresh.base.models import Bounds, Explanation, Lease, Outcome, Request, Resource, Row, Site

if TYPE_CHECKING:
    from afresh.base.records.pages import SignalCounts
    from afresh.base.visits import Answer, Finding, Planned, Seat

#: Asks the site once more, if the outcome calls for it, and says what came of both.
FollowUp = Callable[[Lease, Outcome], Awaitable[Outcome]]


class VisitKind(Protocol):
    """What is asked for, what an answer means, what is learnt from it, and when to come again."""

    @property
    def follow_up(self) -> FollowUp | None:
        """None: one request is enough."""
        ...

    @property
    def follows_moves(self) -> bool:
        """Whether a permanent redirect changes the URL that is watched."""
        ...

    @property
    def asks_store(self) -> bool:
        """Whether the store has a say in the request: then it is made where the store may be asked."""
        ...

    def request(self, resource: Resource, *, no_cache: bool) -> Request: ...

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        """``plain`` is what status and headers say by themselves; a document has the result SAME there."""
        ...

    def learn(self, known: Resource, answer: Answer, finding: Finding) -> Resource:
        """After a good visit; ``known`` has its counters, validators, window and title already."""
        ...

    def plan(self, known: Resource, answer: Answer, finding: Finding) -> Planned:
        """After a good visit of what is not pinned."""
        ...

    def seat(self, known: Resource, answer: Answer, planned: Planned, *, free: float) -> Seat:
        """The place in the order of its site; no request is made there before ``free``."""
        ...

    def is_priced(self, resource: Resource) -> bool:
        """Whether the price of a visit has a say in its interval."""
        ...

    def bounds(self, resource: Resource) -> Bounds:
        """Limits of the interval between two visits."""
        ...

    def explain(
        self, resource: Resource, *, now: float, site: Site | None, signals: Mapping[str, SignalCounts]
    ) -> Explanation:
        """Why the next visit is when it is, in words and numbers."""
        ...


class Revisits(Protocol):
    """Learns how often something changes, and says when another look is worth its price."""

    @property
    def name(self) -> str: ...

    def row(self, resource: Resource) -> Row:
        """What is believed of the resource; fresh numbers where another rule's were kept."""
        ...

    def learn(self, resource: Resource, *, now: float, changed: bool) -> Row:
        """The row after a visit; ``resource.last_ok`` is the visit before, None: this is the first."""
        ...

    def explain(self, row: Row, price: float, bounds: Bounds) -> Explanation:
        """The reason, and among the numbers ``interval``, the seconds to wait."""
        ...
