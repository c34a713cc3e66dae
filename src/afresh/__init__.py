"""afresh: a fresh picture of the web for the fewest requests."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from afresh.doors.python.opening import Afresh

__version__ = "0.1.0"
__all__ = ["Afresh", "__version__", "open"]


def open(where: str | Path = "afresh.db", **settings: Any) -> Afresh:  # noqa: A001 (read as afresh.open)
    """What afresh keeps, for a program or a notebook: a SQLite file or a postgresql:// address.

    Settings by their names, with two underscores for the dot: ``afresh.open("afresh.db", politeness__delay="5s")``.
    """
    from afresh.doors.python.opening import Afresh  # noqa: PLC0415 (a command must not wait for this door)

    return Afresh(where, **settings)


def __getattr__(name: str) -> Any:
    if name == "Afresh":
        from afresh.doors.python.opening import Afresh  # noqa: PLC0415

        return Afresh
    if name in ("client", "lab"):  # modules, loaded when they are asked for
        return import_module(f"afresh.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
