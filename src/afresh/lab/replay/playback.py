"""A replay in progress: it can be advanced to any time, given another price, and continued."""

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from afresh.base.errors import ModelError
from afresh.base.models import Row
from afresh.feeds.rules import hints as slots
from afresh.feeds.rules.rule import Rule
from afresh.lab.replay import kernel
from afresh.lab.replay.frame import FRAME
from afresh.lab.replay.result import ReplayResult
from afresh.lab.replay.trace import Floats, Ints, Trace

_NO_FLOATS = np.empty(0)
_NO_BYTES = np.empty(0, dtype=np.uint8)
#: feeds a thread takes at a time; small enough that two threads finish together, large enough to be worth a call
_CHUNK = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What a playback writes down besides the accounts, in arrays aligned with the trace's entries."""

    delays: Floats | None = None  # filled with the delay of each found entry
    known: Any = None  # uint8: 1 for each entry that a poll has shown


class Playback:
    """One rule on the feeds ``first`` to ``last`` of a trace, from the poll of all of them at ``start`` on."""

    def __init__(
        self,
        trace: Trace,
        rule: Rule,
        *,
        start: float,
        seed: int = 0,
        dedupe: str = "previous_window",
        first: int = 0,
        last: int | None = None,
        profiles: Sequence[Row] | None = None,
        keep: Keep | None = None,
    ) -> None:
        last = len(trace) if last is None else last
        self.trace, self.rule, self.seed = trace, rule, seed
        self._feeds = slice(first, last)
        self._size = last - first
        keep = keep or Keep()
        self._mode = _mode(trace, rule, dedupe, keep)
        self._delays = _NO_FLOATS if keep.delays is None else keep.delays
        self._known = keep.known
        if self._known is None:
            self._known = np.zeros(len(trace.times), dtype=np.uint8) if self._mode & kernel.KNOWN else _NO_BYTES
        self._state = np.zeros((self._size, max(1, rule.state_size)))
        self._hints = _hints(trace, self._feeds, rule, profiles)
        self._offsets = trace.offsets[first : last + 1]
        self._recorded = _recorded(trace, self._feeds)
        self._costs, self._sums = _costs(trace, self._feeds)
        self._whole = np.zeros((self._size, kernel.WHOLE), dtype=np.int64)
        self._real = np.zeros((self._size, kernel.REAL))
        self._whole[:, [kernel.FROM, kernel.TO]] = -1
        for column in (kernel.VISIBLE, kernel.LOW_7D, kernel.LOW_30D):
            self._whole[:, column] = self._offsets[:-1]
        self._whole[:, kernel.RECORDED] = self._recorded[0][:-1] - 1
        self._real[:, kernel.BEFORE] = math.nan
        self._start = start
        self.seconds = 0.0
        self.restart(start)

    def restart(self, at: float) -> None:
        """Begins to count afresh, with a poll of every feed at ``at``; what was learnt and seen stays."""
        self._start = at
        self._whole[:, [kernel.POLLS, kernel.FOUND, kernel.LOST, kernel.BASED, kernel.BASE]] = 0
        self._real[:, [kernel.DELAY, kernel.WORST, kernel.VOLUME]] = 0.0
        self._real[:, kernel.NEXT] = at
        if len(self._delays):
            self._delays[self._offsets[0] : self._offsets[-1]] = math.nan
        self.seconds = 0.0

    def count_first_entries(self) -> None:
        """Count also what a feed whose document was empty publishes first: [R12] takes it for its initial window."""
        self._whole[:, kernel.BASED] = 1

    def set_price(self, price: float) -> None:
        """The price of a request from now on; NaN: the rule's own parameter counts."""
        self._hints[:, slots.PRICE] = price

    def advance(self, until: float, *, jobs: int = 1) -> None:
        """Makes all polls due until then, that instant included."""
        began = time.perf_counter()
        pieces = [(lo, min(lo + _CHUNK, self._size)) for lo in range(0, self._size, _CHUNK)]
        if jobs <= 1 or len(pieces) <= 1:
            self._check(self._advance(0, self._size, until))
        else:
            with ThreadPoolExecutor(jobs) as pool:
                for stuck in pool.map(lambda piece: self._advance(piece[0], piece[1], until), pieces):
                    self._check(stuck)
        self.seconds += time.perf_counter() - began

    @property
    def executed(self) -> int:
        """Polls made since the last restart, the first of each feed included."""
        return int(self._whole[:, kernel.POLLS].sum())

    @property
    def next_polls(self) -> Floats:
        """When each feed is due."""
        return self._real[:, kernel.NEXT].copy()

    @property
    def hints(self) -> Floats:
        """The hints rows as each feed's last step saw them."""
        return self._hints.copy()

    @property
    def found(self) -> int:
        """Entries found since the last restart."""
        return int(self._whole[:, kernel.FOUND].sum())

    @property
    def volume(self) -> float:
        """Bytes since the last restart; NaN if sizes are unknown."""
        return float(self._real[:, kernel.VOLUME].sum()) if self._mode & kernel.VOLUMES else math.nan

    def result(self, end: float) -> ReplayResult:
        """The accounts when the test part ends at ``end``."""
        whole, real = self._whole, self._real
        unknown = not self._mode & kernel.VOLUMES
        return ReplayResult(
            rule=self.rule,
            start=self._start,
            end=end,
            feed_ids=self.trace.feed_ids[self._feeds],
            polls=np.maximum(0, whole[:, kernel.POLLS] - 1),
            found=whole[:, kernel.FOUND].copy(),
            missed=whole[:, kernel.LOST].copy(),
            open=self._open(end),
            delay_sum=real[:, kernel.DELAY].copy(),
            delay_max=real[:, kernel.WORST].copy(),
            bytes=np.full(self._size, math.nan) if unknown else real[:, kernel.VOLUME].copy(),
            seconds=self.seconds,
            delays=self._delays if self._mode & kernel.DELAYS else None,
        )

    def _open(self, end: float) -> Ints:
        """Entries published after each feed's last poll and not after ``end``."""
        until = np.array(
            [
                lo + np.searchsorted(self.trace.times[lo:hi], end, side="right")
                for lo, hi in zip(self._offsets[:-1], self._offsets[1:], strict=True)
            ],
            dtype=np.int64,
        )
        late: Ints = np.maximum(0, until - self._whole[:, kernel.VISIBLE])
        return late

    def _advance(self, first: int, last: int, until: float) -> int:
        from afresh.lab.replay.narrow import narrow  # noqa: PLC0415 (imports numba)

        trace = self.trace
        return int(
            kernel.advance(
                narrow(cast("Any", type(self.rule).step)),
                np.empty(FRAME, dtype=np.int64),
                self.rule.params(),
                first,
                last,
                until,
                self._mode,
                self.seed,
                trace.feed_ids[self._feeds],
                self._offsets,
                trace.times,
                trace.windows[self._feeds],
                *self._recorded,
                self._costs,
                self._sums,
                self._state,
                self._hints,
                self._whole,
                self._real,
                self._known,
                self._delays,
            )
        )

    def _check(self, stuck: int) -> None:
        if stuck >= 0:
            feed = self.trace.feed_ids[self._feeds][stuck]
            raise ModelError(f"{self.rule.name} asked for a poll of feed {feed} that is not in the future")


