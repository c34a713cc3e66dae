"""How common each attribute is, by feeds and by entries."""

from dataclasses import dataclass

import numpy as np

from afresh.lab.replay.trace import Trace

ABSENT = ("", "false", "no", "none", "nan")
MOST_VALUES = 12  # a column with more distinct values is not a kind of anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A column of feeds.csv: how many feeds have it, and what it says where that can be counted."""

    name: str
    feeds: int  # with a value other than empty, 0, false or none
    feeds_share: float
    entries_share: float  # of all entries, those of these feeds
    values: dict[str, int]  # the most common ones, by feeds; empty for a column of mostly different values


def attribute_report(trace: Trace) -> list[Attribute]:
    """Prevalence of every column, by feeds and by entries.  [R12] §3.7.7, §5.2.1."""
    counts = np.diff(trace.offsets)
    total = max(int(counts.sum()), 1)
    out = []
    for name, texts in trace.columns.items():
        present = np.array([_is_present(text) for text in texts], dtype=np.bool_)
        out.append(
            Attribute(
                name=name,
                feeds=int(present.sum()),
                feeds_share=float(present.mean()) if len(present) else 0.0,
                entries_share=float(counts[present].sum() / total),
                values=_common_values(texts),
            )
        )
    return out


def _is_present(text: str) -> bool:
    text = text.strip().lower()
    return text not in ABSENT and text.strip("0.") != ""


def _common_values(texts: list[str]) -> dict[str, int]:
    values, counts = np.unique(np.array(texts, dtype=np.str_), return_counts=True)
    if len(values) > max(MOST_VALUES, len(texts) // 20):
        return {}
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    return {str(values[i]): int(counts[i]) for i in order if values[i]}
