"""The clients: what is asked, joined with how, for callers who wait and callers who await."""

from contextlib import suppress
from types import TracebackType
from typing import Self

from afresh.base.errors import AfreshError
from afresh.doors.python.loop_thread import LoopThread
from afresh.doors.python.remote.asking import Awaiting, Plan, Service, Waiting, carry_out
from afresh.doors.python.remote.crawling import RestCrawling
from afresh.doors.python.remote.watching import Watching
from afresh.frontier.client import Identity
from afresh.http.service import HttpService

LOCAL = "http://127.0.0.1:8080"


class ClosingWaiting(Waiting):
    """Ends with the block it is used in."""

    def __init__(self, service: Service) -> None:
        super().__init__(service, LoopThread("afresh-client"))

    def close(self) -> None:
        """Nothing can be asked any more."""
        self._thread.wait(_end(self._leave(), self._service))
        self._thread.close()

    def _leave(self) -> Plan[None]:
        yield from ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class ClosingAwaiting(Awaiting):
    """The same, awaited."""

    async def close(self) -> None:
        """Nothing can be asked any more."""
        await _end(self._leave(), self._service)

    def _leave(self) -> Plan[None]:
        yield from ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def _end(plan: Plan[None], service: Service) -> None:
    with suppress(AfreshError):  # a service that is away forgets us by itself
        await carry_out(plan, service)
    await service.close()


class Client(Watching, ClosingWaiting):
    """A daemon (`afresh run`) with the names of ``afresh.open``.

    ``token``: one of `service.tokens`. ``timeout``: seconds for one answer. ``patience``: seconds to go on trying while
    the daemon is away or busy; what is asked is harmless twice.
    """

    def __init__(self, where: str = LOCAL, *, token: str = "", timeout: float = 60.0, patience: float = 60.0) -> None:
        super().__init__(HttpService(where, token=token, timeout=timeout, patience=patience))


class AsyncClient(Watching, ClosingAwaiting):
    """The same, awaited."""

    def __init__(self, where: str = LOCAL, *, token: str = "", timeout: float = 60.0, patience: float = 60.0) -> None:
        super().__init__(HttpService(where, token=token, timeout=timeout, patience=patience))


class Frontier(RestCrawling, ClosingWaiting):
    """A frontier (`afresh serve`) over REST, with the names of ``afresh.open(…).frontier``.

    Leasing takes an account: ``fetcher`` is one that was registered before; without it one is made for this session
    and removed at its end. ``token`` is an administrator's, or one that lets fetchers join.
    """

    def __init__(
        self,
        where: str = LOCAL,
        *,
        token: str = "",
        timeout: float = 60.0,
        patience: float = 60.0,
        fetcher: Identity | None = None,
    ) -> None:
        super().__init__(HttpService(where, token=token, timeout=timeout, patience=patience))
        self.identity, self._is_ours = fetcher, fetcher is None

    def _leave(self) -> Plan[None]:
        return self.leave() if self._is_ours else super()._leave()


class AsyncFrontier(RestCrawling, ClosingAwaiting):
    """The same, awaited."""

    def __init__(
        self,
        where: str = LOCAL,
        *,
        token: str = "",
        timeout: float = 60.0,
        patience: float = 60.0,
        fetcher: Identity | None = None,
    ) -> None:
        super().__init__(HttpService(where, token=token, timeout=timeout, patience=patience))
        self.identity, self._is_ours = fetcher, fetcher is None

    def _leave(self) -> Plan[None]:
        return self.leave() if self._is_ours else super()._leave()
