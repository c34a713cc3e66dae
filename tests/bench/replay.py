"""How fast histories are replayed, against a plain compiled loop and an obvious Python one, with the same accounts.

    python -m tests.bench.replay [TRACE]

The plain loop knows one rule, which the compiler may put into it, and nothing else than polls, found, missed and
delay: no volume, no price, no recorded windows, and it cannot be continued. Both take turns on the same feeds.

Feeds have heavy-tailed rates as real ones do. Speed is the best of several runs on one core, in seconds of that
thread, so that other work on the machine does not count. A second process is timed from its first line to the result
of its first replay, likewise in its own seconds, with the compilation cache filled.
"""

import subprocess
import sys
import time
from typing import Any

import numba
import numpy as np

from afresh.base.models import Bounds
from afresh.feeds.rules import load
from afresh.feeds.rules.hints import CAPACITY, MISSED, PREVIOUS
from afresh.lab.replay import Period, Playback, Trace, period_of
from afresh.lab.replay import population as listed_throughout
from afresh.lab.traces import read_trace
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


def plain_loop(step: Any) -> Any:
    """A compiled loop made for one rule: what speed is there to have."""

    @numba.njit(nogil=True, _nrt=False)
    def loop(accounts, params, state, hints, offsets, times, windows, start, end):  # type: ignore[no-untyped-def]
        for i in range(len(windows)):
            now, before, seen, visible = start, np.nan, -1, offsets[i]
            polls, found, missed, delay, capacity = 0, 0, 0, 0.0, 0
            while now <= end:
                while visible < offsets[i + 1] and times[visible] <= now:
                    visible += 1
                first = max(offsets[i], visible - windows[i])
                new = visible - max(first, seen)
                hints[i, MISSED] = 0.0
                if new > 0 and polls > 0:  # the first poll shows what was there before
                    found += new
                    if seen >= 0 and first >= seen:
                        hints[i, MISSED] = 1.0
                        missed += first - seen
                    for k in range(visible - new, visible):
                        delay += now - times[k]
                if visible > first:
                    seen = visible
                capacity = max(capacity, visible - first)
                hints[i, PREVIOUS], hints[i, CAPACITY] = before, capacity
                before = now
                now = step(params, state[i], now, times[first:visible], new, hints[i], 0.0)
                polls += 1
            accounts[i, 0], accounts[i, 1], accounts[i, 2], accounts[i, 3] = polls, found, missed, delay

    return loop


def against_plain_loop(trace: Trace, period: Period, rule: str, runs: int) -> tuple[float, float]:
    """Polls a second of the replay and of the plain loop, the best of so many turns."""
    made: Any = load(rule, BOUNDS)
    step = type(made).step
    # priced allocates in its step and is far longer than a call: there is nothing to gain by putting it into the loop
    loop = plain_loop(step.dispatcher if rule == "priced" else numba.njit(_nrt=False)(step.py_func))
    ours = plain = 0.0
    for turn in range(runs + 1):
        playback = Playback(trace, made, start=period.test)
        state, hints = np.zeros((len(trace), max(1, made.state_size))), playback.hints
        began = time.thread_time()
        playback.advance(period.end)
        ours = max(ours, playback.executed / (time.thread_time() - began))
        accounts = np.zeros((len(trace), 4))  # polls, found, missed, delay
        arguments = (made.params(), state, hints, trace.offsets, trace.times, trace.windows, period.test, period.end)
        began = time.thread_time()
        loop(accounts, *arguments)
        if turn > 0:  # the first call compiles
            plain = max(plain, float(accounts[:, 0].sum()) / (time.thread_time() - began))
        assert int(accounts[:, 0].sum()) == playback.executed
    return ours, plain


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


def of_plain_loop(trace: Trace, period: Period) -> dict[str, float]:
    """Ours and the plain loop's, and the ratio: at least 0.5 is wanted of MAVSync."""
    figures = {}
    for rule, runs in (("mavsync", 20), ("priced", 1)):
        ours, plain = against_plain_loop(trace, period, rule, runs)
        figures[f"replay_of_plain_loop_{rule}"] = ours / plain
        figures[f"replay_plain_loop_polls_per_second_{rule}"] = plain
    return figures


def recorded(folder: str) -> dict[str, float]:
    """The same on a recorded history: four weeks before, eight of test."""
    trace = read_trace(folder)
    period = period_of(trace, train=28 * DAY, test=56 * DAY)
    return of_plain_loop(trace.select(listed_throughout(trace, period)), period)


def measure() -> dict[str, float]:
    """Figures with a target first: 20 million MAVSync polls a second, half of a plain compiled loop's, 200 times the
    obvious one's, a start below 1 s.
    """
    trace = population(3_000)
    fast, slow = polls_per_second(trace, "mavsync"), oracle_polls_per_second(trace, 12)
    figures = {
        "replay_polls_per_second": fast,
        **of_plain_loop(population(800), PERIOD),
        "replay_times_oracle": fast / slow,
        "replay_second_start_seconds": second_start(),
        "replay_minutes_for_two_billion_polls": 2e9 / fast / 60.0,
    }
    for rule in ("fix", "sqrt", "recorder", "lihz", "miniflux"):
        figures[f"replay_polls_per_second_{rule}"] = polls_per_second(trace, rule, 3)
    return figures


if __name__ == "__main__":
    for name, value in (recorded(sys.argv[1]) if sys.argv[1:] else measure()).items():
        print(f"{name:45} {value:,.3g}")
