"""The numbers printed in [H12]: Table 4.1, one run without error bars."""

from typing import NamedTuple


class Cell(NamedTuple):
    """One strategy at one budget."""

    completeness: float
    freshness: float
    cost: int


BUDGETS = (10, 30, 50)

#: [H12] Table 4.1, by strategy and budget
TABLE_4_1: dict[str, tuple[Cell, Cell, Cell]] = {
    "two_steps": (Cell(0.4954, 0.3671, 1000), Cell(0.8691, 0.7279, 2854), Cell(0.9781, 0.9187, 4700)),
    "only_tau": (Cell(0.4252, 0.4197, 982), Cell(0.8524, 0.7048, 2860), Cell(0.9759, 0.9155, 4762)),
    "only_sat": (Cell(0.4934, 0.3671, 1000), Cell(0.8082, 0.6590, 2516), Cell(0.8091, 0.6625, 2524)),
    "uniform": (Cell(0.2682, 0.3620, 1000), Cell(0.6625, 0.6398, 3000), Cell(0.8871, 0.7863, 5000)),
}

STRATEGIES = tuple(TABLE_4_1)


def printed(strategy: str, budget: int) -> Cell | None:
    """The published cell; None where the thesis prints none."""
    if strategy not in TABLE_4_1 or budget not in BUDGETS:
        return None
    return TABLE_4_1[strategy][BUDGETS.index(budget)]
