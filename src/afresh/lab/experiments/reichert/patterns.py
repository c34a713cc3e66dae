"""The mix of update patterns and how much feeds publish at all.  [R12] §3.7.5, §3.7.6, Fig. 3.11."""

from collections import Counter

import numpy as np

from afresh.base.calendar import DAY
from afresh.feeds.patterns import classify_all
from afresh.lab.experiments.model import Experiment, Figure, Options, Outcome, Series
from afresh.lab.experiments.reichert.judge import Judge
from afresh.lab.experiments.reichert.published import CLASSES
from afresh.lab.experiments.reichert.setting import Setting, setting

RECORDING = 28 * DAY
_OTHER = "this trace is another sample of the web"
_WHY_NOT = (
    "the feeds were made with the published shares, but by the gaps between all their entries, those before the "
    "recording included, a quarter of the spontaneous ones count as sliced"
)


def run(options: Options) -> Outcome:
    """Classifies all feeds at the end of the test part."""
    where = setting(options)
    trace, end = where.trace, where.period.end
    found = Counter(pattern.value for pattern in classify_all(trace.times, trace.offsets, end))
    made = Counter(trace.columns.get("class", []))
    feeds = len(trace)
    rows: list[dict[str, object]] = []
    for name in dict.fromkeys((*CLASSES, *found)):
        row: dict[str, object] = {"class": name, "share": round(found[name] / feeds, 4)}
        row["published_share"] = CLASSES.get(name)
        if made:
            row["generated_share"] = round(made[name] / feeds, 4)
        rows.append(row)
    judge = Judge(where)
    _judge(judge, where, {name: found[name] / feeds for name in CLASSES})
    notes = (
        "The class mix is an input of the synthetic population (generated_share): what is tested is that the "
        "classifier finds it again. The thesis gives no thresholds for its classes beyond those of zombies and "
        "constant feeds. Undated feeds (on the fly) and unreachable ones are not evaluated in the thesis and left out."
    )
    return Outcome(rows=rows, claims=judge.claims, figures=[_entries_figure(where)], notes=notes, data=where.data)


def new_entries(where: Setting) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Entries of each feed in the 28 days of the recording."""
    trace, end = where.trace, where.period.end
    inside = (trace.times > end - RECORDING) & (trace.times <= end)
    owner = np.repeat(np.arange(len(trace)), np.diff(trace.offsets))
    return np.bincount(owner[inside], minlength=len(trace)).astype(np.int64)


def _judge(judge: Judge, where: Setting, shares: dict[str, float]) -> None:
    worst = max(shares, key=lambda name: abs(shares[name] - CLASSES[name]))
    judge.say(
        "C32 (§3.7.6): a third of the feeds is spontaneous, a quarter zombie, 18 % sliced, 18 % empty or single-entry",
        abs(shares[worst] - CLASSES[worst]) < 0.05,
        f"farthest off: {worst}, {shares[worst]:.3f} against {CLASSES[worst]:.3f}",
        because=_WHY_NOT if where.is_synthetic else _OTHER,
    )
    counts = new_entries(where)
    active = float(np.mean(counts > 0))
    judge.say(
        "C32 (§3.7.4): about 40 % of the feeds publish anything new within four weeks",
        0.33 < active < 0.50,
        f"{active:.1%}",
        because="" if where.is_synthetic else _OTHER,
    )
    faster = float(np.mean(counts > 4 * RECORDING / DAY))
    judge.say(
        "C32 (§3.7.4): more than 90 % of the feeds publish less than one entry in six hours",
        faster < 0.10,
        f"{1 - faster:.1%}",
        because="" if where.is_synthetic else _OTHER,
    )


def _entries_figure(where: Setting) -> Figure:
    """The published drawing counts feeds by number of entries on logarithmic axes (Fig. 3.9)."""
    sizes, feeds = np.unique(new_entries(where), return_counts=True)
    known = sizes > 0
    x = sizes[known].astype(float)
    return Figure(
        "entries-per-feed",
        "Feeds by number of entries in four weeks",
        "entries",
        "feeds",
        [Series("feeds", x.tolist(), feeds[known].astype(float).tolist(), points=True)],
        x_log=True,
        y_log=True,
    )


PATTERNS = Experiment(
    "reichert-patterns", "Update patterns and activity of the feeds", "[R12] §3.7.4-3.7.6, Fig. 3.9, 3.11", run
)
