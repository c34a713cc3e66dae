"""What a visit that followed an announcement teaches the Gamma belief.

An ordinary visit comes at a time that has nothing to do with the change it finds, so finding one says "at least one
change in this interval". A visit that was made because a change had been announced comes *when* there is one; to learn
from it in the same way would take every announced page for a fast one. It is the end of a waiting time instead:
Gamma(a+1, b+I).
"""

from afresh.base.models import Row
from afresh.pages.beliefs.octaves import ANNOUNCED
from afresh.pages.policies.belief import learn_rate, prior_of
from afresh.pages.policies.world import CHANGES, WATCHED


def learn_announced(params: Row, page: Row, world: Row, elapsed: float) -> None:
    """A visit ``elapsed`` seconds after the one before found the change that had been announced."""
    prior = prior_of(params, world)
    world[CHANGES] += 1.0
    world[WATCHED] += elapsed
    learn_rate(params, page, prior, elapsed, elapsed, ANNOUNCED)
