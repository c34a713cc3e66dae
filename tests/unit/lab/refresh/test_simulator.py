"""The simulator against an obvious loop, and the runs that change on the way."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.errors import ModelError
from afresh.lab.refresh.catalogue import estimator, strategy
from afresh.lab.refresh.learning import learn_in_phases
from afresh.lab.refresh.phases import Learning
from afresh.lab.refresh.shapes import Regime, shape_of, shaped
from afresh.lab.refresh.simulator import Knowledge, Simulation, Web
from afresh.lab.refresh.synthetic import Keywords, Population


def obvious(web: Web, budget: int, cycles: int) -> tuple[float, float, int]:
    """Round robin by hand: deques, one entry after the other."""
    n = len(web)
    shown: list[deque[list[bool]]] = [deque(maxlen=int(w)) for w in web.windows]
    heads = list(web.offsets[:-1])
    fetched = published = cost = 0
    fresh, cursor = [], 0
    for cycle in range(1, cycles + 1):
        for i in range(n):
            while heads[i] < web.offsets[i + 1] and web.times[heads[i]] <= cycle:
                wanted = web.relevant is None or bool(web.relevant[heads[i]])
                shown[i].append([wanted, False])
                published += wanted
                heads[i] += 1
        for _ in range(min(budget, n)):
            cursor %= n
            for entry in shown[cursor]:
                fetched += entry[0] and not entry[1]
                entry[1] = True
            cursor += 1
            cost += 1
        shares = []
        for window in shown:
            seen = [is_seen for wanted, is_seen in window if wanted]
            shares.append(sum(seen) / len(seen) if seen else 1.0)
        fresh.append(sum(shares) / n)
    return fetched / published if published else 1.0, sum(fresh) / cycles, cost


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 7), st.sampled_from(["one", "none"]))
def test_as_the_obvious_loop(seed: int, budget: int, window: int, reading: str) -> None:
    population = Population(sources=5, highest_rate=3.0, window=window, keywords=Keywords(reading=reading))
    web = population.draw(np.random.default_rng(seed), 30)
    part = Simulation(web, strategy("uniform", budget=float(budget))).advance(30)
    completeness, freshness, cost = obvious(web, budget, 30)
    assert part.completeness == pytest.approx(completeness)
    assert part.freshness == pytest.approx(freshness)
    assert part.cost == cost


def test_parts_add_up() -> None:
    web = Population(sources=20).draw(np.random.default_rng(1), 60)
    rule = strategy("two_steps", budget=5.0)
    whole = Simulation(web, rule).advance(60)
    run = Simulation(web, rule)
    parts = [run.advance(25), run.advance(35)]
    assert sum(part.cost for part in parts) == whole.cost
    assert np.array_equal(np.concatenate([part.thresholds for part in parts]), whole.thresholds)
    assert sum(int(part.got.sum()) for part in parts) == int(whole.got.sum())


def test_an_exact_utility_serves_the_late_publisher() -> None:
    # both have one unseen entry; source 1 published later, and the threshold lies between
    web = Web(offsets=np.array([0, 1, 2]), times=np.array([1.0, 4.0]), windows=np.full(2, 10.0, dtype=np.float32))
    run = Simulation(web, strategy("best_effort", tau=3.0), Knowledge(exact=True))
    part = run.advance(4)
    assert part.refreshes.tolist() == [0, 1]
    even = Simulation(web, strategy("best_effort", tau=1.9), Knowledge()).advance(4)
    assert even.refreshes.tolist() == [1, 1]  # ½·4·1 for both


def test_keywords() -> None:
    rng = np.random.default_rng(0)
    web = Population(sources=400, keywords=Keywords(reading="one")).draw(rng, 20)
    assert web.relevant is not None
    assert 0.3 < web.relevant.mean() < 0.5  # four of ten keywords
    assert Population(keywords=Keywords(reading="none")).draw(rng, 5).relevant is None
    with pytest.raises(ModelError, match="reading"):
        Keywords(reading="two")


def test_models_learn_only_what_refreshes_show() -> None:
    """Two futures that differ only in what overflows unseen teach the same."""
    base = np.arange(1.0, 40.0)
    lost = np.sort(np.concatenate([base, np.full(5, 0.5)]))  # five more, displaced before the first refresh at 10
    rows = []
    for times in (base, lost):
        web = Web(offsets=np.array([0, len(times)]), times=times, windows=np.full(1, 4.0, dtype=np.float32))
        run = Simulation(
            web,
            strategy("uniform", budget=0.1),
            Knowledge(estimator=estimator("single", prior=0.5, naive=True), random_ties=False),
        )
        run.advance(30)
        rows.append(run.states.copy())
    assert np.array_equal(rows[0], rows[1])
    assert rows[0][0, 0] < 0.5  # and the window's four of ten entries teach too little


def test_frozen_models_stay() -> None:
    world = shaped(np.random.default_rng(2), [Regime(shape="uniform", days=4)], sources=3)
    run = Simulation(world.web, strategy("uniform", budget=0.5), Knowledge(estimator=estimator("single")), cycle=600.0)
    run.advance(144)
    run.freeze()
    before = run.states.copy()
    run.advance(144)
    assert np.array_equal(run.states, before)
    run.freeze(frozen=False)
    run.advance(144)
    assert not np.array_equal(run.states, before)


def test_phases_have_their_own_requests() -> None:
    world = shaped(np.random.default_rng(2), [Regime(shape="waves", days=8)], sources=10)
    run = Simulation(
        world.web, strategy("uniform", budget=1.0), Knowledge(estimator=estimator("periodic")), cycle=600.0
    )
    phases = list(learn_in_phases(run, Learning(length=86_400.0, every=4 * 86_400.0, budget=3.0), 8 * 144))
    assert [is_learning for is_learning, _ in phases] == [True, False, True, False]
    assert [part.cost for _, part in phases] == [432, 432, 432, 432]


def test_shapes_have_mean_one_and_regimes_follow_each_other() -> None:
    for name in ("peaks", "uniform", "waves"):
        assert shape_of(name).mean() == pytest.approx(1.0)
    with pytest.raises(ModelError):
        shape_of("square")
    world = shaped(np.random.default_rng(0), [Regime(shape="uniform", days=20), Regime(shape="peaks", days=20)])
    hours = world.web.times // 3_600 % 24
    late = world.web.times >= 20 * 86_400
    assert set(np.unique(hours[late] % 4)) == {0.0}
    assert len(np.unique(hours[~late])) == 24
    assert world.table(1)[0].mean() * 86_400 == pytest.approx(world.rates[0])


def test_a_cycle_takes_time() -> None:
    web = Population(sources=2).draw(np.random.default_rng(0), 2)
    with pytest.raises(ModelError, match="cycle"):
        Simulation(web, strategy("uniform"), cycle=0.0)
