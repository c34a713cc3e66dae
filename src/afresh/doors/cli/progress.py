"""A progress bar on standard error, where somebody watches."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from afresh.doors.cli.output import console

_REDRAW = 0.1  # seconds between two pictures of the bar


def progress_bar(
    name: str, total: int, *, words: Callable[[], str] | None = None
) -> AbstractContextManager[Callable[[], None]]:
    """A context that gives the function to call after each step; on a terminal, with a bar. ``words`` replace its name
    as it goes on.
    """
    screen = console(stderr=True)
    return _Bar(screen, name, total, words) if screen.is_terminal else nullcontext(lambda: None)


class _Bar:
    """A bar that is drawn now and then, not for every step."""

    def __init__(self, screen: Console, name: str, total: int, words: Callable[[], str] | None) -> None:
        self._words = words or (lambda: name)
        columns = (MofNCompleteColumn(), BarColumn(20), TimeRemainingColumn(), TextColumn("{task.description}"))
        self._progress = Progress(*columns, console=screen, transient=True)
        self._task = self._progress.add_task(name, total=total)
        self._done, self._drawn = 0, 0.0

    def __enter__(self) -> Callable[[], None]:
        self._progress.start()
        return self._advance

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._drawn > _REDRAW:
            self._drawn = now
            self._progress.update(self._task, completed=self._done, description=self._words())
