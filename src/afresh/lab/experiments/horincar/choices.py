"""What Table 4.1 owes to what the thesis leaves open: each choice of the simulation changed alone.  [H12] §4.4."""

from dataclasses import dataclass, field, replace

from afresh.lab.experiments.horincar.draws import Outcomes, play
from afresh.lab.experiments.horincar.published import BUDGETS, STRATEGIES, Cell, printed
from afresh.lab.experiments.horincar.statistics import interval
from afresh.lab.experiments.model import Claim, Experiment, Options, Outcome
from afresh.lab.refresh.simulator import Knowledge
from afresh.lab.refresh.synthetic import Keywords, Population

_CASES = [(name, budget) for budget in BUDGETS for name in STRATEGIES]
_OURS = "as we read it"


@dataclass(frozen=True, slots=True)
class Choice:
    """A reading of the setting: ours, with one thing changed."""

    name: str
    population: Population = field(default_factory=Population)
    knowledge: Knowledge = field(default_factory=Knowledge)


def _words(**changes: float | str) -> Population:
    return Population(keywords=replace(Keywords(), **changes))  # type: ignore[arg-type]


CHOICES = (
    Choice(_OURS),
    Choice("each word of the profile with 20 %", _words(reading="independent")),
    Choice("the query wants everything", _words(reading="none")),
    Choice("query of 2 words", _words(query=0.2)),
    Choice("query of 6 words", _words(query=0.6)),
    Choice("profiles of 3 words", _words(profile=0.3)),
    Choice("profiles of 7 words", _words(profile=0.7)),
    Choice("rates up to 5.5", Population(highest_rate=5.5)),
    Choice("rates up to 7.5", Population(highest_rate=7.5)),
    Choice("utility as the exact sum", knowledge=Knowledge(exact=True)),
    Choice("ties by how far the window overflowed", knowledge=Knowledge(random_ties=False)),
)


def is_inside(outcomes: Outcomes, name: str, budget: int, cell: Cell) -> bool:
    """Whether both printed numbers lie where 95 % of single draws do."""
    ranges = [(interval(getattr(outcomes, m)(name, budget)), getattr(cell, m)) for m in ("completeness", "freshness")]
    return all(found.draw_low <= value <= found.draw_high for found, value in ranges)


def _rows(choice: Choice, outcomes: Outcomes, ours: Outcomes) -> list[dict[str, object]]:
    rows = []
    for name, budget in _CASES:
        cell = printed(name, budget)
        assert cell is not None
        row: dict[str, object] = {"choice": choice.name, "strategy": name, "b": budget}
        for measure in ("completeness", "freshness"):
            mean = float(getattr(outcomes, measure)(name, budget).mean())
            row[measure] = round(mean, 4)
            row[f"{measure}_moved"] = round(mean - float(getattr(ours, measure)(name, budget).mean()), 4)
            row[f"published_{measure}"] = getattr(cell, measure)
        row["inside"] = is_inside(outcomes, name, budget, cell)
        rows.append(row)
    return rows


def _claims(rows: list[dict[str, object]]) -> list[Claim]:
    outside = [(row["strategy"], row["b"]) for row in rows if row["choice"] == _OURS and not row["inside"]]
    counts = {
        choice.name: sum(1 for row in rows if row["choice"] == choice.name and not row["inside"]) for choice in CHOICES
    }
    told = "; ".join(f"{name}: {count}" for name, count in counts.items())
    claims = [
        Claim(
            "No single other choice leaves fewer cells outside than ours",
            min(counts.values()) >= counts[_OURS],
            f"cells of 12 outside: {told}",
        )
    ]
    for name, budget in outside:
        mended = [str(row["choice"]) for row in rows if (row["strategy"], row["b"]) == (name, budget) and row["inside"]]
        moved = [
            max(abs(float(str(row[f"{m}_moved"]))) for m in ("completeness", "freshness"))
            for row in rows
            if (row["strategy"], row["b"]) == (name, budget)
        ]
        why = f"inside with: {', '.join(mended)}" if mended else "inside with none of them"
        claims.append(
            Claim(
                f"{name} at b = {budget}, outside with our choices, can be explained by one other choice",
                bool(mended),
                f"{why}; the choices move it by up to {max(moved):.3f}",
            )
        )
    return claims


def run(options: Options) -> Outcome:
    """The whole table once for each choice, on the same seeds."""
    rows: list[dict[str, object]] = []
    ours: Outcomes | None = None
    for choice in CHOICES:
        options.progress(choice.name)
        outcomes = play(options, _CASES, choice.population, choice.knowledge)
        ours = ours or outcomes
        rows += _rows(choice, outcomes, ours)
    return Outcome(
        rows=rows,
        claims=_claims(rows),
        notes="`inside`: both printed numbers lie in the range of 95 % of single draws. `…_moved`: against ours.",
        data={"seed": options.seed, "choices": [choice.name for choice in CHOICES]},
    )


CHOICES_OF_TABLE = Experiment(
    "horincar-table-4-1-choices", "Which choices of the simulation move Table 4.1, and how far", "[H12] Table 4.1", run
)
