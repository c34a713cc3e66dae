"""A recorded history of pages in memory: when each was seen to change."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTrace:
    """Versions of many pages; rows ``offsets[i]:offsets[i + 1]`` belong to page ``i``, ascending in time.

    The first version of a page is its first observation, not a change.
    """

    name: str
    page_ids: NDArray[np.int64]  # [pages] unique
    offsets: NDArray[np.int64]  # [pages + 1]
    times: NDArray[np.float64]  # [versions] seconds since 1970 UTC
    columns: Mapping[str, list[str]] = field(default_factory=dict)  # the other columns of pages.csv, as text
    sizes: NDArray[np.float64] | None = None  # [versions] bytes; None: not recorded

    def __post_init__(self) -> None:
        n = len(self.page_ids)
        if len(self.offsets) != n + 1 or any(len(column) != n for column in self.columns.values()):
            raise ModelError(f"trace {self.name}: pages, offsets and columns differ in length")
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.times) or (np.diff(self.offsets) < 0).any():
            raise ModelError(f"trace {self.name}: offsets do not cut the {len(self.times)} versions into pages")
        if self.sizes is not None and len(self.sizes) != len(self.times):
            raise ModelError(f"trace {self.name}: as many sizes as versions are needed")

    def __len__(self) -> int:
        return len(self.page_ids)

    def versions(self, index: int) -> NDArray[np.float64]:
        """All times of one page, its first observation included."""
        return self.times[self.offsets[index] : self.offsets[index + 1]]

    def changes(self, index: int) -> NDArray[np.float64]:
        """The times of one page at which it was seen changed."""
        return self.versions(index)[1:]
