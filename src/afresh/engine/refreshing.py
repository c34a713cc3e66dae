"""Refresh strategies in the running loop: whom they govern, when a round is due, and what it may spend."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from afresh.base.models import Lease, Outcome, Report, Resource, ResourceFilter, Status
from afresh.base.settings import Settings
from afresh.engine.choose_refresh import REPORT
from afresh.feeds.rounds import Rounds

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.engine.budget import Budget
    from afresh.engine.kinds import Kinds

_ACTIVE = ResourceFilter(status=Status.ACTIVE)
_PAGE = 1_000  # resources that are read in a turn
_ANEW = 600.0  # seconds after which all are read again: some are removed, some moved to another folder
_KEPT = 60.0  # seconds between two writings of where the thresholds stand


class Refreshing:
    """Keeps the groups of a store up to date and asks them, round by round, whom to visit."""

    def __init__(self, store: Store, kinds: Kinds, budget: Budget, settings: Settings) -> None:
        self._store, self._kinds, self._budget = store, kinds, budget
        self._standard = settings.predict.standard
        kept = json.loads(store.get_setting(REPORT) or "{}")
        self.rounds = Rounds(settings.refresh.round, kinds.member, kept=kept.get("controls", {}))
        self._read_to: int | None = None  # number up to which resources were read; None: none is being read
        self._read_at = -math.inf
        self._seen = -1  # version of the choices by which they were read
        self._resources = 0  # that are visited at all
        self._kept = -math.inf
        self._lock = Lock()  # visits end in several threads

    @property
    def next_at(self) -> float:
        """When the next round is."""
        return self.rounds.next_at

    def wants_to_read(self, now: float) -> bool:
        """Whether resources are to be read: at first, now and then, and when somebody has said something else."""
        return self._read_to is not None or now >= self._read_at + _ANEW or self._kinds.choices_version != self._seen

    def read(self, now: float) -> None:
        """Read some of the resources: whom does which strategy govern?"""
        with self._lock:
            if self._read_to is None:
                self._read_to, self._read_at, self._seen = 0, now, self._kinds.choices_version
                self.rounds.begin_reading()
            page = self._store.list_resources(_ACTIVE, after=self._read_to, limit=_PAGE)
            for resource in page:
                self.rounds.note(resource)
            self._read_to = page[-1].id if len(page) == _PAGE else None
            if self._read_to is None:
                self.rounds.end_reading()
                self._resources = self._store.count(_ACTIVE)

    def due(self, now: float, *, room: float) -> list[int]:
        """Feeds to visit now; ``room``: how many requests may leave."""
        if now < self.next_at - 1e-6:
            return []
        with self._lock:
            total = self._total
            found = self.rounds.due(now, total=total, resources=self._resources, room=room)
            governed = len(self.rounds)
            if (steering := self._budget.steering) is not None:
                steering.set_aside(governed, total * governed / max(1, self._resources, governed))
            return found

    @property
    def _total(self) -> float:
        """Requests a second for everything; without a budget one a resource and standard interval."""
        pace = None if self._budget.steering is None else self._budget.steering.pace
        return self._resources / self._standard if pace is None else pace

    def note_done(self, lease: Lease, outcome: Outcome, report: Report) -> None:
        """What a visit taught; a request that no round has chosen is paid back, but for the first look at a feed."""
        trip = outcome.trip
        is_first = lease.resource.last_ok is None
        more = trip.requests + trip.robots_requests - 1
        with self._lock:
            was_chosen = self.rounds.was_chosen(lease.resource.id)
            self.rounds.note(report.resource, extra=max(0, more) + (0 if was_chosen or is_first else 1))

    def note_elsewhere(self, resources: Sequence[Resource]) -> None:
        """Visits that other daemons made."""
        with self._lock:
            for resource in resources:
                self.rounds.note(resource)

    def keeping(self, now: float) -> Callable[[Store], None] | None:
        """Writes where thresholds stand, now and then; None: not yet."""
        if now < self._kept + _KEPT or not len(self.rounds):
            return None
        self._kept = now
        report = {
            "at": now,
            "groups": [asdict(one) for one in self.rounds.reports()],
            "controls": self.rounds.controls(),
        }
        return partial(_keep, text=json.dumps(report))


def _keep(store: Store, *, text: str) -> None:
    store.put_setting(REPORT, text)
