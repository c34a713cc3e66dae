"""Which rule finds the entries of a synthetic web soonest? Replays three rules on the same feeds.

$ python examples/compare_rules.py
"""

from afresh.base.durations import format_duration
from afresh.base.models import Bounds
from afresh.lab.compare import compare
from afresh.lab.population import generate
from afresh.lab.replay.period import period_of

DAY = 86_400.0


def main() -> None:
    trace = generate(300, seed=1, days=28)
    period = period_of(trace, train=7 * DAY, test=20 * DAY)
    rows = compare(trace, ["mavsync", "sqrt", "priced"], period=period, bounds=Bounds(), match="mavsync")
    for row in rows:
        means = row.averages
        print(
            f"{row.spec:<8} {means.polls:>7,} polls  "
            f"{format_duration(means.delay_feeds):>7} late by feed  {format_duration(means.delay_entries):>7} by entry"
        )


if __name__ == "__main__":
    main()
