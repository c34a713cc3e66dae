"""What a visit that followed an announcement teaches the Gamma belief.

An ordinary visit comes at a time that has nothing to do with the change it finds, so finding one says "at least one
change in this interval". A visit that was made because a change had been announced comes *when* there is one; to learn
from it in the same way would take every announced page for a fast one. It is the end of a waiting time instead:
Gamma(a+1, b+I).
"""

import math

from afresh.base.models import Row
from afresh.pages.beliefs.gamma import capped, faded
from afresh.pages.policies.belief import EVIDENCE, EXPOSURE, HALF_LIFE, MEMORY, prior_of
from afresh.pages.policies.world import CHANGES, WATCHED


def learn_announced(params: Row, page: Row, world: Row, elapsed: float) -> None:
    """A visit ``elapsed`` seconds after the one before found the change that had been announced."""
    a0, b0 = prior_of(params, world)
    a, b = (page[EVIDENCE], page[EXPOSURE]) if page[EXPOSURE] > 0.0 else (a0, b0)
    world[CHANGES] += 1.0
    world[WATCHED] += elapsed
    a, b = faded(a, b, a0, b0, math.exp2(-elapsed / params[HALF_LIFE]))
    page[EVIDENCE], page[EXPOSURE] = capped(a + 1.0, b + elapsed, params[MEMORY])
