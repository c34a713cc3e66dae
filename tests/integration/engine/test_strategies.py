"""Refresh strategies in the real loop, in virtual time: the visits are those of the laboratory."""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from afresh.base.lazy import Once
from afresh.base.models import Fetched, Outcome, Request, ResourceFilter, Trip
from afresh.base.records.refreshing import KEY, Choice, to_text
from afresh.base.settings import Settings
from afresh.base.settings.sections import (
    BudgetSettings,
    LoopSettings,
    PolitenessSettings,
    PredictSettings,
    RefreshSettings,
)
from afresh.engine import loop as loop_module
from afresh.engine.add import Wanted, add
from afresh.engine.budget import Budget
from afresh.engine.budget_report import kept_report
from afresh.engine.choose_refresh import REPORT, kept_groups
from afresh.engine.kinds import let_know, make_kinds
from afresh.engine.loop import Loop
from afresh.engine.price import hourly_bucket
from afresh.engine.refreshing import Refreshing
from afresh.engine.visit import Concluder
from afresh.feeds.rounds import estimator_of, strategy_of
from afresh.feeds.strategies.divergence import threshold_for
from afresh.feeds.strategies.round import CAP, TAU
from afresh.lab.refresh.simulator import Knowledge, Simulation, Web
from afresh.parse.url import Sites
from afresh.store import open_store
from tests.fakes.fake_web import FakeWeb, HandClock, SteadyExecutor, rss, with_headers

START = 1_700_000_040.0  # a multiple of a round
ROUND = 60.0
ROUNDS = 90
WINDOW = 5
PER_HOUR = {"2steps": 40.0, "only_tau": 150.0, "only_sat": 4_800.0, "uniform": 150.0}
ESTIMATOR = "single:alpha=0.3,prior=0.002"  # a prior near the truth: the threshold need not be found first


def population(seed: int = 3) -> list[np.ndarray]:
    """When each feed publishes: every few minutes to never, from long before the start on."""
    rng = np.random.default_rng(seed)
    rates = [0.0, *(1.0 / span for span in (60, 90, 120, 200, 300, 400, 600, 900, 1_500, 3_000, 9_000))]
    begin = START - 40_000.0
    return [
        np.sort(begin + rng.uniform(0.0, 40_000.0 + ROUND * ROUNDS, rng.poisson(rate * (40_000.0 + ROUND * ROUNDS))))
        if rate
        else begin + np.arange(WINDOW, dtype=np.float64)
        for rate in rates
    ]


def url(feed: int) -> str:
    return f"https://host{feed:02d}.example/feed"


class Daemon:
    """The loop with its store, budget and kinds; feeds publish as they are told."""

    def __init__(self, folder: Path, times: Sequence[np.ndarray], settings: Settings) -> None:
        self.clock, self.settings = HandClock(START), settings
        self.web = FakeWeb(self.clock)
        self.store = open_store(str(folder / "strategies.db"))
        for feed, published in enumerate(times):
            self.web.answers[url(feed)] = self.answer(published)
        wanted = [Wanted(url=url(feed), folder="odd" if feed % 2 else "even") for feed in range(len(times))]
        add(self.store, wanted, Settings(politeness=settings.politeness), now=START)

    def answer(self, published: np.ndarray) -> Callable[[Request, Trip], Outcome]:
        def answered(_: Request, trip: Trip) -> Outcome:
            shown = [f"{at:.3f}" for at in published[published <= self.clock.now()][-WINDOW:]][::-1]
            return Fetched(trip=with_headers(trip, {}), status=200, body=rss(*shown))

        return answered

    def run(self, *, until: float) -> None:
        async def go() -> None:
            executor = SteadyExecutor(self.clock)
            budget = Budget(self.settings.budget)
            kinds = make_kinds(self.settings, store=self.store, price=budget.price_for)
            let_know(budget, kinds)
            loop = Loop(
                self.store,
                self.web,
                Concluder(self.settings, kinds, Sites(self.settings.politeness)),
                settings=self.settings,
                clock=self.clock,
                executor=executor,
                rng=random.Random(1),
                budget=budget,
            )
            loop.strategies = Once(lambda: Refreshing(self.store, kinds, budget, self.settings))

            async def watch() -> None:
                while self.clock.now() < until:
                    await asyncio.sleep(0.001)
                loop.stop()

            watching = asyncio.create_task(watch())
            await loop.run()
            await watching
            executor.close()

        asyncio.run(go())

    def visits(self, *, since: float = START, until: float) -> set[tuple[int, int]]:
        """(feed, round) of each visit."""
        return {
            (int(request.url[12:14]), round((at - START) / ROUND))
            for at, request in self.web.requests
            if since + 30.0 < at <= until + 1.0
        }


def settings_for(strategy: str, *, per_hour: float, estimator: str = ESTIMATOR) -> Settings:
    return Settings(
        politeness=PolitenessSettings(delay=0.0),
        loop=LoopSettings(flush=0.0),
        predict=PredictSettings(shortest=1.0, longest=30 * 86_400.0),
        refresh=RefreshSettings(strategy=strategy, estimator=estimator, round=ROUND),
        budget=BudgetSettings(requests_per_hour=per_hour),
    )


