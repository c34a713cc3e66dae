"""Found, missed, open, initial: small histories counted by hand."""

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules import load
from afresh.feeds.rules.indhist import IndHist
from afresh.lab.replay import Period, Playback, RecordedPolls, ReplayResult, Trace, replay
from afresh.lab.replay.run import started

HOURLY = load("fix:interval=1h")
H = 3_600.0


def one_feed(times: list[float], window: int, **more: object) -> Trace:
    return Trace(
        name="one",
        feed_ids=np.array([1]),
        offsets=np.array([0, len(times)]),
        times=H * np.array(times),
        windows=np.array([window]),
        **more,  # type: ignore[arg-type]
    )


def counts(result: ReplayResult) -> tuple[int, ...]:
    return tuple(int(getattr(result, name)[0]) for name in ("polls", "found", "missed", "open"))


def test_found_initial_and_open() -> None:
    """Polls at 10, 11, 12; initial: 9; found: 10.5 and 12 (on the instant of its poll); open: 12.2."""
    result = replay(one_feed([9.0, 10.5, 12.0, 12.2, 13.0], 5), HOURLY, period=Period(10 * H, 10 * H, 12.5 * H))
    assert counts(result) == (2, 2, 0, 1)
    assert result.delay_sum[0] == 0.5 * H
    assert result.delay_max[0] == 0.5 * H
    assert np.isnan(result.bytes[0])


def test_displaced_entries_are_missed() -> None:
    """Five entries between two polls, a window of two: three are gone."""
    times = [9.0, *np.linspace(10.1, 10.9, 5)]
    result = replay(one_feed(times, 2), HOURLY, period=Period(10 * H, 10 * H, 11.5 * H), keep_delays=True)
    assert counts(result) == (1, 2, 3, 0)
    assert result.found_delays() == pytest.approx([0.3 * H, 0.1 * H])


def test_a_feed_empty_at_first_has_a_later_baseline() -> None:
    """Nothing at 10; the entry found at 11 is the baseline; the one at 12 counts. All polls but the first count."""
    result = replay(one_feed([10.5, 11.5], 3), HOURLY, period=Period(10 * H, 10 * H, 12.5 * H))
    assert counts(result) == (2, 1, 0, 0)


def test_a_feed_without_entries_is_polled_like_any_other() -> None:
    result = replay(one_feed([], 3), HOURLY, period=Period(10 * H, 10 * H, 20 * H))
    assert counts(result) == (10, 0, 0, 0)


def test_the_end_is_included() -> None:
    result = replay(one_feed([9.0, 12.0], 3), HOURLY, period=Period(10 * H, 10 * H, 12 * H))
    assert counts(result) == (2, 1, 0, 0)


class TestRecordedWindows:
    """A window that shrinks and grows: 3 entries from 9 on, 1 from 10.5 on, 4 from 11.5 on."""

    def trace(self, sizes: list[float]) -> Trace:
        polls = RecordedPolls(
            offsets=np.array([0, 3]),
            times=H * np.array([9.0, 10.5, 11.5]),
            windows=np.array([3, 1, 4]),
            sizes=np.array(sizes),
        )
        columns = {"size": ["5000"], "header": ["200"], "conditional": ["1"]}
        return one_feed([8.0, 8.5, 9.0, 10.2, 10.4, 10.8], 9, polls=polls, columns=columns)

    def test_faithful(self) -> None:
        """At 11 only the last of three new entries is shown: two missed; at 12 these and an old one are new again."""
        result = replay(self.trace([100.0, 200.0, 300.0]), HOURLY, period=Period(10 * H, 10 * H, 12.5 * H))
        assert counts(result) == (2, 4, 2, 0)
        assert result.bytes[0] == 600.0

    def test_every_entry_once(self) -> None:
        period = Period(10 * H, 10 * H, 12.5 * H)
        result = replay(self.trace([100.0, 200.0, 300.0]), HOURLY, period=period, dedupe="ever_seen")
        assert counts(result) == (2, 3, 0, 0)
        assert result.delay_sum[0] == pytest.approx((0.2 + 1.8 + 1.6) * H)

    def test_unrecorded_sizes_are_those_of_the_feed(self) -> None:
        result = replay(self.trace([np.nan] * 3), HOURLY, period=Period(10 * H, 10 * H, 12.5 * H))
        assert result.bytes[0] == 15_000.0


