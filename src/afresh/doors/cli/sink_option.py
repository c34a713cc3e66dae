"""``--sink``, for every command that has something to carry over."""

from collections.abc import Callable
from typing import Any

import click


def sink_option(*kinds: str) -> Callable[[Any], Any]:
    """The option; ``kinds``: what else it takes than any command."""
    known = ("ndjson:FOLDER", "parquet:FOLDER", "nats://HOST:PORT/SUBJECT", *kinds)
    return click.option(
        "--sink",
        "sinks",
        multiple=True,
        metavar="ADDRESS",
        help=f"Also write there: {', '.join(known)}; may be repeated.",
    )
