"""The best frequencies for an objective, taking rates (or beliefs about them) as they are."""

from dataclasses import dataclass
from typing import ClassVar

from afresh.base.errors import ModelError
from afresh.lab.allocation.best import Allocation, allocate
from afresh.lab.allocation.pages import Pages
from afresh.lab.allocation.shards import objective_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal:
    """Maximises an objective of ``marginals`` under the caps of sites: freshness, unless told otherwise.

    [CG03] §5 without caps, [SL §2] with them. Starves pages that change too fast for their weight; ``floor`` (visits a
    second) keeps every page in view.
    """

    objective: str = "freshness"
    floor: float = 0.0
    name: ClassVar[str] = "optimal"
    counts_importance: ClassVar[bool] = True

    def __post_init__(self) -> None:
        objective_of(self.objective)
        if not 0.0 <= self.floor < float("inf"):
            raise ModelError(f"{self.name}: the floor must be finite and at least 0, not {self.floor}")

    def allocate(self, pages: Pages, budget: float) -> Allocation:
        """Solves for the frequencies (``allocation.allocate``)."""
        return allocate(pages, budget, objective=self.objective, floor=self.floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Azar(Optimal):
    """Best for visits at Poisson times, f = sqrt(w rate/price) - rate, also under politeness.  [AHLPS18], [KPLH19]"""

    objective: str = "poisson"
    name: ClassVar[str] = "azar"


@dataclass(frozen=True, slots=True, kw_only=True)
class LambdaCrawl(Optimal):
    """Penalty growing with the logarithm of missed changes, visits at Poisson times: starves no page.  [KPLH19b]"""

    objective: str = "poisson_harmonic"
    name: ClassVar[str] = "lambda_crawl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief(Optimal):
    """Best expected freshness when rates are Gamma beliefs (pages need a ``shape``); starves none of shape <= 1."""

    objective: str = "belief"
    name: ClassVar[str] = "belief"
