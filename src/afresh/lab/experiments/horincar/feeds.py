"""The feeds of a history as [H12] Ch. 6 describes them: activity, periodicity, shapes."""

from afresh.lab.analysis import analyse, as_text
from afresh.lab.analysis.activity import ACTIVITY
from afresh.lab.analysis.shape import Shape
from afresh.lab.experiments.model import Claim, Experiment, Options, Outcome
from afresh.lab.population import generate
from afresh.lab.traces import read_trace

FEEDS = 2_621  # both data sets of the thesis together


def run(options: Options) -> Outcome:
    """A recorded history if one is given, else a synthetic population, over four weeks."""
    if options.trace is not None:
        trace = read_trace(options.trace)
    else:
        trace = generate(max(200, round(FEEDS * options.scale)), options.seed)
    found = analyse(trace)
    rows: list[dict[str, object]] = []
    for name, _ in ACTIVITY:
        feeds = [feed for feed in found.feeds if feed.activity == name]
        row: dict[str, object] = {"activity": name, "feeds": len(feeds), "share": len(feeds) / max(1, len(found.feeds))}
        for form in ("strict", "relaxed"):
            for shape in list(Shape)[:3]:
                row[f"{shape.value}_{form}"] = sum(getattr(feed, form) is shape for feed in feeds)
        row["periodic"] = sum(feed.cv <= 1.0 for feed in feeds)
        rows.append(row)
    slow = [feed for feed in found.feeds if feed.activity == "very slow"]
    fast = [feed for feed in found.feeds if feed.per_day > 24.0]
    peaked = sum(feed.relaxed is Shape.PEAKS for feed in slow) / max(1, len(slow))
    even = sum(feed.relaxed is Shape.UNIFORM for feed in fast) / max(1, len(fast))
    ten, forty = found.periodic_share(10.0), found.periodic_share(48.0)
    claims = [
        Claim("very slow feeds lean to peaks", peaked > 0.5 if slow else None, f"{peaked:.0%} of {len(slow)}"),
        Claim(
            "15: among feeds with more than one entry an hour 57 % are uniform in shape",
            None,
            f"{even:.0%} of {len(fast)} here; the original feeds are not at hand",
        ),
        Claim(
            "15: a coefficient of variation of at most 1 is found for 20 % of the feeds above 10 entries a day "
            "and for 50 % above 48",
            None,
            f"{ten:.0%} and {forty:.0%} here",
        ),
        Claim(
            "the share of periodic feeds grows with activity",
            forty >= ten if forty == forty else None,
            f"{ten:.2f}, {forty:.2f}",
        ),
    ]
    return Outcome(
        rows=rows,
        claims=claims,
        figures=found.figures(),
        notes=as_text(found),
        data={"trace": trace.name, "feeds": len(trace), "days": found.days, "seed": options.seed},
    )


FEED_ANALYSIS = Experiment("horincar-feeds", "Activity, periodicity and shapes of feeds", "[H12] Fig. 6.2-6.7", run)
