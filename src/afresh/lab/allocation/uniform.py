"""Every page as often as every other: the baseline that is hard to beat when rates are poorly known."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.lab.allocation.best import Allocation
from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.sharing import share_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform:
    """The same frequency for all pages, whatever their rate or importance.  [CG03] §4: better than proportional."""

    name: ClassVar[str] = "uniform"
    counts_importance: ClassVar[bool] = False
    objective: ClassVar[str | None] = None

    def allocate(self, pages: Pages, budget: float) -> Allocation:
        """Shares the budget evenly, as far as sites permit."""
        return share_out(pages, np.ones(len(pages)), budget)
