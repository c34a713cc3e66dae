"""Trained profiles in the daemon: learnt from the stored entries of a feed, and learnt anew now and then."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from afresh.base.models import Row
from afresh.feeds.rules.rule import Rule

if TYPE_CHECKING:
    from afresh.base.protocols import Store

_KEPT = 10_000  # feeds whose profile is remembered between two polls


class Profiles:
    """Profile rows of rules that need one (IndHist and its kin).

    [BGR06] suggest to train again periodically without saying when: every ``period`` seconds here. A feed about which
    nothing is stored yet has a profile of zeros, for which these rules use the standard interval.
    """

    def __init__(self, store: Store, *, period: float = 7 * 86_400.0) -> None:
        self._store, self._period = store, period
        self._known: OrderedDict[tuple[int, str], tuple[float, Row]] = OrderedDict()

    def profile(self, resource: int, rule: Rule, now: float) -> Row | None:
        """The profile to put behind the hints; None for rules that need none."""
        if not rule.profile_size:
            return None
        key = (resource, rule.name)
        trained, row = self._known.get(key, (-np.inf, np.zeros(rule.profile_size)))
        if now - trained >= self._period:
            times = self._times(resource)
            row = cast("Row", cast("Any", rule).train(times[times < now], float(now - self._period), now))
            self._known[key] = (now, row)
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return row

    def _times(self, resource: int) -> Row:
        times: list[float] = []
        after = 0
        while page := self._store.entries(after=after, limit=1000, resource=resource):
            after = page[-1].seq
            times += [item.entry.published for item in page]
        return np.sort(np.array(times, dtype=np.float64))
