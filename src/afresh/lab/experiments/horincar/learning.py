"""Online estimators on sources of known shape: errors, robustness, tracking, 2Steps on what they learnt."""

from collections.abc import Sequence

import numpy as np

from afresh.base.calendar import DAY, HOUR, MINUTE
from afresh.feeds.estimators import Estimator
from afresh.lab.experiments.horincar.draws import FEWEST, count_of, mapped
from afresh.lab.experiments.horincar.statistics import Interval, difference, interval
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series
from afresh.lab.refresh.catalogue import estimator, strategy
from afresh.lab.refresh.errors import profile_distance
from afresh.lab.refresh.known import Known
from afresh.lab.refresh.shapes import SHAPES, Regime, Shaped, shaped
from afresh.lab.refresh.simulator import Knowledge, Part, Simulation

CYCLE = 10 * MINUTE
A_DAY = round(DAY / CYCLE)
INTERVALS = (0.5, 1.0, 2.0, 4.0, 8.0, 24.0)  # mean hours between refreshes
ALPHAS = (0.01, 0.05, 0.2)
MODELS = ("single", "periodic")
WARM_UP, DAYS = 56, 140


def looking_at_random(world: Shaped, model: Estimator, hours: float, seed: int) -> Simulation:
    """Refreshed at random intervals of this mean; errors in units of a source's daily entries, true counts learnt."""
    refresher = strategy("uniform_random", interval=hours * HOUR, rounds=hours * HOUR / CYCLE)
    told = Knowledge(
        estimator=model, true_counts=True, errors=True, scales=(1.0 / world.rates).astype(np.float32), sample=False
    )
    return Simulation(world.web, refresher, told, cycle=CYCLE, seed=seed)


# --- the divergence error ---------------------------------------------------------------------------------------------


def errors_of(seed: int, draw: int, shape: str, intervals: Sequence[float] = INTERVALS) -> np.ndarray:
    """Mean divergence error [interval, model], the smoothing constant chosen for the best in each."""
    world = shaped(np.random.default_rng([seed, draw, SHAPES.index(shape)]), [Regime(shape=shape, days=DAYS)])
    found = np.empty((len(intervals), len(MODELS)))
    for i, hours in enumerate(intervals):
        for m, name in enumerate(MODELS):
            tried = []
            for alpha in ALPHAS:
                run = looking_at_random(world, estimator(name, alpha=alpha), hours, draw)
                run.advance(WARM_UP * A_DAY)
                tried.append(run.advance((DAYS - WARM_UP) * A_DAY).error)
            found[i, m] = min(tried)
    return found


def run_errors(options: Options) -> Outcome:
    """Fig. 7.8: error of the two models against the mean interval, shape by shape."""
    draws = max(FEWEST, round(FEWEST * options.scale))
    rows: list[dict[str, object]] = []
    ratios: dict[tuple[str, float], Interval] = {}
    figures = []
    for shape in SHAPES:

        def one(draw: int, shape: str = shape) -> np.ndarray:
            options.progress(f"{shape}, draw {draw + 1} of {draws}")
            return errors_of(options.seed, draw, shape)

        made = np.array(mapped(one, range(draws), options.jobs))  # [draws, intervals, models]
        for i, hours in enumerate(INTERVALS):
            ratio = interval(made[:, i, 1] / made[:, i, 0])
            ratios[shape, hours] = ratio
            rows.append(
                {
                    "shape": shape,
                    "hours": hours,
                    "error_single": round(float(made[:, i, 0].mean()), 5),
                    "error_periodic": round(float(made[:, i, 1].mean()), 5),
                    "ratio": round(ratio.mean, 3),
                    "ratio_low": round(ratio.low, 3),
                    "ratio_high": round(ratio.high, 3),
                }
            )
        series = [
            Series(name, INTERVALS, [float(v) for v in made[:, :, m].mean(axis=0)]) for m, name in enumerate(MODELS)
        ]
        figures.append(
            Figure(
                f"error-{shape}",
                f"divergence error, {shape}",
                "hours between refreshes",
                "error, daily entries",
                series,
                x_log=True,
            )
        )
    return Outcome(
        rows=rows,
        claims=_error_claims(ratios),
        figures=figures,
        data={"seed": options.seed, "draws": draws, "days": DAYS},
    )


def _error_claims(ratios: dict[tuple[str, float], Interval]) -> list[Claim]:
    def told(shape: str) -> str:
        return ", ".join(f"{ratios[shape, h].mean:.2f} at {h:g} h" for h in INTERVALS)

    waves = all(ratios["waves", h].high < 1.0 for h in INTERVALS)
    peaks = ratios["peaks", 0.5].high < 0.8 and ratios["peaks", 24.0].low > 0.95
    alike = all(ratios["uniform", h].low > 0.95 and ratios["uniform", h].high < 1.3 for h in INTERVALS)
    return [
        Claim("9: waves: the periodic model errs less at every interval", waves, told("waves")),
        Claim("10: peaks: it is clearly better when refreshed often, no better when rarely", peaks, told("peaks")),
        Claim("11: uniform: the models are alike, so the single rate is preferable", alike, told("uniform")),
    ]


