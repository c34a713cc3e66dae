"""The protocol of the thesis: which feeds, which 27 days, which bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from afresh.base.calendar import DAY
from afresh.base.models import Bounds
from afresh.lab.compare import Compared, compare
from afresh.lab.experiments.model import Options
from afresh.lab.population import START, Recipe, generate
from afresh.lab.replay.period import Period, period_of
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import read_trace

FEEDS = 10_000  # below, averages over entries hang on a few feeds
FEWEST = 200
TRAIN, TEST = 7 * DAY, 20 * DAY
#: alpha 1 minute, beta 4 weeks (longer than the test part, hence no limit), eta 1 hour.  [R12] §4.4
BOUNDS = Bounds(shortest=60.0, longest=28 * DAY, standard=3_600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A trace, its period, and how to run on it."""

    trace: Trace
    period: Period
    options: Options
    is_synthetic: bool

    @property
    def is_large(self) -> bool:
        """Whether averages over entries can be trusted: a recorded history, or enough synthetic feeds."""
        return not self.is_synthetic or len(self.trace) >= FEEDS

    @property
    def data(self) -> Mapping[str, object]:
        """For the record of a report."""
        return {
            "trace": self.trace.name,
            "feeds": len(self.trace),
            "entries": len(self.trace.times),
            "seed": self.options.seed,
            "train_days": self.period.train_seconds / DAY,
            "test_days": self.period.test_seconds / DAY,
            "alpha": BOUNDS.shortest,
            "beta": BOUNDS.longest,
            "eta": BOUNDS.standard,
        }

    def replay(self, specs: Mapping[str, str]) -> "Results":
        """All of these rules (label: rule), judged against each other."""
        rows = compare(self.trace, list(specs.values()), period=self.period, bounds=BOUNDS, **self.options.how)
        return Results(dict(zip(specs, rows, strict=True)))


@dataclass(frozen=True, slots=True)
class Results:
    """Rules by label, as they were replayed: what tables and claims are made of."""

    rows: Mapping[str, Compared]

    def value(self, label: str, name: str) -> float:
        """A goodness, or an average by its name ("delay_feeds")."""
        row = self.rows[label]
        return float(getattr(row if name.startswith("goodness") else row.averages, name))

    def column(self, name: str, labels: Sequence[str] = ()) -> list[float]:
        """The same of several rules, by default of all."""
        return [self.value(label, name) for label in labels or self.rows]

    def best(self, name: str) -> str:
        """The rule with the highest goodness."""
        return max(self.rows, key=lambda label: self.value(label, name))


def setting(options: Options, kind: str = "stationary", recipe: Recipe | None = None) -> Setting:
    """The trace that was given, or a synthetic population of 10,000 feeds times the scale, and the 27 days on it."""
    if options.trace is not None:
        trace = read_trace(options.trace)
        period = period_of(trace, train=TRAIN, test=TEST)
        return Setting(trace=trace, period=period, options=options, is_synthetic=False)
    options.progress("generating feeds")
    trace = generate(max(FEWEST, round(FEEDS * options.scale)), options.seed, kind=kind, recipe=recipe)
    # simulation began a day after the recording, on a Saturday at 07:00 in Dresden
    begin = START + DAY
    period = Period(begin, begin + TRAIN, begin + TRAIN + TEST)
    return Setting(trace=trace, period=period, options=options, is_synthetic=True)
