"""Topologies of query feeds, and what saturation loses.  [H12] Fig. 1.6, 2.3; the bias of naive estimates, §7.4."""

from itertools import pairwise

import numpy as np

from afresh.feeds.estimators.censored import most_likely
from afresh.feeds.strategies.divergence import saturation_coefficient
from afresh.lab.experiments.horincar.draws import count_of, mapped
from afresh.lab.experiments.horincar.statistics import interval
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series
from afresh.lab.refresh.catalogue import strategy
from afresh.lab.refresh.simulator import Simulation, Web
from afresh.lab.refresh.topology import degree_report, geometric

ALPHAS = (0.5, 4.0, 20.0, 100.0, 400.0)
WINDOW = 10


def run_topology(options: Options) -> Outcome:
    """Fig. 1.6: out-degrees for several weights of distance."""
    nodes = max(200, round(10_000 * options.scale))
    rows: list[dict[str, object]] = []
    lines = []
    for alpha in ALPHAS:
        options.progress(f"alpha {alpha:g}")
        report = degree_report(geometric(np.random.default_rng([options.seed]), nodes, alpha))
        rows.append(
            {
                "alpha": alpha,
                "nodes": nodes,
                "largest": report.largest,
                "mean": round(report.mean, 3),
                "leaves": round(report.leaves, 4),
                "slope": round(report.slope, 3),
            }
        )
        lines.append(Series(f"α = {alpha:g}", report.degrees, report.at_least))
    largest = [int(str(row["largest"])) for row in rows]
    claim = Claim(
        "a small α makes a star, a growing one clusters, beyond √nodes the tree is unclustered",
        largest[0] == nodes - 1 and all(a > b for a, b in pairwise(largest)),
        f"largest out-degree {largest}",
    )
    figure = Figure(
        "degrees",
        "share of nodes with at least so many readers",
        "readers",
        "share of nodes",
        lines,
        x_log=True,
        y_log=True,
    )
    return Outcome(rows=rows, claims=[claim], figures=[figure], data={"seed": options.seed, "nodes": nodes})


def lost_share(rng: np.random.Generator, rate: int, every: int, *, even: bool, cycles: int = 2_000) -> float:
    """Share of the entries of one source that is lost when it is refreshed every so many cycles, by simulation."""
    counts = np.full(cycles, rate) if even else rng.poisson(rate, cycles)
    times = np.repeat(np.arange(1.0, cycles + 1.0), counts)
    web = Web(offsets=np.array([0, len(times)]), times=times, windows=np.full(1, WINDOW, dtype=np.float32))
    part = Simulation(web, strategy("uniform", budget=1.0 / every)).advance(cycles)
    return 1.0 - part.completeness


def run_saturation(options: Options) -> Outcome:
    """Fig. 2.3: the coefficient beside what simulated sources lose."""
    draws = count_of(options)
    rows: list[dict[str, object]] = []
    worst = 0.0
    bias = []
    for rate in (2, 5, 10, 20, 40):
        for every in (1, 2, 4):
            coefficient = saturation_coefficient(WINDOW, 1.0 / every, rate)
            even = lost_share(np.random.default_rng(0), rate, every, even=True)
            poisson = interval(
                mapped(
                    lambda d, r=rate, e=every: lost_share(
                        np.random.default_rng([options.seed, d, r, e]), r, e, even=False
                    ),  # type: ignore[misc]
                    range(draws),
                    options.jobs,
                )
            )
            worst = max(worst, abs(even - coefficient))
            bias.append(poisson.mean - coefficient)
            rows.append(
                {
                    "rate": rate,
                    "refresh_rate": 1.0 / every,
                    "coefficient": coefficient,
                    "lost_even": round(even, 4),
                    "lost_poisson": round(poisson.mean, 4),
                    "lost_poisson_low": round(poisson.low, 4),
                    "lost_poisson_high": round(poisson.high, 4),
                }
            )
    claims = [
        Claim("the coefficient is the share lost at constant rates", worst < 0.01, f"off by {worst:.4f}"),
        Claim(
            "for Poisson sources it is indicative only: they lose at least as much",
            min(bias) > -0.005 and max(bias) > 0.01,
            f"by {max(bias):.3f} at most",
        ),
    ]
    return Outcome(rows=rows, claims=claims, data={"seed": options.seed, "draws": draws})


def run_censoring(options: Options) -> Outcome:
    """§7.4: rate 1, window 10, refreshed every 10, 15 or 20: naive mean and censored maximum likelihood."""
    draws = count_of(options)
    rows: list[dict[str, object]] = []
    holds = True
    for every in (10.0, 15.0, 20.0):
        naive, censored = [], []
        for draw in range(draws):
            seen = np.minimum(np.random.default_rng([options.seed, draw]).poisson(every, 2_000), WINDOW).astype(
                np.float64
            )
            naive.append(float(seen.mean() / every))
            full = np.where(seen >= WINDOW, float(WINDOW), 0.0)
            censored.append(most_likely(np.full(2_000, every), seen, full, 1e-9, 0.0, 0.0))
        a, b = interval(naive), interval(censored)
        holds = holds and a.high < 0.95 and abs(b.mean - 1.0) < 0.05 and abs(b.mean - 1.0) < abs(a.mean - 1.0)
        rows.append(
            {
                "interval": every,
                "true_rate": 1.0,
                "naive": round(a.mean, 4),
                "censored": round(b.mean, 4),
                "censored_low": round(b.low, 4),
                "censored_high": round(b.high, 4),
            }
        )
    claim = Claim(text="14: saturation biases naive estimates; the censored likelihood does not", holds=holds)
    return Outcome(rows=rows, claims=[claim], data={"seed": options.seed, "draws": draws})


TOPOLOGY = Experiment("horincar-topology", "Out-degrees of generated networks", "[H12] Fig. 1.6", run_topology)
SATURATION = Experiment("horincar-saturation", "What saturation loses", "[H12] Fig. 2.3", run_saturation)
CENSORING = Experiment("horincar-censoring", "Estimates from windows that overflow", "[H12] §7.4", run_censoring)
