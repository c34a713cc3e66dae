"""One description of what is asked, for callers who wait and callers who await.

A method is written once, as a *plan*: a generator that yields calls and is sent their answers. On a ``Waiting`` object
it becomes a function, on an ``Awaiting`` one a coroutine function, and type checkers know both.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar, overload

from afresh.base.errors import AfreshError
from afresh.doors.python.loop_thread import LoopThread

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Plan = Generator[Any, Any, T]  # yields calls, is sent what they brought


class Service(Protocol):
    """Carries out calls of its kind."""

    async def ask(self, call: Any) -> Any: ...

    async def close(self) -> None: ...


class Described(Protocol[T_co]):
    """A call: its service knows how to carry it out, it knows how to read what comes back."""

    @property
    def read(self) -> Callable[[Any], T_co]: ...


def ask(call: Described[T]) -> Plan[T]:
    """One call as a plan, for ``yield from``."""
    answer: T = yield call
    return answer


async def carry_out(plan: Plan[T], service: Service) -> T:
    """What a plan comes to; errors are told to it first, it may know what to do."""
    try:
        call = next(plan)
        while True:
            try:
                answer = await service.ask(call)
            except AfreshError as error:
                call = plan.throw(error)
            else:
                call = plan.send(answer)
    except StopIteration as end:
        value: T = end.value
        return value


class Asking:
    """A client of a service; what is asked of it are its plans."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def _leave(self) -> Plan[None]:
        """What is asked last, before it is closed; nothing, where it left nothing behind."""
        yield from ()

    async def _end(self) -> None:
        with suppress(AfreshError):  # a service that is away forgets us by itself
            await carry_out(self._leave(), self._service)
        await self._service.close()


class Waiting(Asking):
    """Methods answer when they are done. For programs and notebooks. Ends with the block it is used in."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._thread = LoopThread("afresh-client")

    def close(self) -> None:
        """Nothing can be asked any more."""
        self._thread.wait(self._end())
        self._thread.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Awaiting(Asking):
    """Methods are awaited. Ends with the block it is used in."""

    async def close(self) -> None:
        """Nothing can be asked any more."""
        await self._end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class asked(Generic[P, T]):  # noqa: N801 (a decorator)
    """Makes a plan a method of clients of both kinds."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[T]]) -> None:
        self._plan = plan

    @overload
    def __get__(self, client: None, owner: Any = None) -> Callable[..., Any]: ...
    @overload
    def __get__(self, client: Waiting, owner: Any = None) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: Awaiting, owner: Any = None) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Any, owner: Any = None) -> Any:
        if client is None:
            return self._plan  # for help(): name, words, signature

        def start(*args: P.args, **options: P.kwargs) -> Any:
            work = carry_out(self._plan(client, *args, **options), client._service)
            return client._thread.wait(work) if isinstance(client, Waiting) else work

        return update_wrapper(start, self._plan)


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A long list: ``part`` gives some items from a cursor on, and the next cursor; None: those were the last."""

    part: Callable[[Any], Plan[tuple[list[T], Any]]]
    start: Any = 0


class listed(Generic[P, T]):  # noqa: N801 (a decorator)
    """Makes a listing an iterator for clients of both kinds; the next part is asked for when it is wanted."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Listing[T]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, client: None, owner: Any = None) -> Callable[..., Any]: ...
    @overload
    def __get__(self, client: Waiting, owner: Any = None) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: Awaiting, owner: Any = None) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: Any, owner: Any = None) -> Any:
        if client is None:
            return self._describe  # for help(): name, words, signature

        def start(*args: P.args, **options: P.kwargs) -> Any:
            listing = self._describe(client, *args, **options)
            return _all(listing, client) if isinstance(client, Waiting) else _all_awaited(listing, client)

        return update_wrapper(start, self._describe)


def _all(listing: Listing[T], client: Waiting) -> Iterator[T]:
    cursor = listing.start
    while cursor is not None:
        items, cursor = client._thread.wait(carry_out(listing.part(cursor), client._service))
        yield from items


async def _all_awaited(listing: Listing[T], client: Awaiting) -> AsyncIterator[T]:
    cursor = listing.start
    while cursor is not None:
        items, cursor = await carry_out(listing.part(cursor), client._service)
        for item in items:
            yield item
