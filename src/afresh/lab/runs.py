"""Experiments run beside a daemon, each in a process of its own, and their reports read."""

import asyncio
import json
import math
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
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

    def __init__(self) -> None:
        super().__init__()
        self._catalogue: Sequence[Mapping[str, str]] | None = None
        self._asking: threading.Thread | None = None

    async def catalogue(self, *, patience: float | None = None) -> Sequence[Mapping[str, str]]:
        """Name, title and source of every experiment. Asked of another process: loading them all takes memory.

        Of one, however many ask: any page a browser shows can make it ask a thousand times at once. Whoever has only
        so many seconds of ``patience`` gets the names alone until the answer is there.
        """
        if self._asking is None:
            # A thread of its own, not a task: it may outlive whoever asked first.
            self._asking = threading.Thread(target=self._ask_catalogue, name="afresh-catalogue", daemon=True)
            self._asking.start()
        end = time.monotonic() + (math.inf if patience is None else patience)
        while self._catalogue is None and self._asking.is_alive() and time.monotonic() < end:
            await asyncio.sleep(0.02)
        return self._catalogue or [{"name": name, "title": "", "source": ""} for name in experiment_names()]

    def _ask_catalogue(self) -> None:
        asked = subprocess.run(  # noqa: S603 (our own command)
            afresh_command("lab", "list", "--json"), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if asked.returncode:
            self._catalogue = [{"name": name, "title": name, "source": ""} for name in experiment_names()]
        else:
            self._catalogue = json.loads(asked.stdout)["experiments"]

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
