"""The replay of page histories against a slow account of its own visits, and against a slow schedule.

A probe policy writes every visit into its world row; from that log freshness, age, requests, observations, politeness
and budget are worked out again by the definition, page by page and change by change.
"""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from afresh.base.compiled import compiled
from afresh.base.models import Row
from afresh.lab.revisit.histories import DAY, Histories
from afresh.lab.revisit.replay import desk_of, web_of
from afresh.lab.revisit.replay_kernel import AGE, FRESH, REQUESTS, SCORED, VIOLATIONS, Desk, Rules, run
from afresh.lab.rivals.page_policies import SITE_CLOCKED, UNIFORM
from afresh.pages.policies.policy import INTERVAL, LEARN, WEIGHT, OnlinePolicy

NUMBER, PERIOD = 1, 2  # slots of the probe's page row
LOGGED = 40_000


@compiled(LEARN, cache=False)
def log_visit(
    params: Row, page: Row, site: Row, world: Row, now: float, elapsed: float, changed: float, modified: float
) -> float:
    at = int(world[0])
    world[1 + 4 * at : 5 + 4 * at] = np.array([page[NUMBER], now, elapsed, changed])
    world[0] = at + 1
    return 0.0


@compiled(INTERVAL, cache=False)
def priced(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    return price * page[PERIOD]


@compiled(INTERVAL, cache=False)
def fixed(params: Row, page: Row, site: Row, world: Row, price: float) -> float:
    return page[PERIOD]


PROBE = OnlinePolicy(name="probe", summary="", interval=priced, learn=log_visit, page_size=3, world_size=1 + 4 * LOGGED)


def _histories(seed: int, pages: int = 12, sites: int = 3) -> Histories:
    rng = np.random.default_rng(seed)
    born = rng.uniform(0.0, 40.0, pages) * DAY
    ends = born + rng.uniform(120.0, 200.0, pages) * DAY
    parts = []
    for page in range(pages):
        gaps = rng.exponential(rng.choice([0.3, 3.0, 20.0]) * DAY, 2000)
        times = born[page] + np.cumsum(gaps)
        parts.append(times[times <= ends[page]])
    return Histories(
        page_ids=np.arange(pages),
        site=rng.integers(0, sites, pages),
        site_names=tuple(str(k) for k in range(sites)),
        born=born,
        ends=ends,
        scored=born + (ends - born) / 3,
        weight=rng.uniform(0.5, 2.0, pages),
        offsets=np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64),
        changes=np.concatenate(parts),
    )


def _play(histories: Histories, policy: OnlinePolicy, share: np.ndarray, delay: float, periods: np.ndarray) -> Desk:
    desk = desk_of(histories, policy, 4)
    desk.page[:, NUMBER] = np.arange(len(histories))
    desk.page[:, PERIOD] = periods
    rules = Rules(delay=delay, epoch=2 * DAY, patience=21 * DAY, overdraft=2 * DAY, announced=False)
    run(policy.learn, policy.interval, policy.due, web_of(histories, share), rules, desk, False)
    return desk


def _log(desk: Desk) -> np.ndarray:
    count = int(desk.world[0])
    assert count < LOGGED
    return desk.world[1 : 1 + 4 * count].reshape(count, 4)


def _fresh_and_age(changes: np.ndarray, visits: np.ndarray, start: float, end: float) -> tuple[float, float]:
    """By the definition, piece by piece between all moments at which anything happens."""
    moments = np.unique(np.concatenate(([start, end], changes, visits)))
    moments = moments[(moments >= start) & (moments <= end)]
    fresh = age = 0.0
    for left, right in pairwise(moments):
        copy = max((v for v in visits if v <= left), default=-math.inf)
        missed = changes[(changes > copy) & (changes <= left)]
        if len(missed) == 0:
            fresh += right - left
        else:
            age += ((right - missed[0]) ** 2 - (left - missed[0]) ** 2) / 2
    return fresh, age


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_accounts_agree_with_the_definition(seed: int) -> None:
    histories = _histories(seed)
    rng = np.random.default_rng(seed)
    delay = 3000.0
    desk = _play(histories, PROBE, 0.7 * histories.scored_rates(), delay, rng.uniform(0.2, 5.0, len(histories)))
    log = _log(desk)
    assert len(log) > 300
    assert (np.diff(log[:, 1]) >= 0.0).all()
    for page in range(len(histories)):
        changes = histories.changes[histories.offsets[page] : histories.offsets[page + 1]]
        mine = log[log[:, 0] == page]
        visits = np.concatenate(([histories.born[page]], mine[:, 1]))
        assert mine[:, 2] == pytest.approx(np.diff(visits))
        seen = [bool(((changes > a) & (changes <= b)).any()) for a, b in pairwise(visits)]
        assert mine[:, 3].astype(bool).tolist() == seen
        fresh, age = _fresh_and_age(changes, visits, histories.scored[page], histories.ends[page])
        account = desk.accounts[page]
        assert account[SCORED] == pytest.approx(histories.ends[page] - histories.scored[page])
        assert account[FRESH] == pytest.approx(fresh, rel=1e-9, abs=1e-3)
        assert account[AGE] == pytest.approx(age, rel=1e-6, abs=1.0)
        assert account[REQUESTS] == (mine[:, 1] >= histories.scored[page]).sum()
    for site in range(3):
        times = np.sort(log[np.isin(log[:, 0], np.flatnonzero(histories.site == site)), 1])
        assert (np.diff(times) >= delay - 1e-6).all()
    assert desk.totals[VIOLATIONS] == 0


