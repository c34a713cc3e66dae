"""Trainings run beside a daemon, each in a process of its own: what was wished for, and what it came to.

Apart from the training itself, so that a daemon need not load the machinery of learning.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from afresh.lab.jobs import Job, Jobs, RunState, afresh_command
from afresh.links.verdicts.kernels import Kernel

_DECIDED = (0, 1)  # better than the one in use, or not


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a model shall be trained; None: as the one in use."""

    owner: str = ""
    link: int | None = None  # learn from its ratings only, and judge only it
    rater: str | None = None  # learn from this person's ratings only; None: from everybody's
    kernel: Kernel | None = None
    measures: tuple[str, ...] | None = None
    time_limit: float = 60.0  # seconds for tuning; what was best by then is taken
    transduction: bool = False
    seed: int = 0
    note: str = ""


@dataclass(slots=True, kw_only=True)
class Training(Job):
    """One model being trained from the ratings."""

    wish: Wish
    is_tried: bool = True  # put to use if it is better than the one in use, and there are ratings enough
    beside: Mapping[str, str] = field(default_factory=dict)  # how the process finds the store

    def command(self) -> tuple[str, ...]:
        wish = self.wish
        words = [
            f"--owner={wish.owner}",
            f"--note={wish.note}",
            f"--time-limit={wish.time_limit}",
            f"--seed={wish.seed}",
            "--use" if self.is_tried else "--no-use",
            *(f"--measure={name}" for name in wish.measures or ()),
        ]
        if wish.link is not None:
            words.append(f"--link={wish.link}")
        if wish.rater is not None:
            words.append(f"--rater={wish.rater}")
        if wish.kernel is not None:
            words.append(f"--kernel={wish.kernel}")
        if wish.transduction:
            words.append("--transduction")
        return afresh_command("learn", "train", "--json", *words)

    def environment(self) -> Mapping[str, str]:
        return self.beside

    def is_done(self, code: int) -> bool:
        return code in _DECIDED and self._read() is not None

    def report(self) -> Mapping[str, Any] | None:
        """Number of the model, whether it is better and in use, and its figures; None before it is done."""
        return self._read() if self.state is RunState.DONE else None

    def _read(self) -> Mapping[str, Any] | None:
        try:
            loaded = json.loads(self.said())
        except (OSError, ValueError):  # it crashed, or was ended, before it could say anything
            return None
        return loaded if isinstance(loaded, dict) else None


class Trainings(Jobs[Training]):
    """Trainings since the daemon started, one at a time."""

    def start(self, wish: Wish, *, is_tried: bool, beside: Mapping[str, str]) -> Training:
        """A new training, waiting for its turn; UsageError where too many wait."""
        return self.begin(
            lambda number, folder, asked: Training(
                number=number, folder=folder, asked=asked, wish=wish, is_tried=is_tried, beside=beside
            )
        )
