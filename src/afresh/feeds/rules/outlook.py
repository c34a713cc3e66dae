"""What the default rule expects of a feed, hour by hour: for pages and people, not for decisions."""

import math
from dataclasses import dataclass

import numpy as np

from afresh.base.compiled import interpreted
from afresh.base.models import Row
from afresh.feeds.rules._intensity import DAY, LATELY, PACE, rates
from afresh.feeds.rules._rhythm import is_rhythm_known, rhythm
from afresh.feeds.rules.priced import Priced

_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Outlook:
    """A feed's learnt week and the hours ahead; all rates are entries an hour of the rule's day."""

    hour: float  # seconds that an hour lasts; 3,600 unless the rule was told of another day
    week: Row  # 168 hours from Monday 00 h UTC, at the usual rate
    starts: Row  # beginning of each hour ahead; the first is the running one
    expected: Row  # in each of them
    is_own: bool  # whether the week is the feed's own, or still that of feeds in general


def outlook(state: Row, now: float, *, hours: int = 24, rule: Priced | None = None) -> Outlook:
    """Usual rate times rhythm, and what the last days add to it, fading (docs/theory/priced.md).

    Left out is the renewal factor, which bends the first hours after an entry: a plan needs it, a picture does not.
    """
    rule = rule or Priced()
    params, state = rule.params(), rule.state_from(state)
    pace = float(state[PACE])
    now *= pace
    usual, lately = (float(rate) for rate in interpreted(rates)(params, state, now))
    quarters, weekdays, minutes = np.empty(96), np.empty(7), np.empty(60)
    interpreted(rhythm)(params, state, quarters, weekdays, minutes)
    by_hour = quarters.reshape(24, 4).sum(axis=1)
    by_hour /= by_hour.mean()
    by_day = weekdays / weekdays.mean()
    week = usual * _HOUR * (by_day[:, None] * by_hour[None, :]).ravel()
    first = math.floor(now / _HOUR)
    numbers = first + np.arange(hours)
    places = (numbers + 3 * 24) % 168  # 1970 began on a Thursday
    starts = numbers.astype(np.float64) * _HOUR
    extra = (lately - usual) / usual if usual > 0.0 else 0.0
    level = 1.0 + extra * np.exp(-np.maximum(starts - now, 0.0) / (params[LATELY] * DAY))
    expected = np.maximum(week[places] * level, 0.0)
    return Outlook(_HOUR / pace, week, starts / pace, expected, bool(interpreted(is_rhythm_known)(state)))
