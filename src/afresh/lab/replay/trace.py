"""A recorded history of feeds in memory: who published when, and how many entries each document shows."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
#: columns that count how many entries of a feed are older than the recording
PREHISTORY = ("prehistory", "n_prehistory")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPolls:
    """What the polls of the recording saw; rows ``offsets[i]:offsets[i + 1]`` belong to feed ``i``, in time order."""

    offsets: Ints  # [feeds + 1]
    times: Floats  # [polls] seconds since 1970 UTC
    windows: Ints  # [polls] entries in the document
    sizes: Floats  # [polls] bytes transferred (a 304 costs its header); NaN: not recorded

    def select(self, mask: Mask) -> "RecordedPolls":
        """The polls of the chosen feeds."""
        offsets, rows = _slices(self.offsets, mask)
        return RecordedPolls(
            offsets=offsets, times=self.times[rows], windows=self.windows[rows], sizes=self.sizes[rows]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The streams of many feeds; entries ``offsets[i]:offsets[i + 1]`` belong to feed ``i``, ascending in time.

    Equal times are genuine: several entries at once. A feed without any entry is a feed like any other.
    """

    name: str
    feed_ids: Ints  # [feeds] unique
    offsets: Ints  # [feeds + 1]
    times: Floats  # [entries] seconds since 1970 UTC
    windows: Ints  # [feeds] entries a document shows, where ``polls`` does not say otherwise
    columns: Mapping[str, list[str]] = field(default_factory=dict)  # the other columns of feeds.csv, as text
    sizes: Floats | None = None  # [entries] bytes of each entry; None: not recorded
    polls: RecordedPolls | None = None  # windows and sizes as they were recorded; None: constant windows

    def __post_init__(self) -> None:
        n = len(self.feed_ids)
        if len(self.offsets) != n + 1 or len(self.windows) != n or any(len(c) != n for c in self.columns.values()):
            raise ModelError(f"trace {self.name}: feeds, offsets, windows and columns differ in length")
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.times) or np.any(np.diff(self.offsets) < 0):
            raise ModelError(f"trace {self.name}: offsets do not cut the {len(self.times)} entries into feeds")
        if np.any(self.windows < 1):
            raise ModelError(f"trace {self.name}: a window must show at least one entry")
        if self.sizes is not None and len(self.sizes) != len(self.times):
            raise ModelError(f"trace {self.name}: as many sizes as entries are needed")

    def __len__(self) -> int:
        return len(self.feed_ids)

    @property
    def first(self) -> float:
        """Time of the oldest entry; NaN in a trace without entries."""
        return float(self.times.min()) if len(self.times) else float("nan")

    @property
    def last(self) -> float:
        """Time of the newest entry; NaN in a trace without entries."""
        return float(self.times.max()) if len(self.times) else float("nan")

    @property
    def complete_from(self) -> float:
        """Time from which on nothing is missing; NaN in a trace without entries.

        Older entries are prehistory, there to fill the first windows: too few of them to compare anything by. A
        column ``complete_from`` of feeds.csv says the time; or the first recorded poll does; or a column that counts
        the prehistory of each feed; where nothing is said, the oldest entry counts as the beginning.
        """
        if "complete_from" in self.columns and not np.isnan(said := self.moments("complete_from")).all():
            return float(np.nanmin(said))
        if self.polls is not None and len(self.polls.times):
            return float(self.polls.times.min())
        counted = next((name for name in PREHISTORY if name in self.columns), None)
        return self.first if counted is None else self._after(self.numbers(counted, 0.0).astype(np.int64))

    def _after(self, prehistory: Ints) -> float:
        """Time of the oldest entry that is not among the first so many of its feed."""
        begins = self.offsets[:-1] + prehistory
        later = begins[begins < self.offsets[1:]]
        return float(self.times[later].min()) if len(later) else self.first

    def stream(self, index: int) -> Floats:
        """All times of one feed."""
        return self.times[self.offsets[index] : self.offsets[index + 1]]

    def numbers(self, column: str, default: float = float("nan")) -> Floats:
        """A column as numbers, ``default`` where it is absent or empty."""
        texts = self.columns.get(column)
        if texts is None:
            return np.full(len(self), default)
        try:
            return np.array([float(text) if text else default for text in texts], dtype=np.float64)
        except ValueError as error:
            raise ModelError(
                f"trace {self.name}: column {column} of feeds.csv holds something else than numbers"
            ) from error

    def moments(self, column: str) -> Floats:
        """A column of dates (UTC midnight), times or Unix seconds; NaN, which compares false, where there is none."""
        return np.array([self._moment(column, text) for text in self.columns[column]], dtype=np.float64)

    def _moment(self, column: str, text: str) -> float:
        if not text:
            return math.nan
        try:
            return float(text)
        except ValueError:
            pass
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as error:
            raise ModelError(f"trace {self.name}: column {column} of feeds.csv: {text!r} is not a date") from error
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    def select(self, mask: Mask) -> "Trace":
        """The trace of the feeds for which ``mask`` is true, in the same order."""
        offsets, rows = _slices(self.offsets, mask)
        return replace(
            self,
            feed_ids=self.feed_ids[mask],
            offsets=offsets,
            times=self.times[rows],
            windows=self.windows[mask],
            columns={name: [v for v, keep in zip(c, mask, strict=True) if keep] for name, c in self.columns.items()},
            sizes=None if self.sizes is None else self.sizes[rows],
            polls=None if self.polls is None else self.polls.select(mask),
        )


def _slices(offsets: Ints, mask: Mask) -> tuple[Ints, Mask]:
    """New offsets and the mask of rows when only the feeds of ``mask`` stay."""
    lengths = np.diff(offsets)
    kept = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths[mask])]).astype(np.int64)
    return kept, np.repeat(mask, lengths)
