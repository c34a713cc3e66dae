"""Rows and figures in the layout of the published tables: measured value, published value, mode by mode."""

from collections.abc import Mapping, Sequence

from afresh.lab.experiments.model import Figure, Series
from afresh.lab.experiments.reichert.published import Printed
from afresh.lab.experiments.reichert.setting import Results

MODES = ("feeds", "entries")
METRICS = ("delay", "ape", "recall", "goodness")


def result_row(
    results: Results, label: str, lead: Mapping[str, object], feeds: Printed | None, entries: Printed | None
) -> dict[str, object]:
    """One rule: what leads the row, then each metric of each mode, ours and the printed one (delays in seconds)."""
    row: dict[str, object] = dict(lead)
    for mode, printed in zip(MODES, (feeds, entries), strict=True):
        for metric in METRICS:
            row[f"{metric}_{mode}"] = _rounded(metric, results.value(label, f"{metric}_{mode}"))
            row[f"published_{metric}_{mode}"] = None if printed is None else _rounded(metric, getattr(printed, metric))
    row["polls"] = results.rows[label].averages.polls
    return row


def _rounded(metric: str, value: float) -> float | int | None:
    if value != value:
        return None
    return round(value) if metric == "delay" else round(value, 4)


def goodness_figures(
    name: str, title: str, x: Sequence[float], results: Results, printed: Sequence[Mapping[str, Printed]], x_label: str
) -> list[Figure]:
    """Goodness and its three ingredients against a parameter, a figure for each mode; the published goodness as dots.

    ``printed``: the tables of mode Feeds and mode Entries, with rows in the order of ``x``.
    """
    figures = []
    for mode, rows in zip(MODES, printed, strict=True):
        delay, ape, recall = (results.column(f"{metric}_{mode}") for metric in METRICS[:3])
        series = [
            Series("delay (best / own)", x, [min(delay) / value for value in delay]),
            Series("polls per entry (best / own)", x, [min(ape) / value for value in ape]),
            Series("recall (own / best)", x, [value / max(recall) for value in recall]),
            Series("goodness", x, results.column(f"goodness_{mode}")),
            Series("goodness, published", x, [row.goodness for row in rows.values()], points=True),
        ]
        figures.append(
            Figure(f"{name}-{mode}", f"{title}, mode {mode}", x_label, "normalised to the best", series, x_log=True)
        )
    return figures
