"""The compiled replay agrees with the slow and obvious one, rule by rule, to the last poll."""

import csv
import gzip
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.base.models import Bounds
from afresh.feeds.rules import load, names
from afresh.lab.replay.period import Period
from afresh.lab.replay.run import replay
from afresh.lab.replay.trace import RecordedPolls, Trace
from tests.replication import oracle

#: folder with recorded traces; without it these tests do not exist (read before tests see a scrubbed environment)
DATA = os.environ.get("AFRESH_DATA")
DAY = 86_400.0
START = 20_000 * DAY  # a Sunday
#: rules whose description the oracle does not hold; their own tests judge them
ELSEWHERE = {"priced"}
VARIANTS = [
    *sorted(set(names()) - ELSEWHERE),
    "fix:interval=7m",
    "adaptive_ttl:M=3",
    "mavsync:kappa=5s",
    "mavsync:ttl=lower",
    "mavsync:ttl=interval",
    "indhist:theta=10",
    "indhist_ttl:theta=10,M=3,V=1d",
    "lihz:sigma=0.1",
    "rare:buffer=3",
    "sqrt:price=30",
]


def make_trace(feeds: list[oracle.Feed]) -> Trace:
    polls = None
    if any(feed.recorded for feed in feeds):
        rows = [row for feed in feeds for row in feed.recorded or []]
        polls = RecordedPolls(
            offsets=np.cumsum([0, *(len(feed.recorded or []) for feed in feeds)]),
            times=np.array([row[0] for row in rows]),
            windows=np.array([row[1] for row in rows], dtype=np.int64),
            sizes=np.array([row[2] for row in rows]),
        )
    return Trace(
        name="test",
        feed_ids=np.array([feed.number for feed in feeds], dtype=np.int64),
        offsets=np.cumsum([0, *(len(feed.times) for feed in feeds)]),
        times=np.array([t for feed in feeds for t in feed.times], dtype=np.float64),
        windows=np.array([feed.window for feed in feeds], dtype=np.int64),
        columns={"ttl": ["" if feed.ttl is None else str(feed.ttl) for feed in feeds]},
        polls=polls,
    )


def parameters(spec: str) -> dict:
    """The oracle reads the same parameters, with its own eyes."""
    _, _, text = spec.partition(":")
    values: dict = {}
    units = {"s": 1.0, "m": 60.0, "d": DAY}
    for part in filter(None, text.split(",")):
        key, value = part.split("=")
        if value in ("lower", "interval"):
            values[key] = value
        elif value[-1] in units:
            values[key] = float(value[:-1]) * units[value[-1]]
        else:
            values[key] = float(value)
    return values


def assert_agree(spec: str, feeds: list[oracle.Feed], bounds: Bounds, period: Period, dedupe: str) -> None:
    seed = 7
    result = replay(make_trace(feeds), load(spec, bounds), period=period, seed=seed, dedupe=dedupe, keep_delays=True)
    name = spec.partition(":")[0]
    for i, feed in enumerate(feeds):
        expected = oracle.simulate(
            feed,
            oracle.RULES[name],
            parameters(spec),
            oracle.Limits(bounds.shortest, bounds.longest, bounds.standard),
            start=period.start,
            test=period.test,
            end=period.end,
            seed=seed,
            warm=name in oracle.WARM and period.train_seconds > 0,
            dedupe=dedupe,
        )
        got = (result.polls[i], result.found[i], result.missed[i], result.open[i])
        assert got == (len(expected.polls) - 1, len(expected.delays), expected.missed, expected.open), (spec, feed)
        assert result.delay_sum[i] == pytest.approx(math.fsum(expected.delays), rel=1e-9, abs=1e-4)
        assert result.delay_max[i] == pytest.approx(max(expected.delays, default=0.0), rel=1e-9, abs=1e-4)
        if feed.recorded:
            assert result.bytes[i] == pytest.approx(expected.volume)


# Whole seconds and ties as real feeds have them; bursts, silence, emptiness.
gaps = st.one_of(
    st.just(0.0),
    st.integers(1, 120).map(float),
    st.integers(600, 7_200).map(float),
    st.floats(60.0, 40_000.0),
    st.floats(0.5 * DAY, 6.0 * DAY),
    st.just(3_600.0),
)


@st.composite
def a_feed(draw: st.DrawFn, number: int, recorded: bool) -> oracle.Feed:
    begin = START - draw(st.floats(0.0, 40.0)) * DAY
    times = np.cumsum([begin, *draw(st.lists(gaps, max_size=60))]).tolist() if draw(st.integers(0, 9)) else []
    polls = None
    if recorded:
        moments = sorted(draw(st.lists(st.floats(START - 5 * DAY, START + 15 * DAY), min_size=1, max_size=8)))
        polls = [(t, draw(st.integers(0, 12)), float(draw(st.integers(200, 9_000)))) for t in moments]
    return oracle.Feed(number, times, draw(st.integers(1, 12)), polls, draw(st.none() | st.floats(1.0, 90_000.0)))


@st.composite
def a_case(draw: st.DrawFn) -> tuple[list[oracle.Feed], Bounds, Period, str]:
    recorded = draw(st.booleans())
    feeds = [draw(a_feed(3 * k + 1, recorded)) for k in range(draw(st.integers(1, 3)))]
    bounds = draw(
        st.sampled_from([Bounds(60.0, DAY, 3_600.0), Bounds(900.0, 7 * DAY, 3_600.0), Bounds(60.0, 28 * DAY)])
    )
    train = draw(st.sampled_from([0.0, 3.0, 7.0])) * DAY
    period = Period(START, START + train, START + train + draw(st.floats(0.1, 8.0)) * DAY)
    return feeds, bounds, period, draw(st.sampled_from(["previous_window", "ever_seen"]))


@pytest.mark.parametrize("spec", VARIANTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=a_case())
def test_random_traces(spec: str, case: tuple[list[oracle.Feed], Bounds, Period, str]) -> None:
    feeds, bounds, period, dedupe = case
    assert_agree(spec, feeds, bounds, period, dedupe)


def test_every_rule_has_an_oracle() -> None:
    assert set(oracle.RULES) == set(names()) - ELSEWHERE


def real_feeds(folder: Path, limit: int) -> list[oracle.Feed]:
    """Some feeds of a trace, spread over the file, of at most a few hundred entries each."""
    times: dict[int, list[float]] = {}
    with gzip.open(folder / "entries.csv.gz", "rt") as lines:
        for row in csv.reader(lines):
            if row[0] != "feed_id":
                times.setdefault(int(row[0]), []).append(float(row[1]))
    with (folder / "feeds.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    feeds = [oracle.Feed(int(r["feed_id"]), sorted(times.get(int(r["feed_id"]), [])), int(r["window"])) for r in rows]
    small = [feed for feed in feeds if len(feed.times) < 400]
    return small[:: max(1, len(small) // limit)][:limit]


if DATA is not None:

    @pytest.mark.parametrize("spec", VARIANTS)
    @pytest.mark.parametrize(("folder", "start"), [("news-feeds", 1_759_104_000.0), ("commit-feeds", 1_685_923_200.0)])
    def test_real_traces(spec: str, folder: str, start: float) -> None:
        feeds = real_feeds(Path(DATA) / folder, 12)
        period = Period(start, start + 14 * DAY, start + 28 * DAY)
        assert_agree(spec, feeds, Bounds(60.0, DAY, 3_600.0), period, "previous_window")
