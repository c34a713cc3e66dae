"""Every page as often as it changes: intuitive, and for freshness worse than uniform."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.sharing import Floats, Sharing


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportional(Sharing):
    """Frequencies proportional to rates.  [CG03] §4.

    An infinite rate counts as the largest finite one, for otherwise its page would take everything.
    """

    name: ClassVar[str] = "proportional"

    def shares(self, pages: Pages) -> Floats:
        rates = pages.rate.astype(np.float64)
        finite = rates[np.isfinite(rates)]
        most = float(finite.max()) if len(finite) and finite.max() > 0.0 else 1.0
        return np.minimum(rates, most)
