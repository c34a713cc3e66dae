"""Which choices move Table 4.1: what the experiment makes of its draws."""

import numpy as np

from afresh.lab.experiments.horincar import choices
from afresh.lab.experiments.horincar.draws import Outcomes
from afresh.lab.experiments.horincar.published import BUDGETS, TABLE_4_1, Cell

SCATTER = 0.01 * np.array([-1.0, 1.0, -0.5, 0.5])


def drawn(move: float = 0.0) -> Outcomes:
    """Draws around the printed cells, all of them moved."""
    rows = {
        (name, budget): np.stack(
            [cell.completeness + move + SCATTER, cell.freshness + SCATTER, cell.cost + 0 * SCATTER]
        )
        for name, cells in TABLE_4_1.items()
        for budget, cell in zip(BUDGETS, cells, strict=True)
    }
    return Outcomes(len(SCATTER), {case: row.T for case, row in rows.items()})


def test_a_cell_is_inside_where_single_draws_reach() -> None:
    outcomes = Outcomes(4, {("uniform", 10): np.stack([0.5 + SCATTER, 0.4 + SCATTER, 0 * SCATTER], axis=1)})
    assert choices.is_inside(outcomes, "uniform", 10, Cell(0.51, 0.39, 1000))
    assert not choices.is_inside(outcomes, "uniform", 10, Cell(0.51, 0.35, 1000))
    assert not choices.is_inside(outcomes, "uniform", 10, Cell(0.55, 0.4, 1000))


def test_rows_say_how_far_a_choice_moves_a_cell_and_claims_which_choice_explains_it() -> None:
    ours, other = drawn(0.08), drawn()
    rows = [
        *choices._rows(choices.CHOICES[0], ours, ours),
        *choices._rows(choices.CHOICES[1], other, ours),
        *(row for choice in choices.CHOICES[2:] for row in choices._rows(choice, ours, ours)),
    ]
    moved = [row for row in rows if row["choice"] == choices.CHOICES[1].name]
    assert {row["completeness_moved"] for row in moved} == {-0.08}
    assert {row["freshness_moved"] for row in moved} == {0.0}
    fewest, *cells = choices._claims(rows)
    assert fewest.holds is False
    assert len(cells) == 12
    assert all(claim.holds and choices.CHOICES[1].name in claim.why and "0.080" in claim.why for claim in cells)


def test_every_choice_changes_something_and_has_a_name_of_its_own() -> None:
    assert len({choice.name for choice in choices.CHOICES}) == len(choices.CHOICES)
    settings = [(choice.population, choice.knowledge) for choice in choices.CHOICES]
    assert all(settings.count(one) == 1 for one in settings)