def _mode(trace: Trace, rule: Rule, dedupe: str, keep: Keep) -> int:
    if dedupe not in ("previous_window", "ever_seen"):
        raise ModelError(f"dedupe must be previous_window or ever_seen, not {dedupe!r}")
    mode = 0
    if trace.polls is not None:
        mode |= kernel.RECORDED_WINDOWS
    if dedupe == "ever_seen":
        mode |= kernel.EVER_SEEN | kernel.KNOWN
    if getattr(rule, "needs_counts", False):
        mode |= kernel.COUNTS | kernel.KNOWN
    if getattr(rule, "is_random", True):
        mode |= kernel.CHANCE
    if keep.delays is not None:
        mode |= kernel.DELAYS
    if keep.known is not None:
        mode |= kernel.KNOWN
    if trace.sizes is not None:
        mode |= kernel.SIZED
    if _has_sizes(trace):
        mode |= kernel.VOLUMES
    return mode


def _has_sizes(trace: Trace) -> bool:
    recorded = trace.polls is not None and not bool(np.all(np.isnan(trace.polls.sizes)))
    return recorded or trace.sizes is not None or "size" in trace.columns


def _hints(trace: Trace, feeds: slice, rule: Rule, profiles: Sequence[Row] | None) -> Floats:
    """One row a feed: what feeds.csv says of ttl, max_age and weight, and the trained profile."""
    n = feeds.stop - feeds.start
    rows = np.full((n, slots.PROFILE + rule.profile_size), math.nan)
    rows[:, slots.TTL] = trace.numbers("ttl")[feeds]
    rows[:, slots.MAX_AGE] = trace.numbers("max_age")[feeds]
    rows[:, slots.WEIGHT] = trace.numbers("weight", 1.0)[feeds]
    if rule.profile_size:
        if profiles is None:
            raise ModelError(f"{rule.name} needs a training part")
        rows[:, slots.PROFILE :] = np.asarray(profiles)
    return rows


def _recorded(trace: Trace, feeds: slice) -> tuple[Ints, Floats, Ints, Floats]:
    if trace.polls is None:
        return (
            np.zeros(feeds.stop - feeds.start + 1, dtype=np.int64),
            _NO_FLOATS,
            np.empty(0, dtype=np.int64),
            _NO_FLOATS,
        )
    polls = trace.polls
    return polls.offsets[feeds.start : feeds.stop + 1], polls.times, polls.windows, polls.sizes


def _costs(trace: Trace, feeds: slice) -> tuple[Floats, Floats]:
    """Bytes by feed (columns size, header, conditional of feeds.csv) and running sums of the entries' sizes."""
    costs = np.zeros((feeds.stop - feeds.start, kernel.COSTS))
    costs[:, kernel.HEADER] = trace.numbers("header", 0.0)[feeds]
    costs[:, kernel.BODY] = trace.numbers("size", 0.0)[feeds]
    costs[:, kernel.CONDITIONAL] = trace.numbers("conditional", 0.0)[feeds]
    if trace.sizes is None:
        return costs, _NO_FLOATS
    return costs, np.concatenate([np.zeros(1), np.cumsum(trace.sizes)])
