"""Random samples of feeds: of a trace, or of any list of addresses."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from afresh.base.errors import UsageError
from afresh.lab.replay.trace import Trace

T = TypeVar("T")


def sample(items: Sequence[T], count: int, *, seed: int) -> list[T]:
    """That many of the items, each as likely as the other, in their old order.  [R12] §3.4.5."""
    if not 0 <= count <= len(items):
        raise UsageError(f"cannot take {count} of {len(items)}")
    chosen = np.random.default_rng(seed).choice(len(items), count, replace=False)
    return [items[i] for i in np.sort(chosen).tolist()]


def sample_feeds(trace: Trace, count: int, *, seed: int) -> Trace:
    """The trace of that many feeds chosen at random."""
    mask = np.zeros(len(trace), dtype=np.bool_)
    mask[sample(range(len(trace)), count, seed=seed)] = True
    return trace.select(mask)
