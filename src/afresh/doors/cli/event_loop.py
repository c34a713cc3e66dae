"""The loop that commands run on, and its end; apart from serving, so that a command that only asks loads no server."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run on uvloop where there is one, with as many descriptors as the system grants."""
    raise_descriptor_limit()
    try:
        import uvloop  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def raise_descriptor_limit() -> None:
    """The soft limit is meant for programs that use select(); ours may have as many as the hard one allows."""
    with suppress(ImportError, ValueError, OSError):  # not on Windows, or not allowed here: then with what there is
        import resource  # noqa: PLC0415

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextmanager
def ending_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """SIGINT and SIGTERM end a loop in good order: what is in flight is finished and recorded."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)
