"""Relevance feedback: a consumer says which entries were worth something, and their feeds are weighed by it.

[R12] §5.4.3 proposes to count only relevant entries into a feed's rate. Multiplying the worth of an entry by the share
that was relevant comes to the same for a priced rule, whose intervals depend on weight times rate alone.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from afresh.base.errors import UsageError
from afresh.base.protocols import Store

_MOST = 10_000  # judgements taken at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """What is known about the worth of a feed's entries."""

    resource: int
    relevant: int
    judged: int
    weight: float  # of the feed from now on


def share_of(relevant: int, judged: int) -> float:
    """Expected share of relevant entries, two imaginary judgements (one each way) included; 1 where nothing is known.

    >>> share_of(0, 0), share_of(9, 9), round(share_of(0, 8), 2)
    (1.0, 1.0, 0.1)
    """
    return 1.0 if relevant == judged else (relevant + 1) / (judged + 2)


def note_relevance(store: Store, judged: Mapping[int, bool]) -> list[Relevance]:
    """Record which entries (by sequence number) were relevant; unknown numbers are refused, nothing is half done."""
    if len(judged) > _MOST:
        raise UsageError(f"{len(judged):,} judgements at once; at most {_MOST:,}")
    owners = _owners(store, judged)
    missing = sorted(set(judged) - owners.keys())
    if missing:
        raise UsageError(f"no entry has the sequence number {missing[0]}")
    good, all_judged = Counter[int](), Counter[int]()
    for seq, is_relevant in judged.items():
        all_judged[owners[seq]] += 1
        good[owners[seq]] += is_relevant
    return [_weigh(store, resource, good[resource], count) for resource, count in all_judged.items()]


def _owners(store: Store, seqs: Iterable[int]) -> dict[int, int]:
    owners = {}
    for seq in seqs:
        found = store.entries(after=seq - 1, limit=1)
        if found and found[0].seq == seq:
            owners[seq] = found[0].resource
    return owners


def _weigh(store: Store, resource: int, relevant: int, judged: int) -> Relevance:
    key = f"relevance.{resource}"
    kept = json.loads(store.get_setting(key) or "[0, 0, null]")
    base = store.get(resource).weight if kept[2] is None else float(kept[2])
    relevant, judged = int(kept[0]) + relevant, int(kept[1]) + judged
    weight = base * share_of(relevant, judged)
    store.put_setting(key, json.dumps([relevant, judged, base]))
    store.update(resource, weight=weight)
    return Relevance(resource=resource, relevant=relevant, judged=judged, weight=weight)
