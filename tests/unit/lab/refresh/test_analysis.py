"""Feed analysis: the golden shapes, rhythm, classes, categories, tables."""

import math

import numpy as np
import pytest

from afresh.base.errors import ModelError, UsageError
from afresh.lab.analysis import Shape, activity_of, analyse, as_text, categories_of, cross_table, rhythm_of, shape_of
from afresh.lab.replay.trace import Trace

DAY = 86_400.0


@pytest.mark.parametrize(
    ("rates", "shape"),
    [
        ([0, 0, 0, 6] * 6, Shape.PEAKS),
        ([2, 3] * 12, Shape.UNIFORM),
        ([1 + math.cos(2 * math.pi * i / 24) for i in range(24)], Shape.WAVES),
        ([0.0] * 24, Shape.UNDEFINED),
    ],
)
def test_golden_g3(rates: list[float], shape: Shape) -> None:
    assert shape_of(rates) is shape
    assert shape_of(rates, majority=0.8) is shape


def test_the_relaxed_form_forgives_a_fifth() -> None:
    rates = [1.0] * 21 + [2.0, 2.0, 2.0]
    assert shape_of(rates) is Shape.WAVES
    assert shape_of(rates, majority=0.8) is Shape.UNIFORM
    with pytest.raises(ModelError):
        shape_of(rates, high=0.9)


def test_rhythm_of_a_punctual_feed() -> None:
    times = np.array([DAY * d + 3_600 * h + 60 for d in range(10) for h in (6, 18)])
    rhythm = rhythm_of(times, 0.0, 10)
    assert rhythm.mean[6] == rhythm.mean[18] == 1.0
    assert rhythm.cv == 0.0
    assert rhythm.per_day == 2.0
    assert math.isnan(rhythm_of(np.empty(0), 0.0, 3).cv)


def test_hours_are_those_of_the_day() -> None:
    times = np.array([DAY * d + 3_600 * 6 for d in range(1, 10)])
    assert int(np.argmax(rhythm_of(times, 5 * 3_600.0, 8).mean)) == 6


def test_a_memoryless_feed_has_the_variation_of_its_intensity() -> None:
    rng = np.random.default_rng(0)
    for per_day, expected in ((10.0, 1.55), (48.0, 0.71)):
        cvs = []
        for _ in range(40):
            times = np.sort(rng.uniform(0, 400 * DAY, rng.poisson(per_day * 400)))
            rhythm = rhythm_of(times, 0.0, 400)
            cvs.append(rhythm.cv)
            assert rhythm.excess_cv == pytest.approx(1.0, abs=0.05)
        assert np.mean(cvs) == pytest.approx(expected, rel=0.03)


def test_silent_hours_make_the_printed_form_smaller() -> None:
    rng = np.random.default_rng(0)
    times = np.sort(np.concatenate([DAY * d + rng.uniform(0, 6 * 3_600, rng.poisson(9)) for d in range(28)]))
    rhythm = rhythm_of(times, 0.0, 28)
    assert rhythm.cv_printed == pytest.approx(rhythm.cv / 4)


def test_classes() -> None:
    names = [activity_of(x) for x in (0.0, 0.99, 1.0, 10.0, 48.0, 1e9)]
    assert names == ["silent", "very slow", "moderate", "productive", "very productive", "very productive"]
    with pytest.raises(ModelError):
        activity_of(math.nan)


def test_categories_come_from_three_places() -> None:
    assert categories_of(url="https://x.org/sport/feed.xml") == ["sports"]
    assert categories_of(feed_categories=["Money & Budget"]) == ["economy"]
    assert categories_of(entry_categories=["cats", "Election 2026"]) == ["politics"]
    assert categories_of(url="https://transport.org/") == []  # a word, not a part of one


def test_a_trace_as_a_whole() -> None:
    punctual = np.array([DAY * d + 3_600 * h for d in range(30) for h in range(24)])
    slow = np.array([DAY * 3.0, DAY * 17.0])
    trace = Trace(
        name="two",
        feed_ids=np.array([1, 2, 3]),
        offsets=np.array([0, len(punctual), len(punctual) + 2, len(punctual) + 2]),
        times=np.concatenate([punctual, slow]),
        windows=np.full(3, 10),
        columns={"feed_url": ["https://x.org/business", "https://y.org", "https://z.org"]},
    )
    found = analyse(trace)
    assert [feed.activity for feed in found.feeds] == ["productive", "very slow", "silent"]
    assert found.feeds[0].strict is Shape.UNIFORM
    assert found.feeds[1].strict is Shape.PEAKS
    assert found.periodic_share(10.0) == 1.0
    assert cross_table(found.active(), "activity", "strict") == {
        "productive": {"uniform": 1},
        "very slow": {"peaks": 1},
    }
    assert cross_table(found.feeds, "categories", "activity")["economy"] == {"productive": 1}
    assert "productive" in as_text(found)
    assert found.as_dict()["feeds"] == 3
    assert len(found.figures()) == 2


def test_a_trace_without_entries_is_refused() -> None:
    empty = Trace(
        name="none", feed_ids=np.array([1]), offsets=np.array([0, 0]), times=np.empty(0), windows=np.array([5])
    )
    with pytest.raises(UsageError, match="no entries"):
        analyse(empty)
