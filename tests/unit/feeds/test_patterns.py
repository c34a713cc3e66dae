import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.feeds.patterns import DAY, HOUR, WEEK, Pattern, classify, classify_all
from tests.laws.window_kinds import WindowKind, window_kind

NOW = 1_000 * DAY


def every(gap, n=20, until=NOW):
    return until - gap * np.arange(n, dtype=float)[::-1]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([], Pattern.EMPTY),
        ([NOW - DAY], Pattern.SINGLE_ENTRY),
        ([NOW] * 5, Pattern.ON_THE_FLY),
        ([NOW - 1] * 5, Pattern.ON_THE_FLY),
        ([NOW - 2] * 5, Pattern.CHUNKED),
        ([NOW - 90 * WEEK] * 5, Pattern.CHUNKED),  # the past does not matter
        (every(DAY, until=NOW - 8 * WEEK), Pattern.ZOMBIE),
        (every(DAY, until=NOW - 8 * WEEK + 1), Pattern.SLICED),  # a moment too early, and regular
        (every(2 * WEEK, until=NOW - 15 * WEEK), Pattern.SLICED),  # a fortnightly feed needs 16 weeks
        (every(2 * WEEK, until=NOW - 16 * WEEK), Pattern.ZOMBIE),
        (NOW - DAY * np.array([40.0, 31, 30, 22, 15, 3]), Pattern.SPONTANEOUS),
        (NOW - DAY * np.array([3.0, 1, 0]), Pattern.SPONTANEOUS),  # daily or rarer
        (every(HOUR), Pattern.CONSTANT),
        (every(2 * HOUR), Pattern.CONSTANT),  # no gap above two hours
        (every(2.01 * HOUR), Pattern.SLICED),
        (np.concatenate((every(HOUR, until=NOW - 14 * HOUR), every(HOUR, 8))), Pattern.SLICED),  # a night
        (np.concatenate((every(60.0, until=NOW - HOUR), every(60.0))), Pattern.SLICED),  # longest 12 x median
    ],
)
def test_the_eight_patterns(times, expected):
    assert classify(np.sort(np.array(times, dtype=float)), NOW) is expected


def test_the_servers_clock_counts_where_it_is_known():
    times = np.full(4, NOW - 600)
    assert classify(times, NOW) is Pattern.CHUNKED
    assert classify(times, NOW, http_date=NOW - 600) is Pattern.ON_THE_FLY


def test_a_feed_never_reached_is_unknown():
    assert classify(np.empty(0), NOW, reached=False) is Pattern.UNKNOWN


def test_strict_chunked_asks_for_a_single_time():
    times = np.array([NOW - 50 * HOUR] * 6 + [NOW - 20 * HOUR])
    assert classify(times, NOW) is Pattern.CHUNKED
    assert classify(times, NOW, strict_chunked=True) is Pattern.SLICED
    assert classify(times[:6], NOW, strict_chunked=True) is Pattern.CHUNKED


def test_many_feeds_know_only_what_was_published_before_their_last_poll():
    streams = [every(HOUR), np.empty(0), np.array([NOW - 5, NOW + 5])]
    offsets = np.array([0, 20, 20, 22])
    got = classify_all(np.concatenate(streams), offsets, NOW)
    assert got == [Pattern.CONSTANT, Pattern.EMPTY, Pattern.SINGLE_ENTRY]
    assert classify_all(np.concatenate(streams), offsets, np.array([NOW - 30 * DAY, NOW, NOW + 9]))[0] is Pattern.EMPTY


@given(st.lists(st.floats(0, NOW), max_size=12).map(sorted), st.booleans())
def test_every_stream_has_a_pattern_and_a_shift_in_time_does_not_change_it(times, strict):
    t = np.round(np.array(times, dtype=float))
    shift = 12_345.0 * DAY
    assert classify(t, NOW, strict_chunked=strict) is classify(t + shift, NOW + shift, strict_chunked=strict)


@pytest.mark.parametrize(
    ("sizes", "new", "expected"),
    [
        ([], None, WindowKind.UNSEEN),
        ([10, 10, 10], None, WindowKind.FIXED),
        ([10, 11, 11, 13], None, WindowKind.GROWING),
        ([10, 11, 11, 13], [10, 1, 0, 2], WindowKind.GROWING),
        ([10, 11, 11, 13], [10, 3, 0, 2], WindowKind.FLUCTUATING),  # it drops entries as well
        ([10, 0, 10, 0], None, WindowKind.ALTERNATING),
        ([10, 4, 7, 12, 3], None, WindowKind.FLUCTUATING),
        ([10, 4], None, WindowKind.FLUCTUATING),
    ],
)
def test_window_kinds(sizes, new, expected):
    got = window_kind(np.array(sizes, dtype=np.int64), None if new is None else np.array(new))
    assert got is expected