def test_bytes_of_a_conditional_feed() -> None:
    """Documents at 10 and 11, a header at 12."""
    columns = {"size": ["5000"], "header": ["200"], "conditional": ["1"]}
    result = replay(one_feed([9.0, 10.5], 3, columns=columns), HOURLY, period=Period(10 * H, 10 * H, 12 * H))
    assert result.bytes[0] == 10_200.0


def test_bytes_of_entries() -> None:
    """The window's entries weigh 1 + 2 at 10 and 2 + 4 at 11 and 12."""
    trace = one_feed([8.0, 9.0, 10.5], 2, sizes=np.array([1.0, 2.0, 4.0]))
    assert replay(trace, HOURLY, period=Period(10 * H, 10 * H, 12 * H)).bytes[0] == 15.0


def test_training_by_polling_is_not_counted() -> None:
    """LIHZ polls daily through the training part; its last window there tells what is new at the first test poll."""
    trace = one_feed([1.0, 30.0, 80.0, 110.0], 5)
    result = replay(trace, load("lihz:sigma=0.01"), period=Period(0.0, 72 * H, 120 * H))
    assert counts(result) == (2, 2, 0, 0)


def test_a_profile_needs_training() -> None:
    with pytest.raises(ModelError, match="indhist needs a training part"):
        Playback(one_feed([1.0], 5), load("indhist"), start=0.0)


def test_training_sees_nothing_of_the_test_part() -> None:
    """A profile learnt from ten entries at seven o'clock does not move when the future brings others."""
    period = Period(0.0, 240 * H, 260 * H)
    past = [24.0 * day + 7 for day in range(10)]
    first_polls = []
    for future in ([], [240.5, 241.0, 241.5, 242.0]):
        playback = started(one_feed(past + future, 5), load("indhist:theta=0.5"), period)
        playback.advance(period.test)
        first_polls.append(playback.next_polls[0])
    assert first_polls[0] == first_polls[1] == pytest.approx(247.5 * H, rel=1e-3)


def test_training_is_handed_only_the_past() -> None:
    seen: list[list[float]] = []

    class Spy(IndHist):
        def train(self, times: np.ndarray, start: float, end: float) -> np.ndarray:
            seen.append((times / H).tolist())
            return np.zeros(24)

    replay(one_feed([1.0, 9.0, 10.0, 11.0], 5), Spy(), period=Period(0.0, 10 * H, 12 * H))
    assert seen == [[1.0, 9.0]]


def test_unknown_dedupe() -> None:
    with pytest.raises(ModelError, match="previous_window or ever_seen"):
        replay(one_feed([1.0], 5), HOURLY, period=Period(0.0, 0.0, H), dedupe="never")


@pytest.mark.parametrize(
    ("published", "missed", "lost"),
    [(7, 0.0, 0), (10, 1.0, 0), (11, 1.0, 1)],
    ids=["overlapping", "disjoint, nothing lost", "disjoint, one lost"],
)
def test_a_gap_is_suspected_when_windows_do_not_overlap(published: int, missed: float, lost: int) -> None:
    """Figure 3.3: from entries 1 to 5 to a window of five that overlaps, just follows, or leaves one out."""
    trace = one_feed([9.0 + 0.1 * k for k in range(5)] + [10.01 + 0.01 * k for k in range(published - 5)], 5)
    playback = Playback(trace, HOURLY, start=10 * H)
    playback.advance(11 * H)
    assert playback.hints[0, slots.MISSED] == missed
    assert playback.result(11 * H).missed[0] == lost


def test_hints_of_a_feed() -> None:
    """After polls at 10 and 11: what feeds.csv says, the poll before, the largest window, counts where asked for."""
    trace = one_feed([-170.0, 9.0, 10.5], 5, columns={"ttl": ["900"], "weight": ["2"]})
    playback = Playback(trace, load("miniflux:longest=1h"), start=10 * H)
    playback.set_price(77.0)
    playback.advance(11 * H)
    row = playback.hints[0]
    assert row[slots.TTL] == 900.0
    assert row[slots.WEIGHT] == 2.0
    assert row[slots.PRICE] == 77.0
    assert row[slots.PREVIOUS] == 10 * H
    assert row[slots.CAPACITY] == 3.0
    assert (row[slots.COUNT_7D], row[slots.OLDEST_7D]) == (2.0, 9 * H)
    assert (row[slots.COUNT_30D], row[slots.OLDEST_30D]) == (3.0, -170 * H)
