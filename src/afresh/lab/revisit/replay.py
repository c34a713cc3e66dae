"""Replays online policies on recorded histories of pages at given budgets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from afresh.base.errors import UsageError
from afresh.base.value_class import alike
from afresh.lab.replay.trace import Floats
from afresh.lab.revisit.daemon import Crawl, DaemonPolicy
from afresh.lab.revisit.histories import DAY, Histories
from afresh.lab.revisit.replay_hindsight import hindsight_freshness
from afresh.lab.revisit.replay_kernel import AGE, FRESH, REQUESTS, SCORED, VIOLATIONS, Desk, Rules, Web, run
from afresh.pages.policies.policy import WEIGHT, OnlinePolicy

DELAY = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisited:
    """What one policy achieved at one budget."""

    policy: str
    budget: float  # multiple of the total change rate of the scored part
    freshness: float  # share of scored page time in which the copy was up to date, weighted by importance
    age: float  # mean age over the same time, seconds
    requests: int  # in the scored part
    violations: int  # requests to a site sooner than its delay
    hindsight: float  # freshness of the best fixed frequencies, all changes known beforehand, same number of requests
    observation: str  # what the policy was told: visits, last-modified or announced
    is_default: bool
    pages: int
    allowed: int  # requests the budget allows in the scored part

    @property
    def spent(self) -> float:
        """Share of the allowed requests that was made."""
        return self.requests / self.allowed if self.allowed else 1.0


def revisit(
    histories: Histories,
    policies: Sequence[OnlinePolicy | DaemonPolicy],
    budgets: Sequence[float],
    *,
    delay: float = DELAY,
    seed: int = 0,
    default: str = "",
    progress: Callable[[str, float], None] | None = None,
    finished: Callable[[Revisited], None] | None = None,
) -> list[Revisited]:
    """Every policy at every budget; the same seed gives the same numbers. ``finished`` gets each as it is there."""
    rates = histories.scored_rates()
    if rates.sum() <= 0.0:
        raise UsageError("no page changed in its scored part, so a multiple of the change rate is no budget")
    rows = []
    for budget in budgets:
        hindsight = hindsight_freshness(histories, budget)
        for policy in policies:
            if progress is not None:
                progress(policy.name, budget)
            accounts, violations = _replayed(histories, policy, budget, delay=delay, seed=seed)
            rows.append(
                Revisited(
                    policy=policy.name,
                    budget=budget,
                    freshness=_mean(histories, accounts, FRESH),
                    age=_mean(histories, accounts, AGE),
                    requests=int(accounts[:, REQUESTS].sum()),
                    violations=violations,
                    hindsight=hindsight,
                    observation=policy.observation,
                    is_default=policy.name == default,
                    pages=len(histories),
                    allowed=round(float(budget * (rates * (histories.ends - histories.scored)).sum())),
                )
            )
            if finished is not None:
                finished(rows[-1])
    return rows


def _replayed(
    histories: Histories, policy: OnlinePolicy | DaemonPolicy, budget: float, *, delay: float, seed: int
) -> tuple[Floats, int]:
    """The accounts of all pages at the end, and how often politeness was broken."""
    if isinstance(policy, DaemonPolicy):
        crawl = daemon_crawl(histories, policy, budget, delay=delay, seed=seed)
        crawl.run()
        return crawl.accounts, crawl.violations
    desk = replay_once(histories, policy, budget, delay=delay, seed=seed)
    return desk.accounts, int(desk.totals[VIOLATIONS])


def daemon_crawl(
    histories: Histories,
    policy: DaemonPolicy,
    budget: float,
    *,
    delay: float = DELAY,
    seed: int = 0,
    draw: Callable[[], float] | None = None,
) -> Crawl:
    """The daemon's page code before it sets out; ``draw`` in place of random numbers by the seed."""
    check_replay(budget, delay)
    settings = replace(policy.settings, shortest=max(delay, 1e-3))
    share = budget * histories.scored_rates()
    return Crawl(histories, share, settings, delay=delay, seed=seed, draw=draw, is_chosen=policy.is_chosen)


def check_replay(budget: float, delay: float) -> None:
    """Raises UsageError for what is no budget or no pause."""
    if not (np.isfinite(budget) and budget > 0.0):
        raise UsageError(f"budget is {budget}; it must be a finite multiple of the change rate above 0")
    if not (np.isfinite(delay) and delay >= 0.0):
        raise UsageError(f"delay is {delay}; it must be 0 or more seconds")


def replay_once(
    histories: Histories,
    policy: OnlinePolicy,
    budget: float,
    *,
    delay: float = DELAY,
    seed: int = 0,
) -> Desk:
    """One replay; the crawler's books at its end."""
    check_replay(budget, delay)
    rates = histories.scored_rates()
    web = web_of(histories, budget * rates)
    desk = desk_of(histories, policy, seed)
    rules = Rules(
        delay=max(delay, 1e-3),
        **histories.tempo._asdict(),
        announced=policy.observation == "announced",
    )
    run(policy.learn, policy.interval, policy.due, web, rules, desk, policy.observation == "last-modified")
    return desk


def web_of(histories: Histories, share: Floats) -> Web:
    """The truth, as the kernel reads it."""
    times = np.stack((histories.born, histories.scored, histories.ends), axis=1).ravel()
    kinds = np.tile(np.arange(3), len(histories))
    order = np.lexsort((kinds, times))
    return alike(Web, histories, share=share, events=order.astype(np.int64), event_times=times[order])


def desk_of(histories: Histories, policy: OnlinePolicy, seed: int) -> Desk:
    """Empty books for one replay."""
    pages, sites = len(histories), len(histories.site_names)
    page = np.zeros((pages, policy.page_size))
    page[:, WEIGHT] = histories.weight
    return Desk(
        params=policy.parameters(),
        page=page,
        sites=np.zeros((sites, policy.site_size)),
        world=np.zeros(policy.world_size),
        last=np.zeros(pages),
        next_change=histories.offsets[:-1].copy(),
        key=np.zeros(pages),
        waits=np.zeros(pages),
        booked=np.zeros(pages, dtype=np.int64),
        draw=np.random.default_rng(seed).random(pages),
        heap=np.zeros((2, pages), dtype=np.int64),
        place=np.full(pages, -1, dtype=np.int64),
        site_last=np.full(sites, -1e18),
        site_free=np.full(sites, -1e18),
        accounts=np.zeros((pages, 4)),
        totals=np.array([0.0, 0.0, 0.0, DAY, DAY]),
    )


def _mean(histories: Histories, accounts: Floats, column: int) -> float:
    """Mean over scored page time, each page second weighted by the page's importance."""
    weighted = histories.weight @ accounts[:, SCORED]
    return float(histories.weight @ accounts[:, column] / weighted) if weighted > 0.0 else float("nan")
