"""Every page as often as every other: the baseline that is hard to beat when rates are poorly known."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.sharing import Floats, Sharing


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform(Sharing):
    """The same frequency for all pages, whatever their rate or importance.  [CG03] §4: better than proportional."""

    name: ClassVar[str] = "uniform"

    def shares(self, pages: Pages) -> Floats:
        return np.ones(len(pages))
