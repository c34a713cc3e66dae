"""What we lack ourselves, told apart from what others did."""

import asyncio
import errno
import socket
from unittest.mock import patch

import pytest

from afresh.base.out_of_descriptors import is_shortage, lack

WANT = OSError(errno.EMFILE, "Too many open files")
REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('::1', 80, 0, 0)")


def failing_at(*errors: OSError) -> BaseException:
    """What asyncio makes of addresses of one host that fail so, one after the other."""

    async def connect() -> BaseException:
        loop, failing = asyncio.get_running_loop(), iter(errors)
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 9 + place)) for place in range(len(errors))]

        async def addresses(*_: object, **__: object) -> object:
            return found

        async def fail(*_: object) -> None:
            raise next(failing)

        with (
            patch.object(loop, "getaddrinfo", addresses),
            patch.object(loop, "sock_connect", fail),
            pytest.raises(OSError) as caught,  # noqa: PT011 (whatever it says)
        ):
            await loop.create_connection(asyncio.Protocol, "two.example", 80)
        return caught.value

    return asyncio.run(connect())


def test_a_want_among_the_failures_of_several_addresses_is_one() -> None:
    assert is_shortage(failing_at(WANT, REFUSED))


def test_addresses_that_refuse_are_none() -> None:
    other = ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 80)")
    assert not is_shortage(failing_at(other, REFUSED))


def test_nothing_is_lacking_here() -> None:
    assert lack() is None
