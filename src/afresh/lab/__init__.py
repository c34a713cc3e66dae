"""The same loop in virtual time: synthetic webs, replays, experiments, reports."""

from typing import Any


def __getattr__(name: str) -> Any:
    """``afresh.lab.replay``, for notebooks; loaded when it is asked for."""
    if name == "replay":
        from afresh.lab import replay  # noqa: PLC0415

        return replay
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
