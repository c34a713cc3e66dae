"""Announcements: closed forms against simulation, limits, and sources believed as far as they proved true."""

import math

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.pages.beliefs.signals import Signalled, SignalRecord, gamma_lower


def _simulated(page: Signalled, threshold: float, cycles: int = 20_000) -> tuple[float, float]:
    rng = np.random.default_rng(3)
    between, fresh = [], []
    for _ in range(cycles):
        announced, now = 0, 0.0
        while True:
            wait = rng.exponential(1.0 / page.announcements)
            if page.effective_elapsed(now + wait, announced) >= threshold:
                now = max(now, threshold - page.worth * announced)
                break
            now += wait
            announced += 1
            if page.effective_elapsed(now, announced) >= threshold:
                break
        between.append(now)
    # fresh time: simulated apart, with changes and false announcements as processes of their own
    for _ in range(cycles):
        changed = math.inf
        announced, now = 0, 0.0
        while True:
            silent, true, false = rng.exponential(
                [1.0 / page.silent, 1.0 / (page.recall * page.rate), 1.0 / page.false_rate]
            )
            wait = min(silent, true, false)
            end = threshold - page.worth * announced
            if now + wait >= end:
                now = max(now, end)
                break
            now += wait
            if wait == silent:
                changed = min(changed, now)
                continue
            if wait == true:
                changed = min(changed, now)
            announced += 1
        fresh.append(min(changed, now))
    return float(np.mean(between)), float(np.mean(fresh))


def test_cycle_agrees_with_simulation() -> None:
    page = Signalled(rate=1.0, recall=0.6, false_rate=0.3)
    between, fresh = page.cycle(3.0)
    simulated_between, simulated_fresh = _simulated(page, 3.0)
    assert between == pytest.approx(simulated_between, rel=0.02)
    assert fresh == pytest.approx(simulated_fresh, rel=0.02)


@pytest.mark.parametrize(
    ("recall", "false_rate", "freshness"), [(0.5, 0.1, 0.740), (0.8, 0.1, 0.855), (0.95, 0.02, 0.956)]
)
def test_freshness_at_one_visit_a_change(recall: float, false_rate: float, freshness: float) -> None:
    """Spec §5.6: the gain of announcements at a frequency equal to the rate; 0.632 without them."""
    page = Signalled(rate=1.0, recall=recall, false_rate=false_rate)
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if page.cycle(middle)[0] < 1.0 else (low, middle)
    between, fresh = page.cycle(high)
    assert fresh / between == pytest.approx(freshness, abs=0.003)


def test_without_announcements_it_is_the_usual_index() -> None:
    page = Signalled(rate=0.5)
    assert page.cycle(2.0) == (2.0, pytest.approx((1.0 - math.exp(-1.0)) / 0.5))
    assert page.index(2.0, weight=3.0) == pytest.approx(3.0 / 0.5 * (1.0 - 2.0 * math.exp(-1.0)))
    assert page.fresh(2.0, 0) == pytest.approx(math.exp(-1.0))


def test_honest_announcements_mean_visit_now() -> None:
    page = Signalled(rate=1.0, recall=0.5)
    assert page.worth == math.inf
    assert page.fresh(0.1, 1) == 0.0
    assert Signalled(rate=1.0, recall=1.0, false_rate=1.0).fresh(5.0, 2) == pytest.approx(0.25)


def test_a_source_is_believed_as_far_as_it_proved_true() -> None:
    good, bad = SignalRecord(), SignalRecord()
    for _ in range(50):
        good.learn(elapsed=10.0, announced=1, changed=True)
        bad.learn(elapsed=10.0, announced=3, changed=False)
        bad.learn(elapsed=10.0, announced=0, changed=True)
    assert good.applied(0.1).worth > 10.0 * bad.applied(0.1).worth
    assert good.applied(0.1).recall > 0.9 > 0.1 > bad.applied(0.1).recall


@pytest.mark.parametrize("wrong", [{"rate": 0.0}, {"rate": math.nan}, {"recall": 1.5}, {"false_rate": -1.0}])
def test_senseless_pages_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ModelError):
        Signalled(**{"rate": 1.0, **wrong})


def test_incomplete_gamma() -> None:
    assert gamma_lower(1, 2.0) == pytest.approx(1.0 - math.exp(-2.0))
    assert gamma_lower(3, 1e-4) == pytest.approx(1e-12 / 6.0, rel=1e-3)
    assert gamma_lower(2, 0.0) == 0.0
    assert gamma_lower(5, 300.0) == pytest.approx(1.0)
