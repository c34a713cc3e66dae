"""What the REST service and the pages need from the program around them."""

from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, Protocol, TypeVar

from afresh.base.models import Explanation
from afresh.base.protocols import Store
from afresh.base.records.links import NewVersion
from afresh.base.settings import Settings
from afresh.doors.presenting.resources import Added
from afresh.engine.add import Wanted
from afresh.engine.budget_report import BudgetReport

P = ParamSpec("P")
T = TypeVar("T")


class PushReceiver(Protocol):
    """Hears what hubs tell; all methods are store calls."""

    def knows(self, token: str) -> bool:
        """Whether a hub was given this token; asked before anything it sends is read."""
        ...

    def verify(self, token: str, *, mode: str, topic: str, lease: float | None, now: float) -> bool: ...

    def receive(self, token: str, *, signature: str, body: bytes, now: float) -> bool | None: ...


#: name, value in words (secrets already hidden), where it came from, one line of help
Option = tuple[str, str, str, str]


class ServiceContext(Protocol):
    """The doors' view of a running afresh: structural, so that ``wiring`` need not know the doors."""

    @property
    def store(self) -> Store: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def version(self) -> str: ...

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a synchronous method of the store in its executor."""
        ...

    def now(self) -> float: ...

    async def change_address(self, resource_id: int, url: str) -> None:
        """Watches a resource of any kind at another address."""
        ...

    async def take_announced(self, resource_id: int) -> Sequence[Added]:
        """Watches the feeds that a page announces in the place of the page."""
        ...

    async def add_discovered(self, sites: Sequence[str], *, folder: str, tags: tuple[str, ...]) -> Sequence[Added]:
        """Adds the feeds that these sites announce."""
        ...

    async def add_wanted(self, wanted: Sequence[Wanted]) -> Sequence[Added]:
        """Adds URLs; one result each, in order. A bad URL does not raise, a value that nothing can have does."""
        ...

    async def take_address(self, resource_id: int, url: str, /) -> None:
        """Gives a link the address where its page is now; raises UsageError for one that cannot be watched."""
        ...

    def poke(self) -> None:
        """Something became due by our own doing: the loop looks again at once."""
        ...

    async def explain(self, resource_id: int, /) -> Explanation:
        """Why the next visit is when it is; raises ResourceNotFound."""
        ...

    async def visit_now(self, resource_id: int, /) -> None:
        """Makes a resource due at once (politeness still holds); raises ResourceNotFound."""
        ...

    async def fetch_page(self, url: str, /, *, render: bool = False) -> NewVersion:
        """A page as it is now, or as its scripts make it, in its site's turn; raises UsageError where none came."""
        ...

    @property
    def beside(self) -> Mapping[str, str]:
        """What another afresh finds in its environment to work on the same store."""
        ...

    def check_target(self, target: str, /) -> None:
        """Raises UsageError for a target of notices that nothing could be sent to."""
        ...

    async def test_notice(self, number: int, /) -> str:
        """Sends a test to a notice's target; empty: taken, else what went wrong. Raises NoticeNotFound."""
        ...

    async def announce(self, urls: Sequence[str], /, *, signal: str) -> int:
        """Somebody says that these pages have changed; how many watched pages that was news about."""
        ...

    def options(self) -> Sequence[Option]: ...

    @property
    def hub(self) -> str:
        """The WebSub hub of our own query feeds; empty: none."""
        ...

    @property
    def pushes(self) -> PushReceiver | None:
        """Who hears what hubs tell; None: nobody."""
        ...

    def public_address(self, url: str) -> str:
        """One of our own addresses as others reach it."""
        ...

    def budget(self) -> BudgetReport | None:
        """Price, use, and what more would buy; None: nothing is known yet."""
        ...

    def health(self) -> Mapping[str, object]:
        """``loop_alive`` (bool), ``last_turn`` (time or None), ``queue`` (int), ``offline`` (bool), ``companions``."""
        ...
