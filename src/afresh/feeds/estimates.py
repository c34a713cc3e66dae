"""What estimators make of the visits of one feed: for people, and to begin with where one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from afresh.base.compiled import interpreted
from afresh.base.models import Row
from afresh.base.records.explained import Belief
from afresh.feeds.estimators import ESTIMATORS, Estimator
from afresh.feeds.rounds import estimator_of

if TYPE_CHECKING:
    from afresh.base.models import Visit

VISITS = 200  #: of the log that are looked at
_HOUR, _DAY = 3_600.0, 86_400.0


@lru_cache(maxsize=256)
def model_of(spec: str) -> Estimator:
    """The estimator of a name, made once."""
    return estimator_of(spec)


def learnt(model: Estimator, visits: Sequence[Visit], *, window: float) -> Row:
    """The model's row after these visits, given newest first as the store has them.

    Uncompiled: a page or a command shall not wait until seven models are compiled for a few numbers.
    """
    state, params = np.zeros(model.state_size), model.params()
    update = interpreted(type(model).update)
    good = [visit for visit in reversed(visits) if visit.result.is_success]
    if model.reach is not None:
        good = good[-model.reach - 1 :]
    for before, visit in pairwise(good):
        update(params, state, before.finished, visit.finished, float(visit.new), float(visit.missed), window)
    return state


def beliefs(visits: Sequence[Visit], *, now: float, window: float) -> tuple[Belief, ...]:
    """What each estimator would believe now, had it been asked all along; none before two visits."""
    good = [visit.finished for visit in visits if visit.result.is_success]
    if len(good) < 2:
        return ()
    found = []
    for name in ESTIMATORS:
        model = model_of(name)
        state = learnt(model, visits, window=max(1.0, window))
        expect, params = interpreted(type(model).expect), model.params()
        day, hour, unseen = (
            float(expect(params, state, since, until)[0])
            for since, until in ((now, now + _DAY), (now, now + _HOUR), (good[0], max(now, good[0])))
        )
        found.append(Belief(estimator=name, per_day=day, next_hour=hour, unseen=unseen))
    return tuple(found)
