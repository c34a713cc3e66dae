"""Completeness and freshness against cost, and the threshold's way to its limit.  [H12] Fig. 4.2-4.4."""

import numpy as np

from afresh.lab.experiments.horincar.draws import Outcomes, count_of, mapped, play
from afresh.lab.experiments.horincar.published import TABLE_4_1
from afresh.lab.experiments.horincar.statistics import difference, interval
from afresh.lab.experiments.horincar.table_4_1 import row_of
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series
from afresh.lab.refresh.catalogue import strategy
from afresh.lab.refresh.simulator import Knowledge, Simulation
from afresh.lab.refresh.synthetic import Population

GRID = (5, 10, 15, 20, 25, 30, 40, 50, 70)
NAMES = ("two_steps", "only_tau", "only_sat", "uniform")
STARTS = (0.01, 0.1, 1.0, 5.0, 10.0, 50.0, 200.0)
CYCLES = 400


def run_quality(options: Options) -> Outcome:
    """All strategies over the budgets, and Reference as the bound."""
    cases = [(name, b) for b in GRID for name in NAMES] + [("reference", 100)]
    outcomes = play(options, cases, Population(), Knowledge())
    return Outcome(
        rows=[row_of(outcomes, name, b) for name, b in cases],
        claims=_claims(outcomes),
        figures=[_figure(outcomes, measure) for measure in ("completeness", "freshness")],
        data={"seed": options.seed, "draws": outcomes.draws},
    )


def _figure(outcomes: Outcomes, measure: str) -> Figure:
    lines = []
    for name in NAMES:
        found = [interval(getattr(outcomes, measure)(name, b)) for b in GRID]
        lines.append(
            Series(
                name,
                [float(outcomes.cost(name, b).mean()) for b in GRID],
                [f.mean for f in found],
                low=[f.low for f in found],
                high=[f.high for f in found],
            )
        )
        cells = TABLE_4_1[name]
        lines.append(
            Series(
                f"{name}, published",
                [cell.cost for cell in cells],
                [getattr(cell, measure) for cell in cells],
                points=True,
            )
        )
    return Figure(f"{measure}-cost", f"{measure} against requests", "requests in 100 cycles", measure, lines)


def _claims(outcomes: Outcomes) -> list[Claim]:
    scarce = [difference(outcomes.completeness("two_steps", b), outcomes.completeness("only_tau", b)) for b in (10, 20)]
    mixed = [
        difference(outcomes.completeness("two_steps", b), outcomes.completeness("only_sat", b)) for b in (25, 30, 40)
    ]
    whole = interval(outcomes.completeness("reference", 100))
    fresh = interval(outcomes.freshness("reference", 100))
    flat = interval(outcomes.cost("only_sat", 70))
    return [
        Claim(
            "scarce budget: saturated sources decide, 2Steps is more complete than OnlyTau",
            all(gap.is_positive for gap in scarce),
            ", ".join(map(str, scarce)),
        ),
        Claim(
            "mixed and ample budget: 2Steps is more complete than OnlySat",
            all(gap.is_positive for gap in mixed),
            ", ".join(map(str, mixed)),
        ),
        Claim(
            "OnlySat's demand ends near 25 requests a cycle",
            flat.low >= 2300 and flat.high <= 2700,
            f"{flat.mean:.0f} in 100 cycles at b = 70",
        ),
        Claim(
            "13: Reference is fresh after every cycle and all but complete",
            fresh.low == 1.0 and whole.low > 0.98,
            f"{fresh.mean:.3f}, {whole.mean:.4f}",
        ),
    ]


def run_threshold(options: Options) -> Outcome:
    """b = 30, seven starts of the threshold on the same draws."""
    draws = count_of(options)

    def one(draw: int) -> np.ndarray:
        options.progress(f"draw {draw + 1} of {draws}")
        web = Population().draw(np.random.default_rng([options.seed, draw]), CYCLES)
        return np.array(
            [
                Simulation(web, strategy("two_steps", budget=30.0, tau=tau), seed=draw).advance(CYCLES).thresholds
                for tau in STARTS
            ]
        )

    traces = np.array(mapped(one, range(draws), options.jobs))  # [draws, starts, cycles]
    settled = traces[:, :, CYCLES // 2 :].mean(axis=2)
    spread = interval((settled.max(axis=1) - settled.min(axis=1)) / settled.mean(axis=1))
    reach = [_reached(traces[:, k], settled.mean(axis=1)) for k in range(len(STARTS))]
    rows = [
        {
            "start": tau,
            "tau": round(interval(settled[:, k]).mean, 4),
            "tau_low": round(interval(settled[:, k]).low, 4),
            "tau_high": round(interval(settled[:, k]).high, 4),
            "cycles_to_25_percent": round(float(reach[k].mean()), 1),
        }
        for k, tau in enumerate(STARTS)
    ]
    claim = Claim(
        "8: the threshold reaches one limit from any start (b = 30)",
        spread.high < 0.15,
        f"largest over smallest limit of a draw differ by {100 * spread.mean:.1f} %",
    )
    lines = [
        Series(f"τ₀ = {tau:g}", list(range(1, CYCLES + 1)), [float(v) for v in traces[0, k]])
        for k, tau in enumerate(STARTS)
    ]
    figure = Figure("threshold", "τ over cycles, b = 30, first draw", "cycle", "τ", lines, y_log=True)
    return Outcome(rows=rows, claims=[claim], figures=[figure], data={"seed": options.seed, "draws": draws})


def _reached(traces: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """First cycle within a quarter of the limit, draw by draw."""
    near = np.abs(traces / limit[:, None] - 1.0) <= 0.25
    return np.asarray(np.argmax(near, axis=1) + 1.0)


QUALITY = Experiment(
    "horincar-quality-cost", "Completeness and freshness against requests", "[H12] Fig. 4.2, 4.3", run_quality
)
THRESHOLD = Experiment("horincar-threshold", "The threshold settles from any start", "[H12] Fig. 4.4", run_threshold)
