"""Where the names beside the points of a figure go, so that none lies upon another: greedy, nearest place first."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: how far a name may be from its point, in the unit of the boxes, nearest first
DISTANCES = (4.0, 7.0, 12.0, 18.0, 25.0, 33.0, 42.0, 52.0, 64.0, 78.0, 94.0, 112.0, 134.0, 160.0)
#: upper right first, as people expect it
DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))


class Box(NamedTuple):
    """A rectangle, lower left corner first."""

    left: float
    low: float
    width: float
    height: float

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.low < other.low + other.height
            and other.low < self.low + self.height
        )

    def is_inside(self, other: "Box") -> bool:
        return (
            other.left <= self.left
            and other.low <= self.low
            and self.left + self.width <= other.left + other.width
            and self.low + self.height <= other.low + other.height
        )

    def distance_to(self, x: float, y: float) -> float:
        """The larger of both ways from its edge, 0 inside of it."""
        sideways = max(self.left - x, x - self.left - self.width)
        return max(0.0, sideways, self.low - y, y - self.low - self.height)


def placed(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    taken: Iterable[Box] = (),
) -> list[Box]:
    """A box of the given size near each point, inside the frame and off all others and off what is ``taken``.

    Where no place is free within reach the nearest one is taken all the same: a name that overlaps beats none.

    >>> one, two = placed([(50.0, 50.0), (50.0, 50.0)], [(20.0, 7.0)] * 2, Box(0.0, 0.0, 100.0, 100.0))
    >>> one, two.overlaps(one)
    (Box(left=54.0, low=54.0, width=20.0, height=7.0), False)
    """
    busy = list(taken)
    boxes = []
    for point, size in zip(points, sizes, strict=True):
        places = _around(point, size)
        box = next((box for box in places if box.is_inside(frame) and not any(map(box.overlaps, busy))), places[0])
        boxes.append(box)
        busy.append(box)
    return boxes


def _around(point: tuple[float, float], size: tuple[float, float]) -> list[Box]:
    """Places by distance: corners and middles first, then as lines of a column to the right and to the left."""
    width, height = size
    found = []
    for distance in DISTANCES:
        found += [(_beside(x, distance, width), _beside(y, distance, height)) for x, y in DIRECTIONS]
        lines = range(-int(distance / height), int(distance / height) + 1)
        found += [(_beside(x, distance, width), (line - 0.5) * height) for line in lines for x in (1, -1)]
    return [Box(point[0] + right, point[1] + up, width, height) for right, up in found]


def _beside(side: int, distance: float, length: float) -> float:
    """Where something of this length begins that is so far from 0 on this side of it; side 0: around it."""
    return distance if side > 0 else -distance - length if side < 0 else -length / 2.0
