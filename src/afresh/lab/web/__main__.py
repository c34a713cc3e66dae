"""``python -m afresh.lab.web``: serves the demo web until interrupted."""

import argparse
import asyncio
import contextlib
import json
import signal
import sys

from afresh.lab.web.patterns import DEFAULT_DAY
from afresh.lab.web.server import DemoWeb


async def _serve(arguments: argparse.Namespace) -> None:
    ended = _told_to_end()
    demo = DemoWeb(arguments.seed, arguments.day, polite_delay=arguments.polite_delay)
    await demo.start(port=arguments.port)
    try:
        for feed in demo.feeds:
            print(f"{feed.url:55} {feed.pattern:13} {feed.format:7} {feed.manners}")
        print(f"\nlisting and ledger: http://127.0.0.1:{demo.port}/  /feeds.txt  /ledger.json", flush=True)
        await ended.wait()
    finally:
        await demo.stop()
        print(json.dumps(demo.summary(), indent=1))


def _told_to_end() -> asyncio.Event:
    """Set by SIGINT or SIGTERM; the first may be ignored by inheritance, as in the background of a shell."""
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
    return ended


def main() -> int:
    """Parses the command line and serves."""
    parser = argparse.ArgumentParser(prog="python -m afresh.lab.web", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--day", type=float, default=DEFAULT_DAY, help="seconds a day of the demo lasts")
    parser.add_argument("--polite-delay", type=float, default=1.0, help="seconds visitors promise between two requests")
    arguments = parser.parse_args()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve(arguments))
    except OSError as error:
        print(f"cannot listen on port {arguments.port}: {error.strerror}; try another --port", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
