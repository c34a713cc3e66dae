"""Experiments run beside a daemon, each in a process of its own, and their reports read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.lab.experiments import experiment_names
from afresh.lab.jobs import Job, Jobs, RunState, afresh_command

__all__ = ["Run", "RunState", "Runs"]


@dataclass(slots=True, kw_only=True)
class Run(Job):
    """One experiment being run."""

    name: str
    seed: int
    scale: float

    def command(self) -> tuple[str, ...]:
        return afresh_command(
            "lab", "run", self.name, "--output", str(self.folder), "--progress", "--seed", str(self.seed), "--scale",
            str(self.scale),
        )  # fmt: skip

    def report(self) -> Mapping[str, Any] | None:
        """What it came to; None before it is done."""
        if self.state is not RunState.DONE:
            return None
        loaded: Mapping[str, Any] = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        return loaded


class Runs(Jobs[Run]):
    """Experiments by name, one at a time."""

    def start(self, name: str, *, seed: int, scale: float) -> Run:
        """A new run, waiting for its turn; UsageError for an unknown experiment or too many waiting."""
        if name not in experiment_names():
            raise UsageError(f"unknown experiment {name!r}; /lab shows them all")
        need("lab", "an experiment")
        return self.begin(
            lambda number, folder, asked: Run(
                number=number, folder=folder, asked=asked, name=name, seed=seed, scale=scale
            )
        )
