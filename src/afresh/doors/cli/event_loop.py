"""The loop that commands run on; apart from serving, so that a command that only asks loads no server."""

import asyncio
from collections.abc import Coroutine
from typing import Any


def run_async(main: Coroutine[Any, Any, int]) -> int:
    """Run on uvloop where there is one."""
    try:
        import uvloop  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
