"""Rounds: feeds that a refresh strategy governs, chosen together as the laboratory chooses them.  [H12] Ch. 4.

A rule says of one feed when it is due; a strategy looks at all of its feeds at once, every so often, and names those
that are worth a request now. Feeds of one scope are a group with one strategy, one threshold and one part of the
budget. What each group believes of its feeds is what their visits have left in their rows: ``feeds.kind`` learns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from afresh.base.models import Resource, Row
from afresh.base.records.refreshing import GroupReport
from afresh.base.registry import read_spec
from afresh.feeds.estimators import ESTIMATORS, Estimator
from afresh.feeds.strategies import STRATEGIES, Strategy
from afresh.feeds.strategies.divergence import threshold_for
from afresh.feeds.strategies.round import BALANCE, BUDGET, CAP, TAU
from afresh.feeds.strategies.sources import Sources

HORIZON_ROUNDS = 60.0  #: over which savings and debts of a group are paid back
LEAST = 10.0  #: requests between two moves of a threshold: with fewer it would hold the median, not the mean
_LATE = 10.0  # rounds whose budget is made up for when nobody could look
_DAY = 86_400.0

GroupKey = tuple[str, str, str]  # scope, strategy, estimator


@dataclass(frozen=True, slots=True)
class Member:
    """A feed as its group sees it."""

    id: int
    last: float  # its last good visit
    state: Row
    window: float  # entries its document shows
    weight: float  # of an entry
    shortest: float  # interval
    is_resting: bool = False  # it waits for something else: it failed, or is asked at an interval of its own


def strategy_of(spec: str, *, budget: float) -> Strategy:
    """The strategy of a name with so many requests a round; "2steps" is how the thesis spells two_steps.

    >>> strategy_of("2steps:increase=1.1", budget=3.0).name
    'two_steps'
    """
    given = read_spec(spec)[1]
    usual = {"budget": budget, "horizon": HORIZON_ROUNDS, "least": LEAST}
    made: Strategy = STRATEGIES.make(
        _spelled(spec, {"2steps": "two_steps"}), **{key: value for key, value in usual.items() if key not in given}
    )
    return made


def estimator_of(spec: str) -> Estimator:
    """The estimator of a name; "smoothed" is another name of single."""
    made: Estimator = ESTIMATORS.make(_spelled(spec, {"smoothed": "single"}))
    return made


def _spelled(spec: str, others: Mapping[str, str]) -> str:
    name, colon, given = spec.partition(":")
    return others.get(name.strip().lower(), name.strip()) + colon + given


class Group:
    """The feeds of one scope, and the round that is made of them."""

    def __init__(self, scope: str, strategy: str, estimator: str, *, control: Sequence[float] | None = None) -> None:
        self.scope, self.spec, self.model = scope, strategy, estimator
        self._estimator = estimator_of(estimator)
        self.strategy = strategy_of(strategy, budget=1.0)
        self._params = self.strategy.params()
        self.control = self.strategy.control()
        self.has_begun = control is not None and len(control) == len(self.control)  # its threshold was found
        if control is not None and self.has_begun:
            self.control[:] = control
        self._sources: Sources | None = None
        self._ids = np.zeros(0, dtype=np.int64)
        self._place: dict[int, int] = {}
        self._shortest = np.zeros(0)
        self._is_resting = np.zeros(0, dtype=np.bool_)
        self._is_called = np.zeros(0, dtype=np.bool_)  # chosen, and not visited yet
        self._coming: dict[int, Member] = {}
        self._leaving: set[int] = set()
        self.rate, self._chosen = 0.0, 0
        self._spacing = 0.0  # seconds between two visits of a feed, by the budget; 0: no round yet

    def __len__(self) -> int:
        return len(self._place.keys() - self._leaving | self._coming.keys())

    def __contains__(self, feed: int) -> bool:
        return feed in self._coming or (feed in self._place and feed not in self._leaving)

    def note(self, member: Member) -> None:
        """A feed as it is after a visit, or as the store has it."""
        place = self._place.get(member.id)
        if place is None or self._sources is None or member.id in self._leaving:
            self._coming[member.id] = member
        else:
            self._seat(place, member)

    def forget(self, feed: int) -> None:
        self._coming.pop(feed, None)
        if feed in self._place:
            self._leaving.add(feed)

    def was_chosen(self, feed: int) -> bool:
        """Whether a round has chosen it, and it was not noted since."""
        place = self._place.get(feed)
        return place is not None and bool(self._is_called[place])

    def note_extra(self, requests: float) -> None:
        """Requests that no round chose: redirects, robots.txt, tries after a failure. They are paid back."""
        self.control[BALANCE] -= requests

    def round(self, now: float, *, rate: float, length: float, cap: float = math.inf) -> list[int]:
        """The feeds to visit now; ``rate``: requests a second, ``cap``: most of them at once."""
        self._settle_members(now)
        sources = self._sources
        if sources is None or not len(sources):
            return []
        elapsed = min(now - sources.now, _LATE * length) if now > sources.now else length
        self.rate, self._params[BUDGET] = rate, rate * elapsed
        self._params[CAP] = min(self.strategy.cap, cap)
        sources.advance(max(now, sources.now))
        if not self.has_begun:
            self._begin(rate)
        self._follow(len(sources) / rate)
        resting = self._is_resting | self._is_called | (now - sources.last < self._shortest - 1e-6)
        chosen = sources.choose(self.strategy, self._params, self.control, resting)
        free = chosen[~resting[chosen]]
        self.control[BALANCE] += len(chosen) - len(free)
        self._is_called[free] = True
        self._chosen = len(free)
        return [int(one) for one in self._ids[free]]

    def report(self) -> GroupReport:
        return GroupReport(
            scope=self.scope,
            strategy=self.spec,
            estimator=self.model,
            feeds=len(self),
            requests_per_hour=3_600.0 * self.rate,
            threshold=float(self.control[TAU]),
            chosen=self._chosen,
            at=None if self._sources is None else self._sources.now,
        )

    def _begin(self, rate: float) -> None:
        """The threshold at which the feeds as they are believed to be would take the budget."""
        sources = self._sources
        assert sources is not None
        expect, params = type(self._estimator).expect, self._estimator.params()
        rates = [expect(params, state, sources.now, sources.now + _DAY)[0] / _DAY for state in sources.states]
        self.control[TAU] = max(self.strategy.floor, threshold_for(np.array(rates) * sources.weights, rate))
        self.has_begun = True

    def _follow(self, spacing: float) -> None:
        """Another budget, or more feeds: the threshold goes with the square of the mean interval."""
        if self._spacing and abs(spacing - self._spacing) > 0.001 * self._spacing:
            self.control[TAU] *= (spacing / self._spacing) ** 2
        self._spacing = spacing

    def _settle_members(self, now: float) -> None:
        """Who came and went since the last round."""
        if self._leaving and self._sources is not None:
            gone = np.array([self._place[one] for one in self._leaving], dtype=np.int64)
            self._sources.leave(gone)
            self._ids, self._shortest = np.delete(self._ids, gone), np.delete(self._shortest, gone)
            self._is_resting, self._is_called = (np.delete(one, gone) for one in (self._is_resting, self._is_called))
            self._place = {int(one): place for place, one in enumerate(self._ids)}
            self._leaving = set()
        if self._coming:
            self._join(list(self._coming.values()), now)
            self._coming = {}

    def _join(self, members: Sequence[Member], now: float) -> None:
        if self._sources is None:
            self._sources = Sources.of(self._estimator, np.ones(0), now=now)
        first, count = len(self._sources), len(members)
        self._sources.join(count)
        self._ids = np.concatenate([self._ids, np.array([one.id for one in members], dtype=np.int64)])
        self._shortest = np.concatenate([self._shortest, np.zeros(count)])
        self._is_resting = np.concatenate([self._is_resting, np.zeros(count, dtype=np.bool_)])
        self._is_called = np.concatenate([self._is_called, np.zeros(count, dtype=np.bool_)])
        for place, member in enumerate(members, start=first):
            self._place[member.id] = place
            self._seat(place, member)

    def _seat(self, place: int, member: Member) -> None:
        sources = self._sources
        assert sources is not None
        state = member.state if len(member.state) == self._estimator.state_size else None
        sources.put(
            place,
            last=member.last,
            state=np.zeros(self._estimator.state_size) if state is None else state,
            window=member.window,
            weight=member.weight,
        )
        self._shortest[place], self._is_resting[place] = member.shortest, member.is_resting
        self._is_called[place] = False


@dataclass(slots=True)
class Rounds:
    """All groups of a store: who belongs where, and whose turn it is.

    ``member`` says of a resource to which group it belongs and how it stands there; None: to none.
    """

    length: float  # of a round, seconds
    member: Callable[[Resource], tuple[GroupKey, Member] | None]
    kept: Mapping[str, Sequence[float]] = field(default_factory=dict)  # controls of an earlier run, by scope
    groups: dict[GroupKey, Group] = field(default_factory=dict)
    _homes: dict[int, GroupKey] = field(default_factory=dict)
    _met: set[int] = field(default_factory=set)  # while all resources are read
    _released: list[int] = field(default_factory=list)  # governed no more: due at once, for nobody has planned them
    next_at: float = -math.inf

    def __len__(self) -> int:
        return len(self._homes)

    def note(self, resource: Resource, *, extra: float = 0.0) -> None:
        """A resource as it is now; ``extra``: requests that its visit took and no round had chosen."""
        self._met.add(resource.id)
        found, home = self.member(resource), self._homes.get(resource.id)
        if home is not None and (found is None or found[0] != home):
            self.groups[home].forget(resource.id)
            del self._homes[resource.id]
            self._released.append(resource.id)
        if found is None:
            return
        key, member = found
        if key not in self.groups:
            self.groups[key] = Group(*key, control=self.kept.get(key[0]))
        self._homes[resource.id] = key
        self.groups[key].note(member)
        if extra:
            self.groups[key].note_extra(extra)

    def begin_reading(self) -> None:
        """All resources are read anew from here."""
        self._met = set()

    def end_reading(self) -> None:
        """Who was not met with is watched no more; groups without feeds are no more."""
        for feed in [one for one in self._homes if one not in self._met]:
            self.groups[self._homes.pop(feed)].forget(feed)
        for key in [key for key, group in self.groups.items() if not len(group)]:
            del self.groups[key]

    def was_chosen(self, feed: int) -> bool:
        """Whether its visit was chosen by a round."""
        home = self._homes.get(feed)
        return home is not None and self.groups[home].was_chosen(feed)

    def rate_of(self, group: Group, total: float, resources: int) -> float:
        """Its part of the requests a second: that of its feeds among all that is visited."""
        return total * len(group) / max(1, resources, len(self._homes))

    def due(self, now: float, *, total: float, resources: int, room: float = math.inf) -> list[int]:
        """The feeds to visit now, if it is time for a round. ``total``: requests a second for all ``resources``."""
        if now < self.next_at - 1e-6:
            return []
        is_first = math.isinf(self.next_at)
        at = self.next_at if now < self.next_at + self.length and not is_first else now
        self.next_at = (math.floor(at / self.length + 1e-9) + 1.0) * self.length
        if is_first:
            return []
        released, self._released = self._released, []
        chosen: list[int] = []
        for group in self.groups.values():
            rate = self.rate_of(group, total, resources)
            if rate > 0.0:
                chosen += group.round(at, rate=rate, length=self.length, cap=max(0.0, room - len(chosen)))
        return released + chosen

    def reports(self) -> tuple[GroupReport, ...]:
        return tuple(group.report() for group in self.groups.values())

    def controls(self) -> dict[str, list[float]]:
        """To go on with in the next run."""
        return {
            scope: [float(one) for one in group.control]
            for (scope, _, _), group in self.groups.items()
            if group.has_begun
        }
