"""Parts of a page that change at every visit: counters, banners that rotate, numbers drawn by lot.

A part is known by the lines around it that stay. It is restless when it changed at nearly every visit of late, and at
one that came so soon after the visit before that nobody can have written something new; or when it shows again and
again what it has shown before; or when it only counts. Once calm for a while it counts again.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise

import msgspec

from afresh.pages.changes.difference import Difference, Mark, Row

LOOKS = 8  # visits that are looked back at
LEAST = 4  # visits after which something can be said
SHARE = 0.7  # of the visits, at which a restless part changes
_ROTATES = 0.3  # of the visits, at which a part that rotates changes
_VALUES = 12  # remembered of a part
_PARTS = 60  # remembered of a page
_LONELY_NUMBER = re.compile(r"\D*(\d{1,3}(?:[.,\u2009\u202f' ]\d{3})+|\d+)\D*")
_PRICE = re.compile(r"[$€£¥₹₽]|\b(?:USD|EUR|GBP|JPY|CHF)\b|\d[.,]\d{2}(?!\d)")


class Part(msgspec.Struct):
    """What is remembered of a part that changed."""

    at: list[int] = field(default_factory=list)  # numbers of the visits at which it changed, the latest last
    values: list[str] = field(default_factory=list)  # what it showed then, shortened
    counts: list[int] = field(default_factory=list)  # its number, where it has one
    is_quick: bool = False  # changed between two visits that were close to each other
    calm: int = 0  # the visit at which it was seen not to


@dataclass(frozen=True, slots=True)
class Region:
    """Lines next to each other that differ."""

    key: str
    rows: tuple[Row, ...]


def regions(difference: Difference) -> Iterator[Region]:
    """The parts that differ, each between two lines that stay."""
    before, rows = "", list[Row]()
    for row in difference.rows:
        if row.mark is not Mark.SAME:
            rows.append(row)
            continue
        if rows:
            yield Region(_key(before, row.new), tuple(rows))
            rows = []
        before = row.new
    if rows:
        yield Region(_key(before, ""), tuple(rows))


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
        changed = {region.key: region for region in regions(difference)}
        if is_soon:
            for key in self._parts.keys() - changed.keys():
                self._parts[key].calm = visit
        for key, region in changed.items():
            part = self._parts.setdefault(key, Part())
            part.is_quick |= is_soon
            part.at = [*part.at, visit][-LOOKS:]
            part.values = [*part.values, _shortened(region.rows)][-_VALUES:]
            number = _number(region.rows)
            part.counts = [] if number is None else [*part.counts, number][-LOOKS:]
        latest = sorted(self._parts, key=lambda key: self._parts[key].at[-1], reverse=True)
        self._parts = {key: self._parts[key] for key in latest[:_PARTS]}

    def has(self, region: Region, *, visit: int) -> bool:
        """Whether this part is restless at present."""
        part = self._parts.get(region.key)
        if part is None or visit < LEAST:
            return False
        share = _share(part, visit)
        if share >= SHARE and (part.is_quick or _counts_up(part)):
            return True
        return share >= _ROTATES and _returns(part)

    def suspects(self, *, visit: int) -> bool:
        """Whether a look in a moment would tell if a part changes at every visit, or just often."""
        return visit >= LEAST and any(_may_be_quick(part, visit) for part in self._parts.values())


def _may_be_quick(part: Part, visit: int) -> bool:
    """Changed nearly always, nobody knows yet how quickly, and was not seen to be calm lately."""
    was_calm = part.calm and visit - part.calm <= LOOKS
    return _share(part, visit) >= SHARE and not part.is_quick and not was_calm


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


def _key(before: str, after: str) -> str:
    return _digest(f"{before}\n{after}")


def _shortened(rows: Sequence[Row]) -> str:
    return _digest("\n".join(row.new for row in rows))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
