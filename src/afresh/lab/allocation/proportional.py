"""Every page as often as it changes: intuitive, and for freshness worse than uniform."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.lab.allocation.best import Allocation
from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.sharing import share_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportional:
    """Frequencies proportional to rates.  [CG03] §4.

    An infinite rate counts as the largest finite one, for otherwise its page would take everything.
    """

    name: ClassVar[str] = "proportional"
    counts_importance: ClassVar[bool] = False
    objective: ClassVar[str | None] = None

    def allocate(self, pages: Pages, budget: float) -> Allocation:
        """Shares the budget by rate, as far as sites permit."""
        rates = pages.rate.astype(np.float64)
        finite = rates[np.isfinite(rates)]
        most = float(finite.max()) if len(finite) and finite.max() > 0.0 else 1.0
        return share_out(pages, np.minimum(rates, most), budget)
