"""Which states a budget takes longest to settle from: price and spend of the hardest, as a table and a picture.

``python -m tests.bench budget --hardest 10`` looks through the random populations of the property test.
"""

import argparse
import io
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.budget_population import HOUR
from tests.fakes.budget_scenarios import Stage, stages

FIGURE = Path("docs/figures/budget-hardest.svg")
_CLOSE = 0.05  # of the price it ends with: from then on it has settled
_POINTS = 160  # of a curve


@dataclass(frozen=True, slots=True)
class Course:
    """How one budget came about: times in shares of what it has for settling, the spend of what is possible."""

    seed: int
    resources: int
    per_hour: float
    settled: float  # from when on the price stays close to what it ends with
    use: float  # after the time for settling
    excess: float  # the most that left beyond the budget in any stretch of time, requests
    prices: tuple[tuple[float, float], ...]
    spend: tuple[tuple[float, float], ...]


def measure_hardest(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench budget")
    parser.add_argument("--hardest", type=int, default=10, help="so many are shown")
    parser.add_argument("--populations", type=int, default=200, help="so many are tried")
    parser.add_argument("--out", type=Path, default=FIGURE, help="where the picture goes (SVG)")
    options = parser.parse_args(argv)
    courses = [course(seed, stage) for seed in range(options.populations) for stage in stages(seed)]
    hardest = sorted(courses, key=lambda one: -one.settled)[: options.hardest]
    for line in table(hardest):
        print(line)
    options.out.write_text(draw(hardest), encoding="utf-8")
    print(f"\n{len(courses)} courses of {options.populations} populations; {options.out}")


def course(seed: int, stage: Stage) -> Course:
    population, begun = stage.population, stage.began
    prices = [(at - begun, price) for at, price in population.prices if at > begun]
    last = prices[-1][1]
    away = [at for at, price in prices if abs(price - last) > _CLOSE * last]
    return Course(
        seed=seed,
        resources=len(population.sources),
        per_hour=stage.per_hour,
        settled=(away[-1] if away else 0.0) / stage.settling,
        use=stage.use(),
        excess=population.excess(stage.per_hour / HOUR, stage.visits),
        prices=_thinned([(at / stage.settling, price) for at, price in prices]),
        spend=_spend(stage),
    )


def _spend(stage: Stage) -> tuple[tuple[float, float], ...]:
    """What was used in the last hour, or in the time of 50 requests, at so many moments."""
    population = stage.population
    times = [at - stage.began for at, _, _ in population.served[stage.visits :]]
    end, span = population.now - stage.began, max(HOUR, 50 * HOUR / stage.per_hour)
    points = []
    for number in range(1, _POINTS + 1):
        at = end * number / _POINTS
        length = min(span, at)
        used = bisect_right(times, at) - bisect_right(times, at - length)
        points.append((at / stage.settling, used / (stage.possible * length / HOUR)))
    return tuple(points)


def _thinned(points: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple(points[:: max(1, len(points) // _POINTS)])


def table(courses: list[Course]) -> list[str]:
    lines = [
        "| Population | Resources | Requests an hour | Price settled after | Spend then | Most above, requests |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.seed} | {one.resources:,} | {one.per_hour:,.1f} |"
        f" {one.settled:.2f} | {one.use:.3f} | {one.excess:.1f} |"
        for one in courses
    ]
    return lines


def draw(courses: list[Course]) -> str:
    """Price and spend of each, against the time that a budget has for settling; the same input gives the same text."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "afresh", "svg.fonttype": "none", "font.size": 7}):
        canvas = Figure(figsize=(8, 1.1 * len(courses) + 0.6), layout="constrained")
        for row, one in zip(canvas.subplots(len(courses), 2, squeeze=False, sharex=True), courses, strict=True):
            row[0].semilogy(*zip(*one.prices, strict=True), linewidth=1.0)
            row[0].set_ylabel(f"{one.seed}: {one.resources} at\n{one.per_hour:,.0f}/h")
            row[1].axhspan(0.95, 1.05, alpha=0.2)
            row[1].plot(*zip(*one.spend, strict=True), linewidth=1.0)
            row[1].set_ylim(0.0, 1.3)
            for axes in row:
                axes.axvline(1.0, linewidth=0.6, linestyle=":")
        canvas.axes[0].set_title("price")
        canvas.axes[1].set_title("spend, of what is possible")
        for axes in canvas.axes[-2:]:
            axes.set_xlabel("time, in shares of two hours or 200 requests")
        buffer = io.StringIO()
        canvas.savefig(buffer, format="svg", metadata={"Date": None})
    drawing = buffer.getvalue()
    return drawing[drawing.index("<svg") :]
