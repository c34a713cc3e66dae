"""The claims about learning: what announcements are worth, and how well rates are estimated from visits."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from afresh.base.compiled import compiled
from afresh.lab.revisit.last_modified import last_modified_rate
from afresh.lab.revisit.rate_from_visits import cho_rate, em_map_rate, mle_rate, naive_rate
from afresh.lab.revisit.report import Figure, Report, at_most, near
from afresh.pages.beliefs.signals import Signalled
from afresh.pages.beliefs.streaming import large_numbers_rate, stochastic_approximation

Floats = NDArray[np.float64]

#: freshness at one visit a change, by (recall, rate of false announcements)
ANNOUNCED = {(0.0, 0.0): 0.632, (0.5, 0.1): 0.740, (0.8, 0.1): 0.855, (0.95, 0.02): 0.956}


def announcements(seed: int = 1, cycles: int = 2_000_000) -> Report:
    """Closed forms of visits led by noisy announcements, against simulation; the freshness they gain."""
    rng = np.random.default_rng(seed)
    figures: list[Figure] = []
    for (recall, false_rate), trial in ANNOUNCED.items():
        page = Signalled(rate=1.0, recall=recall, false_rate=false_rate)
        threshold = _threshold(page, 1.0)
        between, fresh = page.cycle(threshold)
        name = f"recall {recall:g}, false {false_rate:g}"
        figures.append(near(f"freshness at {name}", trial, fresh / between, 1e-3, field=ANNOUNCED.values()))
        if recall > 0.0:
            measured = np.array(cycle_by_chance(rng, page.silent, recall, false_rate, page.worth, threshold, cycles))
            error = float(np.max(np.abs(measured / np.array([between, fresh]) - 1.0)))
            figures.append(at_most(f"closed forms against simulation at {name}", error, 5e-3, 3e-3))
    return Report("announcements", "what noisy announcements are worth", tuple(figures))


def _threshold(page: Signalled, frequency: float) -> float:
    """The effective time since a visit at which to visit again, for so many visits a second."""
    low, high = 0.0, 1e4
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if page.cycle(middle)[0] < 1.0 / frequency else (low, middle)
    return high


@compiled()
def cycle_by_chance(
    rng: np.random.Generator,
    silent: float,
    recall: float,
    false_rate: float,
    worth: float,
    threshold: float,
    cycles: int,
) -> tuple[float, float]:
    """Mean time between visits and mean fresh time in it, by throwing changes and announcements one after another.

    Changes come at rate 1; nothing of the closed forms is used but the rule of the visit itself.
    """
    total = silent + recall + false_rate
    between = 0.0
    fresh = 0.0
    for _ in range(cycles):
        now = 0.0
        changed = math.inf
        left = threshold  # seconds until the visit, announcements so far counted in
        while True:
            wait = rng.exponential(1.0 / total)
            if wait >= left:
                now += left
                break
            now += wait
            left -= wait
            kind = rng.random() * total
            if kind < silent + recall:
                changed = min(changed, now)
            if kind >= silent:
                left -= worth
                if left <= 0.0:
                    break
        between += now
        fresh += min(changed, now)
    return between / cycles, fresh / cycles


#: relative errors of 100 visits at true rate 1; columns: mean interval, and whether visits are regular
COLUMNS = ((0.1, True), (0.5, True), (1.0, True), (2.0, True), (4.0, True), (1.0, False), (4.0, False))
TABLE: Mapping[str, tuple[float | None, ...]] = {
    "naive": (0.30, 0.23, 0.37, 0.57, 0.76, 0.50, 0.80),
    "Cho corrected": (0.32, 0.16, 0.13, 0.13, 0.18, 0.32, 0.60),
    "likelihood": (0.32, 0.16, 0.13, 0.13, None, 0.16, 0.19),
    "EM-MAP": (0.32, 0.16, 0.13, 0.13, 0.19, 0.16, 0.16),
    "Last-Modified corrected": (0.32, 0.16, 0.13, 0.11, 0.10, 0.14, 0.11),
    "large numbers": (0.37, 0.43, 0.84, 2.6, 22.0, 0.18, 0.25),
    "stochastic approximation": (0.46, 0.42, 0.76, 1.4, 1.2, 0.18, 0.20),
}


def rate_estimators(seed: int = 1, trials: int = 3000) -> Report:
    """Relative errors of the estimators over 100 visits, regular or not, at seven mean intervals.

    The figures of the reference trial have two digits; half of the last one is allowed beside the 10 %.
    """
    figures: list[Figure] = []
    for column, (y, regular) in enumerate(COLUMNS):
        rates = _estimates(np.random.default_rng(seed + column), y, regular, trials)
        errors = {name: float(np.sqrt(np.mean((found - 1.0) ** 2))) for name, found in rates.items()}
        kind = "regular" if regular else "exponential"
        for name, reference in TABLE.items():
            value = reference[column]
            what = f"{name}, {kind} intervals of {y:g}"
            if value is None:
                share = float(np.mean(np.isinf(rates[name])))
                figures.append(Figure(f"{what}: infinite", None, share, share > 0.0, "unbounded"))
                continue
            digit = 0.5 if value >= 10.0 else 0.05 if value >= 1.0 else 0.005
            figures.append(near(what, value, errors[name], 0.1 * value + digit, field=errors.values()))
        if (y, regular) == (1.0, True):
            bias = float(np.mean(rates["large numbers"]) - 1.0)
            figures.append(near("bias of large numbers, regular intervals of 1", 0.75, bias, 0.075))
    return Report("rate-estimators", "change rates from one bit a visit", tuple(figures))


def _estimates(rng: np.random.Generator, y: float, regular: bool, trials: int) -> dict[str, Floats]:
    """What every estimator says after 100 visits, for so many pages of rate 1."""
    out = {name: np.empty(trials) for name in TABLE}
    for trial in range(trials):
        lengths = np.full(100, y) if regular else rng.exponential(y, 100)
        ago = rng.exponential(1.0, 100)  # time since the last change, seen backwards from the visit
        bits = ago < lengths
        out["naive"][trial] = naive_rate(lengths, bits)
        out["Cho corrected"][trial] = cho_rate(lengths, bits)
        out["likelihood"][trial] = mle_rate(lengths, bits)
        out["EM-MAP"][trial] = em_map_rate(lengths, bits, tolerance=1e-5)
        out["Last-Modified corrected"][trial] = last_modified_rate(lengths, bits, np.where(bits, ago, lengths))
        polls = 1.0 / lengths.mean()  # rate of the visits as they were made
        out["large numbers"][trial] = large_numbers_rate(100, int(bits.sum()), polls)
        out["stochastic approximation"][trial] = _approximated(bits, polls)
    return out


@compiled()
def _approximated(bits: NDArray[np.bool_], poll_rate: float) -> float:
    rate = poll_rate
    before = poll_rate
    for k in range(len(bits)):
        rate, before = stochastic_approximation(rate, before, poll_rate, bits[k], k + 1, 0.0)
    return rate
