"""The log of a service: one line an event, and never a flood of the same."""

import logging
import time
import warnings
from collections.abc import Callable

_SPAN = 60.0  # seconds
_MOST = 30  # lines of one kind in that time
_MANY = 1_000  # kinds of lines remembered


class Sparingly(logging.Filter):
    """Lets a few lines of a kind through in a minute and then says how many were left out.

    Lines are of a kind if they come from the same logger with the same words before values are filled in.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, *, most: int = _MOST) -> None:
        super().__init__()
        self._now, self._most = now, most
        self._seen: dict[tuple[str, int, str], list[float]] = {}  # by kind: begin of its minute, lines in it

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno <= logging.INFO and record.name.startswith("afresh."):
            return True  # the log of what is visited, which somebody asked for
        kind = (record.name, record.levelno, str(record.msg)[:200])
        now = self._now()
        began, count = self._seen.get(kind, (now, 0.0))
        if now - began >= _SPAN:
            left_out = int(count) - self._most
            began, count = now, 0.0
            if left_out > 0:
                record.msg, record.args = f"{record.getMessage()} (and {left_out:,} more like it before)", None
        if len(self._seen) >= _MANY and kind not in self._seen:
            self._seen.clear()
        self._seen[kind] = [began, count + 1]
        return count < self._most


def set_up_logs(level: str) -> None:
    """Lines on standard error from this level on."""
    # FastAPI hides what pydantic says of its own declarations, but what one thread hides another one shows again.
    warnings.filterwarnings("ignore", module="pydantic")
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        if not any(isinstance(one, Sparingly) for one in handler.filters):
            handler.addFilter(Sparingly())
