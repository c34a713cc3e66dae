"""All fifteen algorithms of the thesis side by side, in both modes.  [R12] Tables 4.11, 4.12."""

from collections.abc import Mapping

from afresh.lab.experiments.model import Experiment, Figure, Options, Outcome, Series
from afresh.lab.experiments.reichert import comparison_claims
from afresh.lab.experiments.reichert.judge import Judge
from afresh.lab.experiments.reichert.layout import MODES, result_row
from afresh.lab.experiments.reichert.published import Printed, table
from afresh.lab.experiments.reichert.setting import Results, setting

#: name in the thesis: rule of ours
ALGORITHMS: Mapping[str, str] = {
    "Fix1h": "fix:interval=1h",
    "Fix1d": "fix:interval=1d",
    "Fix7d": "fix:interval=7d",
    "FixLearned_W": "fix_learned_w",
    "FixLearned_A": "fix_learned_a",
    "AdaptiveTTL_0.1": "adaptive_ttl:M=0.1",
    "AdaptiveTTL_3.0": "adaptive_ttl:M=3",
    "LRU-2": "lru2",
    "MAVSync": "mavsync",
    "IndHist_0.7": "indhist:theta=0.7",
    "IndHist_10.0": "indhist:theta=10",
    "IndHist/TTL_0.7/0.1": "indhist_ttl:theta=0.7,M=0.1",
    "IndHist/TTL_10.0/3.0": "indhist_ttl:theta=10,M=3",
    "LIHZ_0.1": "lihz:sigma=0.1",
    "LIHZ_1.0": "lihz:sigma=1",
}


def run(options: Options) -> Outcome:
    """Replays all fifteen."""
    where = setting(options)
    results = where.replay(ALGORITHMS)
    tables = (table("4.11"), table("4.12"))
    rows = [
        result_row(results, label, {"algorithm": label, "rule": spec}, *(printed[label] for printed in tables))
        for label, spec in ALGORITHMS.items()
    ]
    judge = Judge(where)
    comparison_claims.judge_all(judge, results)
    figures = [_figure(mode, results, printed) for mode, printed in zip(MODES, tables, strict=True)]
    return Outcome(rows=rows, claims=judge.claims, figures=figures, data=where.data)


def _figure(mode: str, results: Results, printed: Mapping[str, Printed]) -> Figure:
    """Measured against published goodness: points on the diagonal agree."""
    points = [
        Series(label, [row.goodness], [results.value(label, f"goodness_{mode}")], points=True)
        for label, row in printed.items()
    ]
    return Figure(
        f"goodness-{mode}",
        f"Goodness, measured against published, mode {mode}",
        "published",
        "measured",
        [Series("equal", [0, 1], [0, 1]), *points],
    )


COMPARISON = Experiment(
    "reichert-comparison",
    "Fifteen algorithms compared, mode Feeds and mode Entries",
    "[R12] Tables 4.11, 4.12, Fig. 4.13, 4.14",
    run,
)