# --- robustness: a learnt profile over 48 weeks -----------------------------------------------------------------------

WEEKS = 16
REGIMES = tuple(Regime(shape=shape, days=7 * WEEKS) for shape in ("uniform", "peaks", "waves"))


def distances_of(seed: int, draw: int, hours: float, alpha: float = 0.05) -> np.ndarray:
    """Distance of learnt and true daily profile after each of the 48 weeks, in daily entries, mean over sources."""
    world = shaped(np.random.default_rng([seed, draw, 99]), REGIMES)
    run = looking_at_random(world, estimator("periodic", alpha=alpha), hours, draw)
    out = np.empty(3 * WEEKS)
    for week in range(3 * WEEKS):
        run.advance(7 * A_DAY)
        out[week] = np.mean([_distance(world, run, i) for i in range(len(world.web))])
    return out


def _distance(world: Shaped, run: Simulation, i: int) -> float:
    stream = world.web.times[world.web.offsets[i] : world.web.offsets[i + 1]]
    return profile_distance(run.states[i, :24] * HOUR, stream, run.now) / float(world.rates[i])


def run_robustness(options: Options) -> Outcome:
    """Fig. 7.6, 7.7: 16 weeks uniform, 16 peaks, 16 waves; refreshed every hour or every day on average."""
    draws = count_of(options)
    made = {
        hours: np.array(mapped(lambda d, h=hours: distances_of(options.seed, d, h), range(draws), options.jobs))  # type: ignore[misc]
        for hours in (1.0, 24.0)
    }
    weeks = np.arange(1, 3 * WEEKS + 1)
    rows: list[dict[str, object]] = [
        {
            "week": int(week),
            **{f"distance_{hours:g}h": round(float(values[:, week - 1].mean()), 5) for hours, values in made.items()},
        }
        for week in weeks
    ]
    late = [slice(WEEKS * k + WEEKS // 2, WEEKS * (k + 1)) for k in range(3)]
    gaps = [difference(made[24.0][:, part].mean(axis=1), made[1.0][:, part].mean(axis=1)) for part in late]
    claim = Claim(
        "12: hourly refreshing finds each new profile again, daily refreshing does not",
        all(gap.is_positive for gap in gaps),
        "distance at 24 h − at 1 h, second half of each regime: " + ", ".join(map(str, gaps)),
    )
    lines = [
        Series(f"mean interval {hours:g} h", [float(w) for w in weeks], [float(v) for v in values.mean(axis=0)])
        for hours, values in made.items()
    ]
    figure = Figure("distance", "distance of learnt and true profile", "week", "distance, daily entries", lines)
    return Outcome(rows=rows, claims=[claim], figures=[figure], data={"seed": options.seed, "draws": draws})


# --- online against frozen --------------------------------------------------------------------------------------------


def tracking_of(seed: int, draw: int) -> tuple[float, float, float]:
    """Divergence error after a change of shape: frozen before it, still learning, and of the rate alone."""
    world = shaped(
        np.random.default_rng([seed, draw, 7]), [Regime(shape="uniform", days=28), Regime(shape="waves", days=56)]
    )
    found = []
    for name, frozen in (("periodic", True), ("periodic", False), ("single", False)):
        run = looking_at_random(world, estimator(name, alpha=0.05), 1.0, draw)
        run.advance(28 * A_DAY)
        run.freeze(frozen=frozen)
        found.append(run.advance(56 * A_DAY).error)
    return found[0], found[1], found[2]


def run_tracking(options: Options) -> Outcome:
    """Fig. 7.2: an estimate that adapts stays closer to a source that changes than one computed beforehand."""
    draws = count_of(options)
    made = np.array(mapped(lambda d: tracking_of(options.seed, d), range(draws), options.jobs))
    gap = difference(made[:, 0], made[:, 1])
    rows: list[dict[str, object]] = []
    for k, name in enumerate(("periodic, frozen", "periodic, online", "single, online")):
        found = interval(made[:, k])
        rows.append(
            {
                "model": name,
                "error": round(found.mean, 5),
                "error_low": round(found.low, 5),
                "error_high": round(found.high, 5),
            }
        )
    claim = Claim(
        "16: online estimation tracks a changing source better than a frozen model",
        gap.is_positive,
        f"error frozen − online {gap}",
    )
    return Outcome(rows=rows, claims=[claim], data={"seed": options.seed, "draws": draws})


# --- 2Steps on learnt models ------------------------------------------------------------------------------------------

RATIOS = (0.04, 0.07, 0.1, 0.2, 0.5)  # requests per entry


def two_steps_on(world: Shaped, model: str, ratio: float, draw: int, days: int = 56) -> Part:
    """2Steps over shaped sources by a model that is known, or learnt from true counts."""
    budget = ratio * float(world.rates.sum()) / A_DAY
    rule = strategy("two_steps", budget=budget, horizon=A_DAY, least=min(10.0, 6 * budget), tau=HOUR)
    if model == "known":
        told = Knowledge(estimator=Known(), states=world.table(), random_ties=False)
    else:
        told = Knowledge(estimator=estimator(model, alpha=0.05), true_counts=True, random_ties=False)
    run = Simulation(world.web, rule, told, cycle=CYCLE, seed=draw)
    run.advance(28 * A_DAY)
    return run.advance((days - 28) * A_DAY)


def run_online(options: Options) -> Outcome:
    """Fig. 7.9, 7.10: completeness and freshness of 2Steps by known, single and periodic models."""
    draws = count_of(options)
    models = ("known", "single", "periodic")
    rows: list[dict[str, object]] = []
    gaps: dict[tuple[str, float], tuple[Interval, float]] = {}
    for shape in SHAPES:

        def one(draw: int, shape: str = shape) -> np.ndarray:
            options.progress(f"{shape}, draw {draw + 1} of {draws}")
            world = shaped(
                np.random.default_rng([options.seed, draw, SHAPES.index(shape)]), [Regime(shape=shape, days=56)]
            )
            out = np.empty((len(RATIOS), len(models), 3))
            for i, ratio in enumerate(RATIOS):
                for m, name in enumerate(models):
                    part = two_steps_on(world, name, ratio, draw)
                    out[i, m] = part.completeness, part.freshness, part.cost / float(world.rates.sum() * 28)
            return out

        made = np.array(mapped(one, range(draws), options.jobs))  # [draws, ratios, models, 3]
        quality = np.sqrt(made[..., 0] * made[..., 1])
        for i, ratio in enumerate(RATIOS):
            gaps[shape, ratio] = (
                difference(quality[:, i, 2], quality[:, i, 1]),
                float(quality[:, i, 0].mean() - quality[:, i, 1:].min(axis=1).mean()),
            )
            for m, name in enumerate(models):
                c, f = interval(made[:, i, m, 0]), interval(made[:, i, m, 1])
                rows.append(
                    {
                        "shape": shape,
                        "requests_per_entry": ratio,
                        "model": name,
                        "completeness": round(c.mean, 4),
                        "completeness_low": round(c.low, 4),
                        "completeness_high": round(c.high, 4),
                        "freshness": round(f.mean, 4),
                        "freshness_low": round(f.low, 4),
                        "freshness_high": round(f.high, 4),
                        "used_per_entry": round(float(made[:, i, m, 2].mean()), 4),
                    }
                )
    return Outcome(rows=rows, claims=_online_claims(gaps), data={"seed": options.seed, "draws": draws})


def _online_claims(gaps: dict[tuple[str, float], tuple[Interval, float]]) -> list[Claim]:
    def told(shape: str) -> str:
        return "quality periodic − single: " + ", ".join(f"{gaps[shape, r][0]} at {r:g}" for r in RATIOS)

    worst = max(gaps[shape, RATIOS[-1]][1] for shape in SHAPES)
    return [
        Claim(
            "high bandwidth: both estimators come close to known models, whatever the shape (within 0.02)",
            worst < 0.02,
            f"largest distance {worst:.4f}",
        ),
        Claim(
            "waves: the periodic model wins", all(gaps["waves", r][0].is_positive for r in RATIOS[1:]), told("waves")
        ),
        Claim(
            "uniform: the models are alike (within 0.02)",
            all(gaps["uniform", r][0].is_within(0.02) for r in RATIOS),
            told("uniform"),
        ),
        Claim(
            "peaks: alike when bandwidth is low, periodic ahead with more",
            gaps["peaks", RATIOS[0]][0].is_within(0.02) and gaps["peaks", RATIOS[-1]][0].is_positive,
            told("peaks"),
        ),
    ]


ERRORS = Experiment(
    "horincar-divergence-error",
    "Divergence error of two models against the refresh interval",
    "[H12] Fig. 7.8",
    run_errors,
)
ROBUSTNESS = Experiment(
    "horincar-robustness", "A learnt profile while the source changes its shape", "[H12] Fig. 7.6, 7.7", run_robustness
)
TRACKING = Experiment("horincar-tracking", "Online estimation against a frozen model", "[H12] Fig. 7.2", run_tracking)
ONLINE = Experiment("horincar-online", "2Steps on known and on learnt models", "[H12] Fig. 7.9, 7.10", run_online)
