"""A replay for notebooks: rules by name on a trace, the results as columns."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.durations import parse_duration
from afresh.base.models import Bounds
from afresh.lab.compare import all_specs, compare
from afresh.lab.replay.period import period_of
from afresh.lab.replay.trace import Trace
from afresh.lab.traces.read import read_trace


def replay_rules(
    trace: Trace | str | Path,
    rules: Sequence[str] = (),
    *,
    train: float | str | None = None,
    test: float | str | None = None,
    bounds: Bounds | None = None,
    match: str | None = None,
    where: Sequence[str] = (),
    seed: int = 0,
    jobs: int = 1,
) -> dict[str, NDArray[Any]]:
    """What each rule would have polled, found and missed, and how late: one row a rule, one array a column.

    ``trace`` is a trace or the folder of one, ``rules`` are written as ``afresh lab replay --rule`` takes them (none:
    all there are), ``match`` names the rule whose polls priced rules may spend. Delays are in seconds.
    ``train`` and ``test`` are fitted to the trace where they are not told, 28 and 56 days at most.

    >>> from afresh.lab.population import generate
    >>> found = replay_rules(generate(20, seed=1, days=28), ["fix:interval=1h", "mavsync"], train="7d", test="20d")
    >>> found["rule"].tolist(), found["polls"].tolist() == [9600, int(found["polls"][1])], found["recall_feeds"].dtype
    (['fix:interval=1h', 'mavsync'], True, dtype('float64'))
    """
    history = trace if isinstance(trace, Trace) else read_trace(trace)
    period = period_of(history, train=_seconds(train), test=_seconds(test))
    rows = compare(
        history,
        list(rules) or all_specs(),
        period=period,
        bounds=bounds or Bounds(),
        match=match,
        where=where,
        jobs=jobs,
        seed=seed,
    )
    flat = [row.as_dict() for row in rows]
    return {name: np.array([one[name] for one in flat]) for name in flat[0] if name != "params"}


def _seconds(given: float | str | None) -> float | None:
    return parse_duration(given) if isinstance(given, str) else given
