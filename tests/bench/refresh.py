"""One planning round over 200,000 sources: how long, and how many bytes a source?"""

import time

import numpy as np

from afresh.feeds.strategies.sources import Sources
from afresh.lab.refresh.catalogue import estimator, strategy

SOURCES = 200_000
ROUNDS = 30


def bytes_per_source(sources: Sources) -> float:
    """Memory, the model's rows included."""
    arrays = (sources.states, sources.last, sources.windows, sources.selectivity, sources.weights, *sources.standings)
    return sum(array.nbytes for array in arrays) / max(1, len(sources))


def measure() -> dict[str, float]:
    """2Steps, best of many rounds, for the machine may be busy; a tenth of the sources is saturated to begin with."""
    rng = np.random.default_rng(0)
    sources = Sources.of(estimator("single"), np.full(SOURCES, 20.0), now=0.0)
    sources.states[:] = rng.exponential(3.0 / 86_400.0, sources.states.shape)
    sources.advance(3 * 86_400.0)
    rule = strategy("two_steps", budget=1_000.0, tau=2e5)
    params, control = rule.params(), rule.control()
    spent = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        sources.advance(sources.now + 60.0)
        chosen = sources.choose(rule, params, control)
        spent.append(time.perf_counter() - begin)
        for source in chosen.tolist():
            sources.refreshed(source, 5.0, is_full=False)
    return {"round_ms": 1e3 * min(spent), "bytes_per_source": bytes_per_source(sources)}


if __name__ == "__main__":
    print(measure())
