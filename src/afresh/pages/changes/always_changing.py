"""Parts of a page that change at every visit: counters, banners that rotate, numbers drawn by lot.

A part is known by the line before it or behind it, which stays, and by how many lines it has. It is restless when it
changed at many visits of late, and also at visits that came so soon after the one before that nobody can have written
something new; or when it shows again and again what it has shown before; or when it only counts. Once calm for a while
it counts again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import msgspec

from afresh.base.difference import Difference, Mark, Row

LOOKS = 8  # visits that are looked back at
LEAST = 4  # visits after which something can be said
SHARE = 0.5  # of the visits, at which a part changes that may be restless
_COUNTS = 0.7  # of the visits, at which it changes if it only counts
_OFTEN = 0.35  # of the visits, at which it changes if it does so quickly, or only rotates
_SLOW = 2  # changes at ordinary visits, after which one look in a moment says that it is quick
_QUICKS = 5  # changes in a row between close visits, where there were no others: somebody may be trying it out
_CALMS = 3  # looks in a moment after which a part that stayed the same is believed to
_VALUES = 12  # remembered of a part
_PARTS = 120  # remembered of a page
_LONELY_NUMBER = re.compile(r"\D*(\d{1,3}(?:[.,\u2009\u202f' ]\d{3})+|\d+)\D*")
_PRICE = re.compile(r"[$€£¥₹₽]|\b(?:USD|EUR|GBP|JPY|CHF)\b|\d[.,]\d{2}(?!\d)")


class Part(msgspec.Struct):
    """What is remembered of a part that changed."""

    size: int = 1  # lines
    at: list[int] = msgspec.field(default_factory=list)  # numbers of the visits at which it changed, the latest last
    values: list[str] = msgspec.field(default_factory=list)  # what it showed then, shortened
    counts: list[int] = msgspec.field(default_factory=list)  # its number, where it has one
    quicks: int = 0  # how often it changed between two visits that were close to each other
    calm: int = 0  # the visit at which it was last seen not to
    calms: int = 0  # how often it was


@dataclass(frozen=True, slots=True)
class Region:
    """Lines next to each other that differ, between two lines that stay (empty: the end of the page)."""

    before: str
    rows: tuple[Row, ...]
    behind: str

    def sides(self) -> Iterator[tuple[str, tuple[Row, ...]]]:
        """The name of the part, and its lines from there on, by either of the lines that stay."""
        yield _digest(f"<{self.before}"), self.rows
        yield _digest(f">{self.behind}"), self.rows[::-1]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a restless part stands: between two lines (empty: the end of the page), and how many lines it has."""

    before: str
    behind: str
    size: int


def regions(difference: Difference) -> Iterator[Region]:
    """The parts that differ."""
    before, rows = "", list[Row]()
    for row in difference.rows:
        if row.mark is not Mark.SAME:
            rows.append(row)
            continue
        if rows:
            yield Region(before, tuple(rows), row.new)
            rows = []
        before = row.new
    if rows:
        yield Region(before, tuple(rows), "")


