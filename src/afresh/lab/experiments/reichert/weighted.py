"""Goodness with one ingredient counted twice, and over both modes together.  [R12] §5.3, Fig. 5.8, 5.9."""

from collections.abc import Mapping

import numpy as np

from afresh.lab.compare import with_goodness
from afresh.lab.experiments.model import Experiment, Figure, Options, Outcome, Series
from afresh.lab.experiments.reichert.comparison import ALGORITHMS
from afresh.lab.experiments.reichert.judge import Judge, numbers
from afresh.lab.experiments.reichert.published import weighted
from afresh.lab.experiments.reichert.setting import Results, setting
from afresh.lab.metrics import EQUAL, Weights

WEIGHTS: Mapping[str, Weights] = {
    "equal": EQUAL,
    "delay": Weights(delay=2.0),
    "ape": Weights(ape=2.0),
    "recall": Weights(recall=2.0),
}
SCOPES: Mapping[str, str] = {"feeds": "goodness_feeds", "entries": "goodness_entries", "both": "goodness"}
Table = Mapping[str, Mapping[str, float]]


def run(options: Options) -> Outcome:
    """Replays all fifteen once and weighs them four times."""
    where = setting(options)
    measured = weigh(where.replay(ALGORITHMS))
    printed = weighted()
    rows = [_row(label, measured[label], printed[label]) for label in ALGORITHMS]
    judge = Judge(where)
    _judge(judge, measured)
    notes = (
        "The thesis draws these values (Fig. 5.8, 5.9) and prints none: the published ones here follow from Tables "
        "4.11 and 4.12 and are good to 0.01."
    )
    return Outcome(rows=rows, claims=judge.claims, figures=[_figure(measured)], notes=notes, data=where.data)


def weigh(results: Results) -> Table:
    """Goodness by algorithm, then by scope and weight ("both_ape": over both modes, polls per entry twice)."""
    table: dict[str, dict[str, float]] = {label: {} for label in results.rows}
    for name, weights in WEIGHTS.items():
        for label, row in zip(results.rows, with_goodness(list(results.rows.values()), weights), strict=True):
            table[label] |= {f"{scope}_{name}": getattr(row, field) for scope, field in SCOPES.items()}
    return table


def _row(label: str, measured: Mapping[str, float], printed: Mapping[str, float]) -> dict[str, object]:
    row: dict[str, object] = {"algorithm": label}
    for scope in SCOPES:
        for weight in WEIGHTS:
            name = f"{scope}_{weight}"
            row[name] = round(measured[name], 3)
            row[f"published_{name}"] = printed[name]
    return row


def _judge(judge: Judge, measured: Table) -> None:
    both = {label: row["both_equal"] for label, row in measured.items()}
    first = ("MAVSync", "IndHist_0.7", "IndHist_10.0", "FixLearned_A")
    last = ("Fix1h", "LIHZ_0.1", "LIHZ_1.0", "LRU-2")
    judge.say(
        "C10: over both modes MAVSync (1.00), IndHist_0.7 (0.97), IndHist_10 (0.96) and FixLearned_A (0.95) lie "
        "together in front of AdaptiveTTL (0.77 to 0.79), Fix1h (0.76), LIHZ (0.44) and LRU-2 (0.27)",
        min(both[label] for label in first)
        > max(both[label] for label in (*last, "AdaptiveTTL_0.1", "AdaptiveTTL_3.0"))
        and both["MAVSync"] > 0.95
        and min(both, key=both.__getitem__) == "LRU-2",
        f"{numbers([both[label] for label in first])}; AdaptiveTTL "
        f"{numbers([both['AdaptiveTTL_0.1'], both['AdaptiveTTL_3.0']])}; Fix1h, LIHZ, LRU-2 "
        f"{numbers([both[label] for label in last])}",
        because="AdaptiveTTL_3 is too good in mode Entries here, because synthetic fast feeds lose little by it",
    )
    winners = {name: _best(measured, f"both_{name}") for name in WEIGHTS}
    lag = measured["MAVSync"]["both_recall"]
    judge.say(
        "C28: over both modes Fix1h is best when delay counts twice, IndHist_10 when polls do, MAVSync (narrowly "
        "before IndHist_0.7) when recall does",
        winners["delay"] == "Fix1h" and winners["ape"].endswith(("IndHist_10.0", "10.0/3.0")) and lag > 0.97,
        f"best: {winners['delay']}, {winners['ape']}, {winners['recall']}; MAVSync {lag:.3f} when recall counts twice",
    )


def _best(measured: Table, name: str) -> str:
    return max(measured, key=lambda label: measured[label][name])


def _figure(measured: Table) -> Figure:
    labels = list(measured)
    x = [float(i) for i in np.arange(1, len(labels) + 1)]
    return Figure(
        "both-modes",
        "Goodness over both modes: " + ", ".join(f"{i} {label}" for i, label in enumerate(labels, 1))[:90] + " …",
        "algorithm, in the order of the table",
        "goodness",
        [
            Series(
                f"{name} counted twice" if name != "equal" else "equal weights",
                x,
                [measured[label][f"both_{name}"] for label in labels],
                points=True,
            )
            for name in WEIGHTS
        ],
    )


WEIGHTED = Experiment(
    "reichert-weighted", "Weighted goodness, and goodness over both modes", "[R12] §5.3, Fig. 5.8, 5.9", run
)
