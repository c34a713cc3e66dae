"""Names to approved addresses: a small cache, local names answered locally, everything through the guard."""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol

from afresh.base.errors import Disallowed
from afresh.base.out_of_descriptors import lack
from afresh.base.value_class import dataclass
from afresh.http.failures import NameNotFound
from afresh.http.guard import Guard, allowing, is_address

#: An address as sockets want it.
AddressInfo = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int]]

_LOCAL = ("127.0.0.1", "::1")  # in this order: small servers on loopback mostly listen on the first only
_FAILURE_TTL = 5.0  # a failed lookup is believed for so long; a burst of a dead site's URLs asks once
_MAX_NAMES = 10_000


class Lookup(Protocol):
    """Asks the domain name system. Raises OSError when it has no answer."""

    async def addresses(self, name: str) -> Sequence[str]: ...

    async def close(self) -> None: ...


class ThreadedLookup:
    """The system's own getaddrinfo, in a thread a name."""

    async def addresses(self, name: str) -> Sequence[str]:
        found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))

    async def close(self) -> None:
        return None


class AiodnsLookup:
    """c-ares: thousands of lookups at once without a thread each."""

    def __init__(self) -> None:
        import aiodns  # noqa: PLC0415 (not for addresses written in numbers, nor for local names)

        self._error = aiodns.error.DNSError
        self._resolver = aiodns.DNSResolver(loop=asyncio.get_running_loop())

    async def addresses(self, name: str) -> Sequence[str]:
        try:
            found = await self._resolver.getaddrinfo(
                name, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
        except self._error as error:
            raise OSError(error.args[1] if len(error.args) > 1 else str(error)) from error
        return list(dict.fromkeys(_text(node.addr[0]) for node in found.nodes))

    async def close(self) -> None:
        await self._resolver.close()


def _text(address: str | bytes) -> str:
    return address.decode("ascii") if isinstance(address, bytes) else address


def default_lookup() -> Lookup:
    """c-ares where it can be started, the system's resolver elsewhere."""
    try:
        return AiodnsLookup()
    except Exception:  # whatever is wrong with it, there is another
        return ThreadedLookup()


@dataclass(frozen=True, slots=True)
class _Answer:
    addresses: tuple[str, ...]
    error: str  # why there are none; empty: there are some
    expires: float


class GuardedResolver:
    """Hands out only addresses the guard approves.

    Whoever connects, connects to the addresses returned here and to no others; so a name that answers with a public
    address first and a private one later (DNS rebinding) gains nothing.
    """

    def __init__(
        self, guard: Guard, *, lookup: Lookup | None = None, now: Callable[[], float], ttl: float = 60.0
    ) -> None:
        self._guard = guard
        self._lookup = lookup  # None: the default, made for the first name
        self._now = now
        self._ttl = ttl
        self._answers: OrderedDict[str, _Answer] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Answer]] = {}

    async def resolve(self, host: str, port: int) -> list[AddressInfo]:
        """Approved addresses; raises NameNotFound if the name has none, Disallowed if all are refused."""
        name = host.strip("[]").rstrip(".").lower()
        found = _LOCAL if is_local_name(name) else (name,) if is_address(name) else await self._find(name)
        approved = [_info(address, port) for address in found if self._guard.approves(address)]
        if not approved:
            raise Disallowed(f"{host} is at {', '.join(found[:3])}: not a public address; {allowing(*found[:3])}")
        return approved

    async def _find(self, name: str) -> tuple[str, ...]:
        answer = self._answers.get(name)
        if answer is None or answer.expires <= self._now():
            answer = await self._ask_once(name)
        if answer.error:
            raise NameNotFound(f"{name}: {answer.error}")
        return answer.addresses

    async def _ask_once(self, name: str) -> _Answer:
        """Joins a lookup under way, or starts one; giving up waiting does not stop it for the others."""
        task = self._asking.get(name)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._ask(name))
            self._asking[name] = task
            task.add_done_callback(lambda _: self._asking.pop(name, None))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            asker = asyncio.current_task()
            if task.cancelled() and asker is not None and not asker.cancelling():
                raise NameNotFound(f"{name}: the resolver was closed") from None
            raise

    async def _ask(self, name: str) -> _Answer:
        if self._lookup is None:
            self._lookup = default_lookup()
        try:
            found = tuple(await self._lookup.addresses(name))
            error = "" if found else "no addresses"
        except (OSError, UnicodeError) as problem:  # getaddrinfo raises UnicodeError for labels it cannot encode
            if (want := lack()) is not None:  # nothing was learnt about the name
                raise want from problem
            found, error = (), str(problem) or type(problem).__name__
        answer = _Answer(found, error, self._now() + (_FAILURE_TTL if error else self._ttl))
        self._answers[name] = answer
        self._answers.move_to_end(name)
        while len(self._answers) > _MAX_NAMES:
            self._answers.popitem(last=False)
        return answer

    async def close(self) -> None:
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._lookup is not None:
            await self._lookup.close()


def is_local_name(name: str) -> bool:
    """Names that mean this machine and are never asked for elsewhere (RFC 6761 §6.3)."""
    return name == "localhost" or name.endswith(".localhost")


def _info(address: str, port: int) -> AddressInfo:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port)
