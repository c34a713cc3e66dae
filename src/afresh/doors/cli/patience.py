"""A word for whoever waits: how far something is, and what takes so long; programs are told less often."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

_MOMENT = 2.0  # seconds that need no word
_APART = 10.0  # seconds between two lines where they cannot be written over
_told = [time.monotonic()]  # when the last of them was


def tell_progress(text: str) -> None:
    """Writes over what was told before; empty: nothing is left of it. Into a file: a line now and then."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{text}", nl=False, err=True)
    elif text and time.monotonic() - _told[0] >= _APART:
        _told[0] = time.monotonic()
        click.echo(text, err=True)


@contextmanager
def while_compiling(moment: float = _MOMENT) -> Iterator[None]:
    """The first use of a rule after an installation compiles it: says so after a moment."""
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
