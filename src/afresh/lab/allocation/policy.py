"""What a policy promises: pages and a budget in, frequencies within politeness out."""

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

if TYPE_CHECKING:  # solving is compiled; naming a policy is not
    from afresh.lab.allocation.best import Allocation
    from afresh.lab.allocation.pages import Pages


@runtime_checkable
class Policy(Protocol):
    """Shares a budget of visits a second among pages.

    Laws (``tests.laws.policies``): within the budget and every site's cap, nothing negative, the order of pages is
    irrelevant, and so is the unit of time.
    """

    name: ClassVar[str]
    counts_importance: ClassVar[bool]  # a page without weight then gets no visits
    objective: Any  # name of what is maximised; None: nothing is

    def allocate(self, pages: "Pages", budget: float) -> "Allocation": ...
