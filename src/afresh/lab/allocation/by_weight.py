"""Every page as often as it is important: what to do when rates are not known at all."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.sharing import Floats, Sharing


@dataclass(frozen=True, slots=True, kw_only=True)
class ByWeight(Sharing):
    """Frequencies proportional to weights: the approximation of [KPLH19b] for unknown rates."""

    name: ClassVar[str] = "by_weight"
    counts_importance: ClassVar[bool] = True

    def shares(self, pages: Pages) -> Floats:
        return np.ones(len(pages)) if pages.weight is None else pages.weight.astype(np.float64)