def in_the_lab(strategy: str, times: Sequence[np.ndarray], *, per_hour: float) -> set[tuple[int, int]]:
    """The same strategy and estimator in the simulator."""
    rate = per_hour / 3_600.0
    model = estimator_of(ESTIMATOR)
    begins = threshold_for(np.full(len(times), model.prior), rate)
    made = replace(strategy_of(strategy, budget=rate * ROUND), tau=begins)
    web = Web(
        offsets=np.cumsum([0, *map(len, times)]),
        times=np.concatenate(list(times)),
        windows=np.full(len(times), WINDOW, dtype=np.float32),
    )
    run = Simulation(web, made, Knowledge(estimator=model, random_ties=False, sample=False), start=START, cycle=ROUND)
    pace = hourly_bucket(per_hour).filled(START + 1.0)  # the daemon's budget is never exceeded, on average or not
    seen: set[tuple[int, int]] = set()
    for number in range(1, ROUNDS + 1):
        pace = pace.filled(START + number * ROUND)
        run.params[CAP] = max(0, int(pace.tokens + 1e-9))
        part = run.advance(1)
        pace = pace.spent(part.cost)
        seen |= {(int(feed), number) for feed in np.flatnonzero(part.refreshes)}
    return seen


@pytest.fixture
def long_naps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody adds anything from outside: the loop need not look every second."""
    monkeypatch.setattr(loop_module, "_LONGEST_NAP", ROUND)


@pytest.mark.parametrize("strategy", PER_HOUR)
@pytest.mark.usefixtures("long_naps")
def test_the_daemon_makes_the_visits_of_the_laboratory(strategy: str, tmp_path: Path) -> None:
    times = population()
    per_hour = PER_HOUR[strategy]
    daemon = Daemon(tmp_path, times, settings_for(strategy, per_hour=0.0))
    until = START + ROUND * ROUNDS
    daemon.run(until=START + 0.5)
    assert len(daemon.web.requests) == len(times), "everybody is looked at once, when nothing is limited yet"
    daemon.settings = settings_for(strategy, per_hour=per_hour)
    daemon.clock.advance(START + 1.0 - daemon.clock.now())
    daemon.run(until=until + 1.0)
    found, expected = daemon.visits(until=until), in_the_lab(strategy, times, per_hour=per_hour)
    assert len(expected) > 12
    assert sorted(found ^ expected, key=lambda one: one[1]) == []
    assert [one.strategy for one in kept_groups(daemon.store)] == [strategy]
    assert daemon.store.count(ResourceFilter()) == len(times)
    daemon.store.close()


def said(daemon: Daemon, **choices: Choice) -> None:
    daemon.store.put_setting(KEY, to_text({name.replace("_", ":", 1): one for name, one in choices.items()}))


@pytest.mark.usefixtures("long_naps")
def test_a_folder_has_its_part_of_the_budget_and_the_rest_goes_by_price(tmp_path: Path) -> None:
    times = population()
    daemon = Daemon(tmp_path, times, settings_for("priced", per_hour=240.0))
    said(daemon, folder_odd=Choice(strategy="uniform", estimator=ESTIMATOR))
    until = START + ROUND * ROUNDS
    daemon.run(until=until)
    lately = [request.url for at, request in daemon.web.requests if at > until - 3_600.0]
    odd = [sum(url(feed) == one for one in lately) for feed in range(1, len(times), 2)]
    assert sum(odd) == pytest.approx(120.0, rel=0.1), "half of the feeds, half of the budget"
    assert max(odd) - min(odd) <= 1, "equally often"
    assert 0.9 * 240.0 <= len(lately) <= 1.05 * 240.0
    [group] = kept_groups(daemon.store)
    assert (group.scope, group.feeds) == ("folder:odd", 6)
    kept = daemon.store.get(2)
    assert (kept.folder, kept.state_of) == ("odd", f"estimator:{ESTIMATOR}")
    assert "uniform chooses in rounds" in kept.reason
    daemon.store.close()


@pytest.mark.usefixtures("long_naps")
def test_a_strategy_goes_on_after_a_restart_and_lets_its_feeds_go_when_it_is_taken_back(tmp_path: Path) -> None:
    times = population()
    daemon = Daemon(tmp_path, times, settings_for("only_tau", per_hour=600.0))
    daemon.run(until=START + 20 * ROUND)
    before = json.loads(daemon.store.get_setting(REPORT) or "")["controls"]["all"]
    daemon.run(until=START + 22 * ROUND)
    after = json.loads(daemon.store.get_setting(REPORT) or "")["controls"]["all"]
    assert after[TAU] == pytest.approx(before[TAU], rel=0.2), "the threshold is not sought anew"
    daemon.settings = settings_for("only_sat", per_hour=600.0)
    said(daemon, folder_even=Choice(strategy="priced"))
    daemon.run(until=START + 24 * ROUND)
    assert daemon.store.get(1).state_of == "priced", "somebody plans it again, and not in a month"
    assert daemon.store.get(2).state_of == f"estimator:{ESTIMATOR}"
    daemon.store.close()


@pytest.mark.usefixtures("long_naps")
def test_a_target_of_a_folder_moves_its_price_in_the_loop(tmp_path: Path) -> None:
    times = population()
    settings = replace(settings_for("priced", per_hour=0.0), budget=BudgetSettings(price=100_000.0))
    daemon = Daemon(tmp_path, times, settings)
    said(daemon, folder_odd=Choice(mean_delay=120.0))
    daemon.run(until=START + ROUND * ROUNDS)
    report = kept_report(daemon.store)
    assert report is not None
    [target] = report.targets
    assert (target.scope, target.feeds, target.trouble) == ("folder:odd", 6, "")
    assert target.price < 0.2 * report.price == 20_000.0
    assert target.mean_delay is not None
    assert target.mean_delay < 240.0
    daemon.store.close()
