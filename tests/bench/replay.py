"""How fast histories are replayed, against the obvious Python loop on the same feeds, with the same accounts.

    python -m tests.bench.replay

Feeds have heavy-tailed rates as real ones do. Speed is the best of several runs on one core, in seconds of that
thread, so that other work on the machine does not count. A second process is timed from its first line to the result
of its first replay, likewise in its own seconds, with the compilation cache filled.
"""

import subprocess
import sys
import time

import numpy as np

from afresh.base.models import Bounds
from afresh.feeds.rules import load
from afresh.lab.replay import Period, Playback, Trace
from tests.replication import oracle

DAY = 86_400.0
PERIOD = Period(0.0, 28 * DAY, 84 * DAY)
BOUNDS = Bounds(60.0, DAY, 3_600.0)
_SECOND = """
import time
began = time.process_time()
import numpy as np
from afresh.feeds.rules import load
from afresh.lab.replay import Period, Trace, replay
two = np.array([0.0, 9e4])
trace = Trace(name="t", feed_ids=np.array([1]), offsets=np.array([0, 2]), times=two, windows=np.array([5]))
replay(trace, load("mavsync"), period=Period(0.0, 0.0, 1e6))
print(time.process_time() - began)
"""


def population(feeds: int, seed: int = 1) -> Trace:
    """Rates by a Lomax law (median about one entry in three days), windows from 10 to 25."""
    rng = np.random.default_rng(seed)
    rates = np.minimum(200.0, 0.3 * rng.pareto(0.8, feeds))
    streams = [np.sort(rng.uniform(0.0, PERIOD.end, rng.poisson(rate * 84.0))) for rate in rates]
    return Trace(
        name="bench",
        feed_ids=np.arange(feeds),
        offsets=np.cumsum([0, *map(len, streams)]),
        times=np.concatenate(streams),
        windows=rng.integers(10, 26, feeds),
    )


def polls_per_second(trace: Trace, rule: str, runs: int = 60) -> float:
    """Polls of one core's second."""
    best = 0.0
    for _ in range(runs):
        playback = Playback(trace, load(rule, BOUNDS), start=PERIOD.test)
        began = time.thread_time()
        playback.advance(PERIOD.end)
        best = max(best, playback.executed / (time.thread_time() - began))
    return best


def oracle_polls_per_second(trace: Trace, feeds: int) -> float:
    """The same of the obvious loop; its accounts must be those of the compiled one."""
    playback = Playback(trace, load("mavsync", BOUNDS), start=PERIOD.test)
    playback.advance(PERIOD.end)
    result = playback.result(PERIOD.end)
    polls, spent = 0, 0.0
    # short streams, in favour of the obvious loop: it looks through all of a stream at every poll
    short = np.flatnonzero((np.diff(trace.offsets) > 20) & (np.diff(trace.offsets) < 100))
    for i in short[:feeds].tolist():
        feed = oracle.Feed(i, trace.stream(i).tolist(), int(trace.windows[i]))
        began = time.thread_time()
        account = oracle.simulate(
            feed, oracle.mavsync, {}, oracle.Limits(60.0, DAY, 3_600.0), start=0.0, test=PERIOD.test, end=PERIOD.end
        )
        spent += time.thread_time() - began
        polls += len(account.polls)
        same = (len(account.polls) - 1, len(account.delays), account.missed, account.open)
        assert same == (result.polls[i], result.found[i], result.missed[i], result.open[i])
    return polls / spent


def second_start() -> float:
    """Seconds a further process needs until its first replay is done."""
    times = [
        float(subprocess.run([sys.executable, "-c", _SECOND], capture_output=True, text=True, check=True).stdout)
        for _ in range(4)
    ]
    return min(times)


def measure() -> dict[str, float]:
    """Figures with a target first: 20 million MAVSync polls a second, 200 times the obvious loop, a start below 1 s."""
    trace = population(3_000)
    fast, slow = polls_per_second(trace, "mavsync"), oracle_polls_per_second(trace, 12)
    figures = {
        "replay_polls_per_second": fast,
        "replay_times_oracle": fast / slow,
        "replay_second_start_seconds": second_start(),
        "replay_minutes_for_two_billion_polls": 2e9 / fast / 60.0,
    }
    for rule in ("fix", "sqrt", "recorder", "lihz", "miniflux"):
        figures[f"replay_polls_per_second_{rule}"] = polls_per_second(trace, rule, 3)
    return figures


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:45} {value:,.3g}")
