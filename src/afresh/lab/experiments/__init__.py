"""Each published table or figure is one experiment, run by name: published numbers beside ours, claims tested."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import orjson

from afresh.base.registry import Registry
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series

__all__ = [
    "Claim",
    "Experiment",
    "Figure",
    "Options",
    "Outcome",
    "Series",
    "catalogue",
    "experiment",
    "experiment_names",
]

_EXPERIMENTS: Registry[Experiment | Mapping[str, Experiment]] = Registry(
    "experiment",
    {
        "reichert-adaptive-ttl": "reichert.sweeps:ADAPTIVE_TTL",
        "reichert-indhist": "reichert.sweeps:INDHIST",
        "reichert-lihz": "reichert.sweeps:LIHZ",
        "reichert-comparison": "reichert.comparison:COMPARISON",
        "reichert-volume": "reichert.volume:VOLUME",
        "reichert-bounds": "reichert.bounds:BOUNDS",
        "reichert-ttl": "reichert.ttl:TTL",
        "reichert-ttl-published": "reichert.ttl:TTL_PUBLISHED",
        "reichert-weighted": "reichert.weighted:WEIGHTED",
        "reichert-goodness": "reichert.goodness:GOODNESS",
        "reichert-patterns": "reichert.patterns:PATTERNS",
        "reichert-windows": "reichert.windows:WINDOW_SIZES",
        "horincar-table-4-1": "horincar.table_4_1:TABLE",
        "horincar-table-4-1-choices": "horincar.choices:CHOICES_OF_TABLE",
        "horincar-quality-cost": "horincar.curves:QUALITY",
        "horincar-threshold": "horincar.curves:THRESHOLD",
        "horincar-divergence-error": "horincar.learning:ERRORS",
        "horincar-robustness": "horincar.learning:ROBUSTNESS",
        "horincar-tracking": "horincar.learning:TRACKING",
        "horincar-online": "horincar.learning:ONLINE",
        "horincar-feeds": "horincar.feeds:FEED_ANALYSIS",
        "horincar-topology": "horincar.structure:TOPOLOGY",
        "horincar-saturation": "horincar.structure:SATURATION",
        "horincar-censoring": "horincar.structure:CENSORING",
        "masloch-combinations": "masloch:COMBINATIONS",
        "masloch-measures": "masloch:SINGLE",
        "masloch-kernels": "masloch:KERNELS",
        "gaebeler-t1": "gaebeler.load:T1",
        "gaebeler-t2": "gaebeler.load:T2",
        "gaebeler-t3": "gaebeler.partitioning:T3",
        "gaebeler-t3b": "gaebeler.partitioning:T3B",
        "gaebeler-t4": "gaebeler.priorities:T4",
        "gaebeler-t5": "gaebeler.priorities:T5",
        "gaebeler-combinations": "gaebeler.combinations:COMBINATIONS",
        "gaebeler-table-7": "gaebeler.literature:TABLE_7",
        "gaebeler-idle": "gaebeler.literature:IDLE",
        **dict.fromkeys(
            (
                "merge-bound",
                "random-bound",
                "golden-bound",
                "merge-age",
                "merge-exact",
                "merge-worst",
                "merge-standin",
                "merge-standin-full",
                "small-sites",
                "politeness",
                "allocation-textbook",
                "allocation-exact",
                "gain-accuracy",
                "azar",
                "announcements",
                "rate-estimators",
                "decision-cost",
                "decision-cost-full",
                "page-histories",
            ),
            "revisiting:BY_NAME",
        ),
        "afresh-rules": "rules:RULES",
        "priced-sensitivity": "sensitivity:SENSITIVITY",
    },
    package=__name__,
    listing="afresh lab list",
)


def experiment_names() -> tuple[str, ...]:
    """All experiments, in the order of the works they come from."""
    return _EXPERIMENTS.names()


def experiment(name: str) -> Experiment:
    """The experiment of that name; ModelError names the nearest."""
    found = _EXPERIMENTS.find(name)
    return found if isinstance(found, Experiment) else found[name]


@cache
def catalogue() -> Sequence[Mapping[str, str]]:
    """Name, title and source of every experiment, and what it takes: none is loaded, nothing of the lab needed.

    ``catalogue.json`` is made of the experiments themselves; a test compares them. What one takes was measured on a
    laptop of two cores, at scale 1.
    """
    written: dict[str, Mapping[str, str]] = orjson.loads((files(__name__) / "catalogue.json").read_bytes())
    return [
        {"name": name, **written.get(name, {"title": name, "source": "", "takes": ""})} for name in experiment_names()
    ]
