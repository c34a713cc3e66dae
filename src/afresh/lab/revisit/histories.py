"""Recorded histories of pages as a crawler of the lab meets them: when they live, what is warm-up, what is scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from afresh.base.errors import UsageError
from afresh.lab.replay.trace import Floats, Ints
from afresh.lab.traces import PageTrace

DAY = 86_400.0
LEAST_DAYS = 120.0
#: where no page was observed for so long: of the time of the one observed longest
LEAST_SHARE = 0.5
WARM_UP = 1.0 / 3.0


class Tempo(NamedTuple):
    """How closely a budget is held to, in seconds."""

    epoch: float = 2.0 * DAY  # between two settings of the price
    patience: float = 21.0 * DAY  # over which a debt or surplus of requests is evened out
    overdraft: float = 2.0 * DAY  # of budget, that may be spent ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """Pages with their sites, lives and changes; ``changes[offsets[i]:offsets[i+1]]`` belong to page i, ascending."""

    page_ids: Ints
    site: Ints
    site_names: tuple[str, ...]
    born: Floats
    ends: Floats
    scored: Floats  # end of the warm-up
    weight: Floats
    offsets: Ints
    changes: Floats

    def __len__(self) -> int:
        return len(self.page_ids)

    @property
    def tempo(self) -> Tempo:
        """As usual where a page is observed for ``LEAST_DAYS``; in a shorter life everything goes as much faster.

        A price that is set every other day would be set once in a history of three days, and its surplus of the
        warm-up would be spent after its end: policies then spend a tenth or the double of what they are given.
        """
        usual, life = Tempo(), float((self.ends - self.born).max())
        faster = min(1.0, life / (LEAST_DAYS * DAY))
        epoch = faster * usual.epoch
        return Tempo(epoch, max(3.0 * epoch, faster**2 * usual.patience), faster * usual.overdraft)

    def scored_rates(self) -> Floats:
        """Changes a second of every page in the scored part of its life: known in hindsight only."""
        late = np.repeat(self.scored, np.diff(self.offsets)) < self.changes
        owner = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        counts = np.bincount(owner[late], minlength=len(self))
        return counts / (self.ends - self.scored)


def histories_of(
    trace: PageTrace,
    *,
    where: Mapping[str, str] | None = None,
    least_days: float | None = None,
    warm_up: float = WARM_UP,
) -> Histories:
    """The pages of a trace that were observed for ``least_days`` or longer; raises UsageError where none is left.

    Unless told, these are 120 days, and of a trace without such a page half the time of the one observed longest.

    A page is observed from ``observed_from`` (else its first version) until ``observed_until`` (else the last version
    of any page). Its site is its ``host``, else its ``repo``, else one site for all. Importance is the column
    ``weight`` if there is one, else 1.
    """
    chosen = _matching(trace, where or {})
    first = np.array([trace.times[a] if a < b else np.nan for a, b in _spans(trace)])
    last = float(trace.times.max()) if len(trace.times) else 0.0
    born = _numbers(trace, "observed_from", first)
    ends = _numbers(trace, "observed_until", np.full(len(trace), last))
    days = (ends[chosen] - born[chosen]) / DAY
    longest = float(days.max())
    if not longest > 0.0:
        raise UsageError(f"none of the {len(chosen)} pages chosen was observed for any time")
    least = least_days or (LEAST_DAYS if longest >= LEAST_DAYS else LEAST_SHARE * longest)
    kept = chosen[days >= least]
    if len(kept) == 0:
        raise UsageError(
            f"none of the {len(chosen)} pages chosen was observed for {least:g} days or more, the longest for "
            f"{longest:.3g}; lower --least-days"
        )
    names = _sites(trace)
    unique, site = np.unique(np.array([names[i] for i in kept]), return_inverse=True)
    parts = [_changes(trace, int(i), born[i], ends[i]) for i in kept]
    weight = _numbers(trace, "weight", np.ones(len(trace)))[kept]
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        page = trace.page_ids[kept[bad[0]]]
        raise UsageError(f"page {page}: weight is {weight[bad[0]]}; it must be finite and at least 0")
    return Histories(
        page_ids=trace.page_ids[kept],
        site=site.astype(np.int64),
        site_names=tuple(str(name) for name in unique),
        born=born[kept],
        ends=ends[kept],
        scored=born[kept] + warm_up * (ends[kept] - born[kept]),
        weight=weight,
        offsets=np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64),
        changes=np.concatenate(parts) if parts else np.empty(0),
    )


def _spans(trace: PageTrace) -> list[tuple[int, int]]:
    return list(zip(trace.offsets[:-1].tolist(), trace.offsets[1:].tolist(), strict=True))


def _matching(trace: PageTrace, where: Mapping[str, str]) -> Ints:
    """Pages whose columns say what is asked for."""
    fits = np.diff(trace.offsets) > 0
    for name, value in where.items():
        if name not in trace.columns:
            known = ", ".join(sorted(trace.columns))
            raise UsageError(f"no column {name!r} in pages.csv of {trace.name}; there are: {known}")
        column = np.array(trace.columns[name])
        if not (fits & (column == value)).any():
            values = sorted(set(trace.columns[name]))
            shown = ", ".join(values[:8]) + (", …" if len(values) > 8 else "")
            raise UsageError(f"no page with {name}={value}; its values are: {shown}")
        fits &= column == value
    if not fits.any():
        raise UsageError(f"trace {trace.name} has no pages")
    return np.flatnonzero(fits).astype(np.int64)


def _numbers(trace: PageTrace, name: str, missing: Floats) -> Floats:
    """A column as numbers; what is empty is taken from ``missing``."""
    if name not in trace.columns:
        return missing
    out = missing.astype(np.float64).copy()
    for i, text in enumerate(trace.columns[name]):
        if text.strip():
            try:
                out[i] = float(text)
            except ValueError as error:
                raise UsageError(f"page {trace.page_ids[i]}: {name} is not a number: {text[:40]!r}") from error
    return out


def _sites(trace: PageTrace) -> list[str]:
    empty: Sequence[str] = [""] * len(trace)
    hosts = trace.columns.get("host", empty)
    repos = trace.columns.get("repo", empty)
    return [host or repo or trace.name for host, repo in zip(hosts, repos, strict=True)]


def _changes(trace: PageTrace, index: int, born: float, ends: float) -> Floats:
    changes = trace.changes(index)
    return changes[(changes > born) & (changes <= ends)]
