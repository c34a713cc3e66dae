"""Anchors: keys of which an entry must have at least one to be able to pass a condition.

The index asks only for queries whose anchor the entry has; the rest of the condition is tested afterwards. A phrase
is anchored at its longest word (long words are rare), a conjunction at its best part, a disjunction at all parts.
What an entry lacks, when it was published and what a regular expression finds anchor nothing.
"""

from afresh.feeds.queries.item import whole_key
from afresh.feeds.queries.model import And, Condition, Contains, Equals, Or

#: A disjunction with more anchors than this is tested on every entry of its sources instead.
MOST = 200


def anchors_of(condition: Condition | None) -> frozenset[str] | None:
    """The keys; None where every entry has to be tested.

    >>> from afresh.feeds.queries.model import Field
    >>> anchors_of(And((Contains(Field.ITEM, ("the", "orbiter")), Equals(Field.CATEGORY, "space"))))
    frozenset({'category space'})
    """
    match condition:
        case Contains(_, words):
            return frozenset({max(words, key=len)})
        case Equals(field, text):
            return frozenset({whole_key(field, text)})
        case And(parts):
            known = [anchors for part in parts if (anchors := anchors_of(part)) is not None]
            return min(known, key=_cost) if known else None
        case Or(parts):
            every: set[str] = set()
            for part in parts:
                anchors = anchors_of(part)
                if anchors is None:
                    return None
                every |= anchors
            return frozenset(every) if len(every) <= MOST else None
        case _:
            return None


def _cost(anchors: frozenset[str]) -> tuple[int, int]:
    """Few keys first, then long ones: what many entries have selects little."""
    return len(anchors), -min(map(len, anchors), default=0)
