"""Distributions of window and document sizes.  [R12] §3.7.2, §3.7.3, Fig. 3.7, 3.8."""

import numpy as np

from afresh.base.models import Row
from afresh.lab.experiments.model import Experiment, Figure, Options, Outcome, Series
from afresh.lab.experiments.reichert.judge import Judge
from afresh.lab.experiments.reichert.setting import Setting, setting

#: what the text says of windows: share of feeds with 0 or 1 entry, mean, median, share of the commonest size
WINDOWS = {"share of 0 and 1": 0.18, "mean": 17.0, "median": 10.0, "commonest size": 10.0}
#: and of documents: bytes, and shares of feeds
DOCUMENTS = {"median": 17_000.0, "mean": 43_000.0, "share up to 5 kB": 0.24, "share over 100 kB": 0.11}
HEADER = 369.0


def run(options: Options) -> Outcome:
    """Counts; nothing is replayed."""
    where = setting(options)
    windows = _windows(where)
    rows = _rows("window", _of_windows(windows), WINDOWS)
    judge = Judge(where)
    measured = _of_windows(windows)
    judge.say(
        "C32 (§3.7.2): windows have a median of 10 and a mean of 17; 18 % of the feeds show 0 or 1 entry",
        measured["median"] == 10 and abs(measured["mean"] - 17) < 3 and abs(measured["share of 0 and 1"] - 0.18) < 0.04,
        f"median {measured['median']:g}, mean {measured['mean']:.1f}, {measured['share of 0 and 1']:.1%}",
        because="" if where.is_synthetic else "this trace is another sample of the web",
    )
    figures = [_histogram("windows", "Window sizes", "entries in a document", windows, np.arange(0.0, 52.0))]
    sizes = where.trace.numbers("size")
    sizes = sizes[~np.isnan(sizes)]
    if len(sizes):
        rows += [*_rows("document", _of_documents(sizes), DOCUMENTS), *_header_row(where)]
        _judge_documents(judge, _of_documents(sizes))
        edges = np.geomspace(40, 3e6, 50)
        figures.append(_histogram("documents", "Document sizes", "bytes", sizes, edges, log=True))
    else:
        judge.cannot_tell("C32 (§3.7.3): sizes of documents", "this trace does not say how large its documents are")
    return Outcome(rows=rows, claims=judge.claims, figures=figures, data=where.data)


def _windows(where: Setting) -> Row:
    """Entries that each feed shows at the end: no more than it has ever published."""
    published = np.diff(where.trace.offsets)
    return np.minimum(where.trace.windows, published).astype(np.float64)


def _of_windows(windows: Row) -> dict[str, float]:
    sizes, counts = np.unique(windows, return_counts=True)
    return {
        "share of 0 and 1": float(np.mean(windows <= 1)),
        "mean": float(windows.mean()),
        "median": float(np.median(windows)),
        "commonest size": float(sizes[counts.argmax()]),
    }


def _of_documents(sizes: Row) -> dict[str, float]:
    return {
        "median": float(np.median(sizes)),
        "mean": float(sizes.mean()),
        "share up to 5 kB": float(np.mean(sizes <= 5_000)),
        "share over 100 kB": float(np.mean(sizes > 100_000)),
    }


def _rows(what: str, measured: dict[str, float], printed: dict[str, float]) -> list[dict[str, object]]:
    return [
        {"of": what, "statistic": name, "value": round(measured[name], 4), "published_value": printed[name]}
        for name in printed
    ]


def _header_row(where: Setting) -> list[dict[str, object]]:
    headers = where.trace.numbers("header")
    mean = float(np.nanmean(headers)) if not np.isnan(headers).all() else float("nan")
    row: dict[str, object] = {"of": "304 answer", "statistic": "mean", "value": mean, "published_value": HEADER}
    return [row] if mean == mean else []


def _judge_documents(judge: Judge, measured: dict[str, float]) -> None:
    judge.say(
        "C32 (§3.7.3): documents have a median of 17 kB and a mean of 43 kB; 11 % exceed 100 kB",
        abs(measured["median"] / 17_000 - 1) < 0.15
        and abs(measured["mean"] / 43_000 - 1) < 0.2
        and abs(measured["share over 100 kB"] - 0.11) < 0.03,
        f"median {measured['median'] / 1e3:.1f} kB, mean {measured['mean'] / 1e3:.1f} kB, "
        f"{measured['share over 100 kB']:.1%} over 100 kB",
    )


def _histogram(name: str, title: str, x_label: str, values: Row, edges: Row, *, log: bool = False) -> Figure:
    counts, _ = np.histogram(values, edges)
    return Figure(
        name,
        title,
        x_label,
        "share of feeds",
        [Series("feeds", edges[:-1].tolist(), (counts / len(values)).tolist())],
        x_log=log,
    )


WINDOW_SIZES = Experiment("reichert-windows", "Window and document sizes", "[R12] §3.7.2, §3.7.3, Fig. 3.7, 3.8", run)
