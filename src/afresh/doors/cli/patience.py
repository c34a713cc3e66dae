"""A word for whoever waits: the first use of a rule after an installation compiles it, which takes a while."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

_MOMENT = 2.0  # seconds that need no word


@contextmanager
def while_compiling(moment: float = _MOMENT) -> Iterator[None]:
    """Says what takes so long, after a moment and to a person only: programs wait without being told."""
    if not sys.stderr.isatty():
        yield
        return
    words = "compiling rules: once after an installation, up to a minute …"
    timer = threading.Timer(moment, click.echo, args=(words,), kwargs={"file": sys.stderr})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
