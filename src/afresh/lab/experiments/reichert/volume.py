"""Bytes moved by each algorithm in the test phase, in total and as it went on.  [R12] §4.4.3, Fig. 4.15."""

from collections.abc import Mapping

from afresh.core.calendar import DAY
from afresh.core.predictors import load
from afresh.lab.experiments.model import Experiment, Figure, Options, Outcome, Series
from afresh.lab.experiments.reichert.comparison import ALGORITHMS
from afresh.lab.experiments.reichert.judge import Judge, numbers
from afresh.lab.experiments.reichert.published import EVALUATED_FEEDS, VOLUMES
from afresh.lab.experiments.reichert.setting import BOUNDS, setting
from afresh.lab.replay.period import population
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.run import replay

SLICE = DAY / 4
GIGA = 1e9


def run(options: Options) -> Outcome:
    """Replays all fifteen and adds up what they transfer."""
    where = setting(options)
    trace = where.trace.select(population(where.trace, where.period))
    results = {}
    for label, spec in ALGORITHMS.items():
        options.progress(spec)
        results[label] = replay(
            trace, load(spec, BOUNDS), period=where.period, seed=options.seed, jobs=options.jobs, slices=SLICE
        )
    rows = [_row(label, result) for label, result in results.items()]
    judge = Judge(where)
    volumes = {label: float(result.bytes.sum()) for label, result in results.items()}
    if volumes["Fix1h"] == volumes["Fix1h"]:
        _judge(judge, volumes, {label: int(result.polls.sum()) for label, result in results.items()}, results)
    else:
        judge.cannot_tell("C25, C26, C30: volumes", "this trace does not say how large its documents are")
    notes = "Published volumes are for 179,000 feeds; they are shown per feed beside ours. Figure 4.15 is a drawing, and "
    notes += "only the values in the text are known."
    figures = [_figure(results, where.period.test)] if not judge.claims[0].holds is None else []
    return Outcome(rows=rows, claims=judge.claims, figures=figures, notes=notes, data=where.data)


def _row(label: str, result: ReplayResult) -> dict[str, object]:
    feeds = len(result.polls)
    volume = float(result.bytes.sum())
    known = volume == volume
    published = VOLUMES.get(label)
    return {
        "algorithm": label,
        "gigabytes": round(volume / GIGA, 3) if known else None,
        "kilobytes_per_feed": round(volume / feeds / 1e3, 1) if known else None,
        "published_kilobytes_per_feed": None if published is None else round(published / EVALUATED_FEEDS / 1e3, 1),
        "kilobytes_per_poll": round(volume / result.executed / 1e3, 2) if known else None,
        "polls": int(result.polls.sum()),
        "times_fix1h": None,
        "published_times_fix1h": None if published is None else round(published / VOLUMES["Fix1h"], 4),
    }


def _judge(judge: Judge, volume: Mapping[str, float], polls: Mapping[str, int], results: Mapping[str, ReplayResult]) -> None:
    def ape(label: str) -> float:
        return polls[label] / max(1, int(results[label].found.sum()))

    polls_ratio = ape("Fix1h") / ape("AdaptiveTTL_0.1")
    volume_ratio = volume["Fix1h"] / volume["AdaptiveTTL_0.1"]
    judge.say(
        "C25: polls per entry do not tell the volume: Fix1h needs 1.9 times the polls per entry of AdaptiveTTL_0.1, but "
        "0.43 times its volume",
        polls_ratio > 1.3 and volume_ratio < 0.7,
        f"{polls_ratio:.2f} times the polls per entry, {volume_ratio:.2f} times the volume",
        because="volume follows polls and sizes; synthetic document sizes do not depend on how fast a feed is",
    )
    lazy = [volume[label] for label in ("IndHist_10.0", "IndHist/TTL_10.0/3.0", "AdaptiveTTL_3.0")]
    order = [volume[label] for label in ("LRU-2", "AdaptiveTTL_0.1", "Fix1h")]
    span = volume["Fix1h"] / volume["Fix7d"]
    judge.say(
        "C26: LRU-2 > AdaptiveTTL_0.1 > Fix1h >> lazy rules; Fix1h moves about 170 times as much as Fix7d; IndHist_10, "
        "IndHist/TTL_10/3 and AdaptiveTTL_3 within 5 %",
        order[0] > order[1] > order[2] > 5 * max(lazy) and 80 < span < 340 and max(lazy) / min(lazy) < 1.25,
        f"LRU-2, AdaptiveTTL_0.1, Fix1h {numbers([v / GIGA for v in order])} GB; lazy {numbers([v / GIGA for v in lazy])} "
        f"GB; Fix1h/Fix7d {span:.0f}",
    )
    best = [volume[label] for label in ("MAVSync", "FixLearned_A", "IndHist_0.7")]
    judge.say(
        "C30: the best algorithms of mode Entries have volumes within 20 % of each other",
        max(best) / min(best) < 1.2,
        f"MAVSync, FixLearned_A, IndHist_0.7: {numbers([v / GIGA for v in best])} GB",
    )


def _figure(results: Mapping[str, ReplayResult], start: float) -> Figure:
    series = []
    for label, result in results.items():
        assert result.series is not None
        days = [float(t - start) / DAY for t in result.series.times]
        series.append(Series(label=label, x=days, y=[float(b) / GIGA for b in result.series.bytes]))
    return Figure(
        name="volume",
        title="Volume transferred",
        x_label="days of the test phase",
        y_label="gigabytes, cumulative",
        series=series,
        y_log=True,
    )


VOLUME = Experiment(
    name="reichert-volume",
    title="Bytes transferred by each algorithm",
    source="[R12] §4.4.3, Fig. 4.15",
    run=run,
)