@pytest.mark.parametrize("policy", [UNIFORM, SITE_CLOCKED], ids=lambda policy: policy.name)
def test_requests_stay_within_the_budget(policy: OnlinePolicy) -> None:
    histories = _histories(5)
    share = 0.5 * histories.scored_rates()
    desk = desk_of(histories, policy, 0)
    rules = Rules(delay=1.0, epoch=2 * DAY, patience=21 * DAY, overdraft=2 * DAY, announced=False)
    run(policy.learn, policy.interval, policy.due, web_of(histories, share), rules, desk, False)
    allowed = float((share * (histories.ends - histories.scored)).sum())
    spent = desk.accounts[:, REQUESTS].sum()
    assert 0.9 * allowed <= spent <= allowed + 2 * DAY * share.sum() + 1


def test_schedule_of_fixed_intervals_agrees_with_a_slow_one() -> None:
    """With a boundless budget every page is visited an interval after its last visit, as soon as its site is free."""
    histories = _histories(9, pages=6, sites=2)
    probe = replace(PROBE, interval=fixed)
    periods = np.array([0.9, 1.0, 1.1, 2.0, 2.5, 7.0]) * DAY
    delay = 4 * 3600.0
    log = _log(_play(histories, probe, np.full(6, 1.0), delay, periods))
    draw = np.random.default_rng(4).random(6)
    expected = _slow_schedule(histories, periods, draw, delay)
    assert len(log) == len(expected)
    assert log[:, 0].tolist() == [page for page, _ in expected]
    assert log[:, 1] == pytest.approx([now for _, now in expected])


def _slow_schedule(
    histories: Histories, periods: np.ndarray, draw: np.ndarray, delay: float
) -> list[tuple[int, float]]:
    """Scans all pages for the next one due; a site that is busy gives the page its next free slot."""
    due = {page: histories.born[page] + 2.0 * draw[page] * periods[page] for page in range(len(histories))}
    booked: set[int] = set()
    last = dict.fromkeys(range(len(histories.site_names)), -math.inf)
    free = dict(last)
    out = []
    while due:
        page = min(due, key=lambda k: (due[k], k))
        now = due[page]
        if now >= histories.ends[page]:
            del due[page]
            continue
        site = int(histories.site[page])
        if now >= last[site] + delay and (page in booked or now >= free[site]):
            out.append((page, now))
            booked.discard(page)
            last[site] = now
            free[site] = max(free[site], now + delay)
            due[page] = now + periods[page]
        else:
            slot = max(last[site] + delay, free[site])
            free[site] = slot + delay
            booked.add(page)
            due[page] = slot
    return out


def test_a_page_without_weight_counts_for_nothing() -> None:
    histories = _histories(6)
    histories = replace(histories, weight=np.where(np.arange(12) == 0, 0.0, 1.0))
    desk = desk_of(histories, SITE_CLOCKED, 0)
    rules = Rules(delay=1.0, epoch=2 * DAY, patience=21 * DAY, overdraft=2 * DAY, announced=False)
    run(
        SITE_CLOCKED.learn,
        SITE_CLOCKED.interval,
        SITE_CLOCKED.due,
        web_of(histories, histories.scored_rates()),
        rules,
        desk,
        False,
    )
    assert desk.page[0, WEIGHT] == 0.0
    assert desk.accounts[0, REQUESTS] == 0
    assert desk.accounts[1:, REQUESTS].min() > 0
