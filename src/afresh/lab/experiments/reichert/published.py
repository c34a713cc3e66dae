"""The published tables as data: what the thesis printed, row by row."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_PACKAGE = "afresh.lab.experiments.reichert"


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One printed row: averages of one mode, and goodness among the rows of its table."""

    delay: float  # seconds; printed in whole minutes
    ape: float
    recall: float
    goodness: float


@cache
def table(name: str) -> Mapping[str, Printed]:
    """A table by its number ("4.11", "A.1"): first column to the rest.

    >>> table("4.11")["MAVSync"].goodness
    0.785
    """
    return {
        row["algorithm"]: Printed(
            delay=60.0 * float(row["delay_minutes"]),
            ape=float(row["ape"]),
            recall=float(row["recall"]),
            goodness=float(row["goodness"]),
        )
        for row in _read("published.csv")
        if row["table"] == name
    }


@cache
def weighted() -> Mapping[str, Mapping[str, float]]:
    """Goodness by algorithm under doubled weights ("feeds_delay", "both_ape" …), recomputed from Tables 4.11 and 4.12.

    The thesis prints Figures 5.8 and 5.9 only; these values are good to 0.01.
    """
    return {
        row["algorithm"]: {name: float(value) for name, value in row.items() if name != "algorithm"}
        for row in _read("weighted.csv")
    }


def _read(name: str) -> list[dict[str, str]]:
    with (files(_PACKAGE) / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


#: Bytes moved in the test phase by all 179,000 feeds, where the text says so.  [R12] §4.4.3 (Fig. 4.15 is a drawing).
VOLUMES: Mapping[str, float] = {
    "LRU-2": 4e12,
    "AdaptiveTTL_0.1": 3e12,
    "Fix1h": 1.3e12,
    "IndHist/TTL_10.0/3.0": 0.11e12,
    "AdaptiveTTL_3.0": 0.11e12,
    "IndHist_10.0": 0.11e12,
    "Fix7d": 7.5e9,
}
EVALUATED_FEEDS = 179_000

#: Shares of update classes among 200,000 feeds.  [R12] §3.7.6; what the text leaves together is split evenly.
CLASSES: Mapping[str, float] = {
    "spontaneous": 0.33,
    "zombie": 0.25,
    "sliced": 0.18,
    "single_entry": 0.095,
    "empty": 0.085,
    "constant": 0.0275,
    "chunked": 0.0275,
}

#: Tables 4.1 and 4.2: delay (minutes), polls per entry, recall of eight invented algorithms.
WORKED: Mapping[str, tuple[float, float, float]] = {
    "A1": (30, 3.2, 0.95),
    "A2": (100, 2.1, 0.96),
    "A3": (200, 1.2, 0.98),
    "A4": (3, 3.2, 0.98),
    "A5": (6, 1.6, 0.98),
    "A6": (6, 6.4, 0.49),
    "A7": (24, 3.2, 0.98),
    "A8": (2000, 1.2, 0.98),
}

_NAN = float("nan")
#: Tables 4.1-4.3: the three normalised values, then their arithmetic, geometric and harmonic mean.
WORKED_TABLES: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "4.1": {
        "A1": (1.000, 0.375, 0.969, 0.781, 0.714, 0.639),
        "A2": (0.300, 0.571, 0.980, 0.617, 0.552, 0.491),
        "A3": (0.150, 1.000, 1.000, 0.717, 0.531, 0.346),
    },
    "4.2": {
        "A1": (0.100, 0.375, 0.969, 0.481, 0.331, 0.219),
        "A2": (0.030, 0.571, 0.980, 0.527, 0.256, 0.083),
        "A3": (0.015, 1.000, 1.000, 0.672, 0.247, 0.044),
        "A4": (1.000, 0.375, 1.000, 0.792, 0.721, 0.643),
        "A5": (0.500, 0.750, 1.000, 0.750, 0.721, 0.692),
        "A6": (0.500, 0.188, 0.500, 0.396, 0.361, 0.321),
        "A7": (0.125, 0.375, 1.000, 0.500, 0.361, 0.257),
        "A8": (0.002, 1.000, 1.000, 0.667, 0.114, 0.004),
    },
    "4.3": {
        "A1": (0.985, 0.500, 0.902, 0.796, 0.763, 0.727),
        "A2": (0.950, 0.672, 0.922, 0.848, 0.838, 0.827),
        "A3": (0.900, 0.813, 0.961, 0.891, 0.889, 0.887),
        "A4": (0.999, 0.500, 0.961, 0.820, 0.783, 0.742),
        "A5": (0.997, 0.750, 0.961, 0.903, 0.896, 0.888),
        "A6": (0.997, 0.000, 0.000, 0.332, 0.000, _NAN),
        "A7": (0.988, 0.500, 0.961, 0.816, 0.780, 0.740),
        "A8": (0.000, 0.813, 0.961, 0.591, 0.000, _NAN),
    },
}
#: Table 4.4: goodness G and the same over the best, of A3 to A7.
WORKED_GOODNESS: Mapping[str, tuple[float, float]] = {
    "A3": (0.247, 0.342),
    "A4": (0.721, 1.000),
    "A5": (0.721, 1.000),
    "A6": (0.361, 0.500),
    "A7": (0.361, 0.500),
}