class Restless:
    """The parts of one page that changed of late."""

    def __init__(self, parts: dict[str, Part] | None = None) -> None:
        self._parts = parts or {}

    @classmethod
    def load(cls, text: str) -> "Restless":
        try:
            return cls(msgspec.json.decode(text or "{}", type=dict[str, Part]))
        except msgspec.MsgspecError:  # damaged: learnt anew
            return cls()

    def dump(self) -> str:
        return msgspec.json.encode(self._parts).decode()

    def learn(self, difference: Difference, *, visit: int, is_soon: bool) -> None:
        """What differs from the visit before; ``is_soon``: that was a moment ago."""
        changed = {name: rows for region in regions(difference) for name, rows in region.sides()}
        if is_soon:
            for name in self._parts.keys() - changed.keys():
                self._parts[name].calm = visit
                self._parts[name].calms += 1
        for name, rows in changed.items():
            part = self._parts.setdefault(name, Part(size=_height(rows)))
            part.size = min(part.size, _height(rows))
            part.quicks += is_soon
            part.at = [*part.at, visit][-LOOKS:]
            own = _first(rows, part.size)
            part.values = [*part.values, _shortened(own)][-_VALUES:]
            number = _number(own)
            part.counts = [] if number is None else [*part.counts, number][-LOOKS:]
        latest = sorted(self._parts, key=lambda name: self._parts[name].at[-1], reverse=True)
        self._parts = {name: self._parts[name] for name in latest[:_PARTS]}

    def settled(self, region: Region, *, visit: int) -> tuple[Row, ...]:
        """The lines of a region that are of no restless part."""
        for name, rows in region.sides():
            part = self._parts.get(name)
            if part is not None and self._is_restless(part, visit):
                own = frozenset(map(id, _first(rows, part.size)))
                return tuple(row for row in region.rows if id(row) not in own)
        return region.rows

    def places(self, lines: Sequence[str], *, visit: int) -> list[Place]:
        """Where on a page its restless parts stand, from its top to its end."""
        edged, found = ["", *lines, ""], dict[int, Place]()  # by the first line of a part
        for at, line in enumerate(edged):
            for side, step in ("<", 1), (">", -1):
                part = self._parts.get(_digest(f"{side}{line}")) if line or at in (0, len(edged) - 1) else None
                if part is None or not self._is_restless(part, visit):
                    continue
                other = at + step * (part.size + 1)
                first, last = sorted((at, other))
                if first >= 0 and last < len(edged):
                    found.setdefault(first + 1, Place(edged[first], edged[last], part.size))
        return [found[first] for first in sorted(found)]

    @staticmethod
    def _is_restless(part: Part, visit: int) -> bool:
        if visit < LEAST:
            return False
        share = _share(part, visit)
        if share >= _COUNTS and _counts_up(part):
            return True
        return share >= _OFTEN and (_is_quick(part) or _returns(part))

    def calm_down(self, *, visit: int) -> bool:
        """Nothing differed from a visit a moment ago; whether that is worth remembering."""
        waiting = [part for part in self._parts.values() if part.calms < _CALMS]
        for part in waiting:
            part.calm, part.calms = visit, part.calms + 1
        return bool(waiting)

    def suspects(self, *, visit: int) -> bool:
        """Whether a look in a moment would tell if a part changes at every visit, or just often."""
        return visit >= LEAST and any(_may_be_quick(part, visit) for part in self._parts.values())


def _height(rows: Sequence[Row]) -> int:
    """Lines of the older form or the newer one, whichever has more."""
    return max(sum(row.mark is not Mark.ADDED for row in rows), sum(row.mark is not Mark.REMOVED for row in rows))


def _first(rows: Sequence[Row], size: int) -> list[Row]:
    """The rows that so many lines of the older form, and of the newer one, are made of."""
    gone = come = size
    own = []
    for row in rows:
        has_old, has_new = row.mark is not Mark.ADDED, row.mark is not Mark.REMOVED
        if gone >= has_old and come >= has_new:
            own.append(row)
            gone, come = gone - has_old, come - has_new
    return own


def _may_be_quick(part: Part, visit: int) -> bool:
    """Changed nearly always, nobody knows yet how quickly, and was not seen to be calm lately."""
    was_calm = part.calms >= _CALMS or (part.calms > 0 and visit - part.calm < LEAST)
    return _share(part, visit) >= SHARE and not part.quicks and not was_calm


def _is_quick(part: Part) -> bool:
    """Whether it changes between two visits that are close to each other, nearly always."""
    is_seen_enough = len(part.at) - part.quicks >= _SLOW or part.quicks >= _QUICKS
    return part.quicks > _CALMS * part.calms and is_seen_enough


def _share(part: Part, visit: int) -> float:
    """Of the visits looked back at, those at which it changed. The first visit of all cannot change anything."""
    looks = min(LOOKS, max(1, visit - 1))
    return sum(at > visit - looks for at in part.at) / looks


def _returns(part: Part) -> bool:
    """Whether it shows what it has shown before, more often than not."""
    return len(part.values) >= 5 and 2 * len(set(part.values)) <= len(part.values) + 1


def _counts_up(part: Part) -> bool:
    return len(part.counts) >= LEAST and all(later > earlier for earlier, later in pairwise(part.counts))


def _number(rows: Sequence[Row]) -> int | None:
    """The only number of the only line that differs; a price is none that counts."""
    if len(rows) != 1 or rows[0].mark is not Mark.CHANGED or _PRICE.search(rows[0].new):
        return None
    found = _LONELY_NUMBER.fullmatch(rows[0].new)
    return int(re.sub(r"\D", "", found[1])[:18]) if found else None


def _shortened(rows: Sequence[Row]) -> str:
    return _digest("\n".join(row.new for row in rows))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
