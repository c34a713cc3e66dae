"""Verdicts on published claims, with the numbers they rest on."""

from itertools import pairwise

from afresh.base.durations import format_duration
from afresh.lab.experiments.model import Claim
from afresh.lab.experiments.reichert.setting import Setting

_TOO_SMALL = "with fewer than 10,000 feeds averages over entries hang on a few of them"


class Judge:
    """Collects claims about the results on one setting."""

    def __init__(self, setting: Setting | None = None) -> None:
        self.claims: list[Claim] = []
        self._is_large = setting is None or setting.is_large

    def say(self, text: str, holds: bool, measured: str, *, because: str = "", tail: bool = False) -> None:
        """Judge one claim; ``because`` explains why it does not hold, should it not.

        ``tail``: the claim is about the few very fast feeds. Where it fails in a small population, that tells nothing.
        """
        if holds:
            self.claims.append(Claim(text, True, measured))
        elif tail and not self._is_large:
            self.claims.append(Claim(text, None, f"{measured}; {_TOO_SMALL}"))
        else:
            self.claims.append(Claim(text, False, "; ".join(filter(None, (measured, because)))))

    def cannot_tell(self, text: str, why: str) -> None:
        """A claim that this data says nothing about."""
        self.claims.append(Claim(text, None, why))


def hours(seconds: float) -> str:
    """A delay in words."""
    return format_duration(seconds) if seconds == seconds else "undefined"


def numbers(values: list[float], digits: int = 3) -> str:
    """Several numbers in a sentence."""
    return ", ".join(f"{value:.{digits}g}" for value in values)


def are_rising(values: list[float], slack: float = 0.0) -> bool:
    """Whether no value is below the one before it by more than the given part of it."""
    return all(b >= a * (1 - slack) for a, b in pairwise(values))


def are_falling(values: list[float], slack: float = 0.0) -> bool:
    """Whether no value is above the one before it by more than the given part of it."""
    return all(b <= a * (1 + slack) for a, b in pairwise(values))
