"""A progress bar on standard error, where somebody watches."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from afresh.doors.cli.output import console

_BAR, _REMAINING, _BETWEEN = 20, 7, 4  # columns of the bar, of the time that is left, between them and at the end
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
        kept = Column(no_wrap=True)  # the words give way to the figures, not the other way round
        columns = (
            MofNCompleteColumn(table_column=kept),
            BarColumn(_BAR, table_column=kept),
            TimeRemainingColumn(table_column=kept),
            TextColumn("{task.description}", markup=False),
        )
        self._progress = Progress(*columns, console=screen, transient=True)
        self._task = self._progress.add_task(self._fitting(name, screen.width, total), total=total)
        self._screen, self._total = screen, total
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
            words = self._fitting(self._words(), self._screen.width, self._total)
            self._progress.update(self._task, completed=self._done, description=words)

    @staticmethod
    def _fitting(words: str, width: int, total: int) -> str:
        """What there is room for beside the figures."""
        room = width - (2 * len(str(total)) + 1) - _BAR - _REMAINING - _BETWEEN
        return words if len(words) <= room else f"{words[: room - 1].rstrip(' ,;')}…" if room > 1 else ""
