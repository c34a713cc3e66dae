"""How much the beliefs of the default rule matter: each halved and doubled, at the same polls."""

from collections.abc import Mapping, Sequence

from afresh.feeds.rules.priced import BELIEFS, Priced
from afresh.lab.compare import compare
from afresh.lab.experiments.model import Claim, Experiment, Options, Outcome
from afresh.lab.experiments.rules import BOUNDS, MATCHED, trace_of
from afresh.lab.metrics import Averages
from afresh.lab.replay.period import Period
from afresh.lab.replay.trace import Trace

#: by belief and factor: per cent of the delay over feeds, over entries
Effects = Mapping[tuple[str, float], tuple[float, float]]

FACTORS = (0.5, 2.0)
FEEDS = 1_000  # seventeen replays, each repeated until its polls are right
#: what halving or doubling may cost before a value is called sharp
FLAT = 0.1


def run(options: Options) -> Outcome:
    """The rule as shipped, and with one belief changed at a time; all spend the polls of the reference."""
    trace, period = trace_of(options, FEEDS)
    effects, spent = effects_on(trace, period, BELIEFS, options)
    rows = [
        {"belief": name, "value": getattr(Priced(), name) * factor, "feeds_percent": feeds, "entries_percent": entries}
        for (name, factor), (feeds, entries) in effects.items()
    ]
    return Outcome(
        rows=rows,
        claims=_claims(effects, spent),
        notes=f"Differences of the mean delay to the rule as shipped, in per cent, at the polls of {MATCHED}.",
        data={"trace": trace.name, "feeds": len(trace), "seed": options.seed},
    )


def effects_on(trace: Trace, period: Period, beliefs: Sequence[str], options: Options) -> tuple[Effects, float]:
    """What halving and doubling each belief does, and the most polls any variant made, of the reference's."""
    changes = {(name, factor): spec(name, factor) for name in beliefs for factor in FACTORS}
    specs = [MATCHED, "priced", *changes.values()]
    found = compare(trace, specs, period=period, bounds=BOUNDS, match=MATCHED, **options.how)
    means = {row.asked: row.averages for row in found}
    spent = max(means[text].polls for text in ("priced", *changes.values())) / means[MATCHED].polls
    return {change: _effect(means[text], means["priced"]) for change, text in changes.items()}, spent


def spec(name: str, factor: float) -> str:
    """The rule with one belief times ``factor``."""
    return f"priced:{name}={getattr(Priced(), name) * factor:g}"


def _effect(changed: Averages, shipped: Averages) -> tuple[float, float]:
    """Per cent of the mean delay over feeds, over entries."""
    return (
        100.0 * (changed.delay_feeds / shipped.delay_feeds - 1.0),
        100.0 * (changed.delay_entries / shipped.delay_entries - 1.0),
    )


def _claims(effects: Effects, spent: float) -> list[Claim]:
    (name, factor), (_, cost) = max(effects.items(), key=lambda item: abs(item[1][1]))
    return [
        Claim("No variant spends more polls than the reference", spent <= 1.0, f"at most {spent:.3f} of them"),
        Claim(
            f"No belief, halved or doubled, moves the delay over entries by more than {FLAT:.0%}",
            abs(cost) <= 100.0 * FLAT,
            f"most: {name} times {factor:g}, {cost:+.1f} %",
        ),
    ]


SENSITIVITY = Experiment("priced-sensitivity", "How much the beliefs of the default rule matter", "afresh", run)
