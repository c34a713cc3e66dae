"""What the REST service and the pages need from the program around them."""

from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, Protocol, TypeVar

from afresh.core.models import Explanation, Kind
from afresh.core.protocols import Store

P = ParamSpec("P")
T = TypeVar("T")


class AddResult(Protocol):
    """What became of one URL that was to be added."""

    @property
    def wanted(self) -> str: ...  # as given

    @property
    def url(self) -> str: ...  # canonical; empty: not a URL

    @property
    def id(self) -> int | None: ...  # None: not added

    @property
    def is_new(self) -> bool: ...

    @property
    def error(self) -> str: ...  # empty: none


#: name, value in words (secrets already hidden), where it came from, one line of help
Option = tuple[str, str, str, str]


class ServiceContext(Protocol):
    """The doors' view of a running afresh: structural, so that ``wiring`` need not know the doors."""

    @property
    def store(self) -> Store: ...

    @property
    def version(self) -> str: ...

    async def run(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a synchronous method of the store in its executor."""
        ...

    def now(self) -> float: ...

    async def add(
        self,
        urls: Sequence[str],
        *,
        kind: Kind,
        folder: str,
        tags: tuple[str, ...],
        title: str,
        discover: bool,
    ) -> Sequence[AddResult]:
        """Adds URLs; one result each, in order (more where discovery finds several feeds). Bad URLs do not raise."""
        ...

    async def explain(self, resource_id: int, /) -> Explanation:
        """Why the next visit is when it is; raises ResourceNotFound."""
        ...

    async def poll_now(self, resource_id: int, /) -> None:
        """Makes a resource due at once (politeness still holds); raises ResourceNotFound."""
        ...

    def options(self) -> Sequence[Option]: ...

    def health(self) -> Mapping[str, object]:
        """``loop_alive`` (bool), ``last_turn`` (time of the last turn or None), ``queue`` (int), ``offline`` (bool)."""
        ...
