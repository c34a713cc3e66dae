"""Delay against polls for every rule on one trace, and the curve of ``priced`` over its price."""

from collections.abc import Mapping, Sequence

from afresh.base.calendar import DAY
from afresh.base.durations import format_duration
from afresh.base.models import Bounds
from afresh.lab.compare import STEERED, Compared, all_specs, compare
from afresh.lab.experiments.model import Claim, Experiment, Figure, Options, Outcome, Series
from afresh.lab.population import START, generate
from afresh.lab.replay.matched import at_price
from afresh.lab.replay.period import Period, period_of
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import read_trace

#: bounds the thesis recommends ([R12] §5.1): no entry waits longer than a day
BOUNDS = Bounds(shortest=60.0, longest=DAY, standard=3_600.0)
PRICES = (100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5)  # entry-seconds a request
MATCHED = "mavsync"
#: families of rules as the figure groups them; all others are rules of readers and crawlers
THESIS = frozenset(
    ("fix", "fix_learned_a", "fix_learned_w", "adaptive_ttl", "lru2", "mavsync", "moving_average", "indhist")
) | {"indhist_ttl", "lihz", "recorder"}
OURS = ("priced", "sqrt", "rare")
FEEDS = 5_000  # the curve of priced takes most of the time
TRAIN, TEST = 7 * DAY, 20 * DAY  # of generated feeds; a recorded history says how long it is


def run(options: Options) -> Outcome:
    """Replays all rules, then ``priced`` at prices six orders of magnitude apart."""
    trace, period = trace_of(options, FEEDS)
    specs = [spec for spec in all_specs() if spec != "priced"]
    curve = [at_price("priced", price) for price in PRICES]
    within = {"period": period, "bounds": BOUNDS, **options.how}
    rows, priced = compare(trace, [*specs, "priced"], match=MATCHED, **within), compare(trace, curve, **within)
    by_name = {row.asked: row for row in rows}
    figures = [trade_off(mode, rows, priced, trace.name) for mode in ("entries", "feeds")]
    notes = (
        f"Bounds: at least {format_duration(BOUNDS.shortest)}, at most {format_duration(BOUNDS.longest)}, "
        f"{format_duration(BOUNDS.standard)} where none is known. The rows of priced and sqrt spend the polls of "
        f"{MATCHED}: their price is found on the training part and {STEERED} by what has been spent. The curve is "
        f"priced at fixed prices from {PRICES[0]:.0f} to {PRICES[-1]:.0f} entry-seconds a request. Rules of readers "
        "keep their own limits where they have some."
    )
    data = {
        "trace": trace.name,
        "feeds": len(trace),
        "entries": len(trace.times),
        "seed": options.seed,
        "train_days": period.train_seconds / DAY,
        "test_days": period.test_seconds / DAY,
    }
    table = [{"rule": row.label, "family": _family(row), **_cells(row)} for row in rows]
    table += [{"rule": row.spec, "family": "curve of priced", **_cells(row), "goodness": None} for row in priced]
    fewest = len(rows[0].result.polls) * int(period.test_seconds // BOUNDS.longest)
    return Outcome(rows=table, claims=_claims(by_name, priced, fewest), figures=figures, notes=notes, data=data)


def trace_of(options: Options, feeds: int) -> tuple[Trace, Period]:
    """The recorded history that was given, or so many generated feeds, and the period to replay."""
    if options.trace is None:
        options.progress("generating feeds")
        trace = generate(max(200, round(feeds * options.scale)), options.seed)
        begin = START + DAY
        return trace, Period(begin, begin + TRAIN, begin + TRAIN + TEST)
    trace = read_trace(options.trace)
    return trace, period_of(trace)


def _family(row: Compared) -> str:
    name = row.result.rule.name
    return "ours" if name in OURS else "thesis" if name in THESIS else "readers and crawlers"


def _cells(row: Compared) -> dict[str, object]:
    means = row.averages
    return {
        "polls": means.polls,
        "found": means.found,
        "missed": means.missed,
        "open": means.open,
        "delay_feeds": means.delay_feeds,
        "ape_feeds": means.ape_feeds,
        "recall_feeds": means.recall_feeds,
        "delay_entries": means.delay_entries,
        "ape_entries": means.ape_entries,
        "recall_entries": means.recall_entries,
        "goodness": row.goodness,
    }


def _claims(rows: Mapping[str, Compared], priced: list[Compared], fewest: int) -> list[Claim]:
    """``fewest``: polls that the upper bound enforces; rules that keep no bound may make fewer."""
    reference, ours = rows[MATCHED].averages, rows["priced"].averages
    ratios = [ours.delay_feeds / reference.delay_feeds, ours.delay_entries / reference.delay_entries]
    spent = ours.polls / reference.polls
    others = {spec: row.goodness for spec, row in rows.items() if spec != "priced"}
    best = max(others, key=others.__getitem__)
    eager = [spec for spec, row in rows.items() if spec != "priced" and row.averages.polls > fewest]
    free = [spec for spec in eager if not _is_beaten(rows[spec], priced)]
    return [
        Claim(
            "At the polls of MAVSync, priced has less than its delay in both modes, for at most 2 % more polls",
            max(ratios) < 1 and spent <= 1.02,
            f"{ratios[0]:.2f} (feeds) and {ratios[1]:.2f} (entries) of the delay at {spent:.3f} of the polls",
        ),
        Claim(
            "priced has a better goodness over both modes than every other rule",
            rows["priced"].goodness > others[best],
            f"{rows['priced'].goodness / others[best]:.2f} times the next, {best}",
        ),
        Claim(
            "For every other rule there is a price at which priced has a smaller delay over entries for fewer "
            "polls, and no lower recall",
            not free,
            f"true of {len(eager) - len(free)} of the {len(eager)} rules that poll more than once a day"
            + (f"; not of {', '.join(free)}" if free else ""),
        ),
    ]


def _is_beaten(row: Compared, curve: list[Compared]) -> bool:
    """Whether a price that was tried gives a smaller delay for fewer polls, and recall not lower by more than 0.002."""
    mine = row.averages
    return any(
        point.averages.polls <= mine.polls
        and point.averages.delay_entries <= mine.delay_entries
        and point.averages.recall_entries >= mine.recall_entries - 0.002
        for point in curve
    )


def trade_off(mode: str, rows: Sequence[Compared], priced: Sequence[Compared], name: str) -> Figure:
    """Polls per entry to the right, mean delay upwards, both logarithmic: better is lower and further left."""

    def point(row: Compared) -> tuple[float, float]:
        return row.averages.ape_entries, getattr(row.averages, f"delay_{mode}") / 60.0

    curve = [point(row) for row in priced]
    series = [Series("priced, over its price", [x for x, _ in curve], [y for _, y in curve])] if curve else []
    for family in ("ours", "thesis", "readers and crawlers"):
        members = [row for row in rows if _family(row) == family]
        points = [point(row) for row in members]
        series.append(
            Series(
                family,
                [x for x, _ in points],
                [y for _, y in points],
                points=True,
                names=[row.label for row in members],
            )
        )
    return Figure(
        f"delay-against-polls-{mode}",
        f"Mean delay ({'every entry' if mode == 'entries' else 'every feed'} counts the same) on {name}",
        "polls per entry found",
        "mean delay, minutes",
        series,
        x_log=True,
        y_log=True,
    )


RULES = Experiment(
    "afresh-rules", "Delay against polls for all rules", "afresh, beside the rules of [R12] and of today's readers", run
)
