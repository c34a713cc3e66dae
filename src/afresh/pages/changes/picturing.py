"""What differs between two pictures of a page, as a picture: before on the left, now on the right, changes marked.

Rows of pixels that both have are found first, so that a line added at the top does not make everything below it new.
Takes time and memory in proportion to the pictures.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from afresh.base.longest_increasing import ascending
from afresh.base.records.watches import TALLEST

Pixels = NDArray[np.uint8]

_NEAR = 12  # rows: changes no further apart are one
_AROUND = 60  # rows that stay, shown above and below a change
_GAP = 16  # columns between the sides
_FOLD = 24  # rows in place of what stays
_EDGE = 3  # pixels of a frame around a change
_ROOM = 6  # pixels between a change and its frame
_GONE, _CAME = (190, 30, 30), (20, 120, 50)
_NOTHING, _PAPER, _CREASE = 235, 250, 200  # greys: where one side has nothing, of a fold, of its line
_TINT = 0.82  # share of the picture that is seen through a mark


@dataclass(frozen=True, slots=True)
class Patch:
    """Rows that are not the same: some of the old picture where there are some of the new one; either may be none."""

    old: range
    new: range


def differing_rows(old: Pixels, new: Pixels) -> list[Patch]:
    """Where two pictures differ, from top to bottom; empty: nowhere."""
    sides = [[hash(row.tobytes()) for row in side] for side in _same_width(old, new)]
    patches = list(_patches(_pairs(*sides), len(old), len(new)))
    if len(old) == len(new) == TALLEST and patches and not (patches[-1].old and patches[-1].new):
        patches.pop()  # pushed over the end of the picture, not off the page
    return [patch for patch in patches if _written(old, patch.old) or _written(new, patch.new)]


def picture_difference(old: Pixels, new: Pixels) -> Pixels:
    """Both side by side, changes marked, long runs of rows that stay folded."""
    old, new = _same_width(old, new)
    patches = differing_rows(old, new)
    sides = _marked(old, new, patches)
    strips: list[Pixels] = []
    for part in _strips(patches, len(old), len(new)):
        if strips or part.old.start or part.new.start:
            strips.append(_fold(strips_width(old)))
        strips.append(_beside(sides[0][part.old.start : part.old.stop], sides[1][part.new.start : part.new.stop]))
    strips = strips or [_fold(strips_width(old))]
    return np.concatenate(strips)[:TALLEST]


def strips_width(side: Pixels) -> int:
    """Columns of the picture of a difference."""
    return 2 * int(side.shape[1]) + _GAP


def _same_width(*sides: Pixels) -> tuple[Pixels, ...]:
    width = max(side.shape[1] for side in sides)
    return tuple(np.pad(side, ((0, 0), (0, width - side.shape[1]), (0, 0)), constant_values=_NOTHING) for side in sides)


# --- which rows are the same ------------------------------------------------------------------------------------------


def _pairs(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """Rows of both that are the same, in order: those that are there once, and their neighbours while these agree."""
    once = {row for row, count in Counter(old).items() if count == 1}
    once &= {row for row, count in Counter(new).items() if count == 1}
    places = {row: place for place, row in enumerate(new) if row in once}
    anchors = ascending([(place, places[row]) for place, row in enumerate(old) if row in once])
    pairs: list[tuple[int, int]] = []
    done_old = done_new = 0
    for at_old, at_new in [*anchors, (len(old), len(new))]:
        pairs += _between(old, new, range(done_old, at_old), range(done_new, at_new))
        if at_old < len(old):
            pairs.append((at_old, at_new))
        done_old, done_new = at_old + 1, at_new + 1
    return pairs


def _between(old: Sequence[int], new: Sequence[int], left: range, right: range) -> list[tuple[int, int]]:
    """Of two runs without anchors: what is the same from their beginnings, and from their ends."""
    most = min(len(left), len(right))
    head = 0
    while head < most and old[left[head]] == new[right[head]]:
        head += 1
    tail = 0
    while tail < most - head and old[left[-1 - tail]] == new[right[-1 - tail]]:
        tail += 1
    ends = [(left[-1 - place], right[-1 - place]) for place in reversed(range(tail))]
    return [(left[place], right[place]) for place in range(head)] + ends


def _patches(pairs: Sequence[tuple[int, int]], old: int, new: int) -> Iterator[Patch]:
    """What is between the pairs; changes that are near each other are one."""
    open_patch: Patch | None = None
    done_old = done_new = 0
    for at_old, at_new in [*pairs, (old, new)]:
        if at_old > done_old or at_new > done_new:
            patch = Patch(range(done_old, at_old), range(done_new, at_new))
            if open_patch is not None and patch.new.start - open_patch.new.stop <= _NEAR:
                patch = Patch(range(open_patch.old.start, patch.old.stop), range(open_patch.new.start, patch.new.stop))
            elif open_patch is not None:
                yield open_patch
            open_patch = patch
        done_old, done_new = at_old + 1, at_new + 1
    if open_patch is not None:
        yield open_patch


def _strips(patches: Sequence[Patch], old: int, new: int) -> Iterator[Patch]:
    """The patches with some rows around them; those that touch are one."""
    open_strip: Patch | None = None
    for patch in patches:
        strip = Patch(_widened(patch.old, old), _widened(patch.new, new))
        if open_strip is not None and strip.new.start <= open_strip.new.stop:
            strip = replace(
                strip,
                old=range(open_strip.old.start, strip.old.stop),
                new=range(open_strip.new.start, strip.new.stop),
            )
        elif open_strip is not None:
            yield open_strip
        open_strip = strip
    if open_strip is not None:
        yield open_strip


def _widened(rows: range, end: int) -> range:
    return range(max(0, rows.start - _AROUND), min(end, rows.stop + _AROUND))


def _written(side: Pixels, rows: range) -> range:
    """Those of the rows, from first to last, that are not all of one colour; empty: there is nothing on them."""
    part = side[rows.start : rows.stop]
    found = np.flatnonzero((part != part[:, :1]).any(axis=(1, 2)))
    return range(rows.start + int(found[0]), rows.start + int(found[-1]) + 1) if len(found) else range(0)


# --- drawing ----------------------------------------------------------------------------------------------------------


def _marked(old: Pixels, new: Pixels, patches: Sequence[Patch]) -> tuple[Pixels, Pixels]:
    left, right = old.copy(), new.copy()
    for patch in patches:
        columns = _columns(old[patch.old.start : patch.old.stop], new[patch.new.start : patch.new.stop])
        _mark(left, patch.old, columns, _GONE)
        _mark(right, patch.new, columns, _CAME)
    return left, right


def _columns(old: Pixels, new: Pixels) -> range:
    """Where the two differ if they are as high as each other, else where there is anything."""
    if old.shape == new.shape:
        differs = (old != new).any(axis=(0, 2))
    else:
        differs = np.zeros(old.shape[1], dtype=np.bool_)
        for side in (old, new):
            differs |= (side != side[:, :1]).any(axis=(0, 2))
    found = np.flatnonzero(differs)
    return range(int(found[0]), int(found[-1]) + 1) if len(found) else range(old.shape[1])


def _mark(side: Pixels, rows: range, columns: range, colour: tuple[int, int, int]) -> None:
    """A frame around what is written there, and a tint over it. Of nothing a line is left where it would be."""
    left, right = max(0, columns.start - _ROOM), min(side.shape[1], columns.stop + _ROOM)
    ink, written = np.array(colour, dtype=np.uint8), _written(side, rows)
    if not written:
        at = _space_above(side, rows.start)
        side[at : at + _EDGE, left:right] = ink
        return
    part = side[max(0, written.start - _ROOM) : written.stop + _ROOM, left:right]
    part[:] = (_TINT * part + (1 - _TINT) * ink).astype(np.uint8)
    for edge in (part[:_EDGE], part[-_EDGE:], part[:, :_EDGE], part[:, -_EDGE:]):
        edge[:] = ink


def _space_above(side: Pixels, row: int) -> int:
    """The middle of the rows above this one that have nothing on them."""
    top = row
    while top > max(0, row - _AROUND) and (side[top - 1] == side[top - 1, 0]).all():
        top -= 1
    return (top + row) // 2


def _beside(old: Pixels, new: Pixels) -> Pixels:
    height = max(len(old), len(new))
    strip = np.full((height, strips_width(new), 3), _NOTHING, dtype=np.uint8)
    strip[: len(old), : old.shape[1]] = old
    strip[: len(new), -new.shape[1] :] = new
    return strip


def _fold(width: int) -> Pixels:
    """Where rows that stay are left out."""
    fold = np.full((_FOLD, width, 3), _PAPER, dtype=np.uint8)
    fold[_FOLD // 2 - 1 : _FOLD // 2 + 1, np.arange(width) % 16 < 10] = _CREASE
    return fold
