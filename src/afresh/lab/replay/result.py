"""What a replay came to, feed by feed; the metrics are computed from this."""

from dataclasses import dataclass

import numpy as np

from afresh.feeds.rules.rule import Rule
from afresh.lab.replay.trace import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Totals over all feeds as the test part went on, one row a slice."""

    times: Floats  # end of each slice
    polls: Ints  # cumulative, first polls included
    found: Ints  # cumulative
    bytes: Floats  # cumulative; NaN: sizes unknown
    prices: Floats  # price in force during the slice; NaN: the rule's own parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayResult:
    """Per-feed accounts of one rule on one trace."""

    rule: Rule  # with the price it was calibrated to, if it was
    start: float  # of the test part
    end: float
    feed_ids: Ints
    polls: Ints  # without the first of each feed
    found: Ints
    missed: Ints  # displaced from the window before a poll saw them
    open: Ints  # published after the last poll, before the end
    delay_sum: Floats  # over found entries, seconds
    delay_max: Floats  # 0 where nothing was found
    bytes: Floats  # first poll included; NaN: sizes unknown
    seconds: float  # spent replaying the test part
    delays: Floats | None = None  # aligned with the trace's entries; NaN: not found
    series: Series | None = None

    @property
    def executed(self) -> int:
        """All polls, the first of each feed included."""
        return int(self.polls.sum()) + len(self.polls)

    @property
    def polls_per_second(self) -> float:
        return self.executed / self.seconds if self.seconds > 0 else float("nan")

    def found_delays(self) -> Floats:
        """The delays of all found entries, where they were kept."""
        if self.delays is None:
            return np.empty(0)
        return self.delays[~np.isnan(self.delays)]
