"""What the daemon says of its budget, and keeps in the store: for the next run, other daemons, and whoever looks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from afresh.base.durations import format_duration
from afresh.base.plain_numbers import amount
from afresh.base.settings.sections import BudgetSettings

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.base.records.daemons import DaemonRecord
    from afresh.base.records.explained import HeldBack

PRICE = "budget.price"  #: the setting of an operator, and where the store keeps what became of it
_REPORT, _HELD = "budget.report", "budget.held"
_KEPT = ("held", "since", "by_byte", "targets", "is_steered")  # of a price, in this order


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetReport:
    """What is wanted, what it has come to, and what it takes."""

    scope: str
    target_delay: float | None
    target_completeness: float | None
    mean_delay: float | None  # of the entries found lately; None: none yet
    completeness: float | None
    price: float
    feeds: int
    requests_per_hour: float  # that its feeds ask for at this price
    is_met: bool | None  # None: not known yet
    trouble: str = ""  # why it cannot be met; empty: it can, as far as is known

    @property
    def words(self) -> str:
        """As a sentence."""
        parts = []
        if self.target_delay is not None:
            lately = "not known yet" if self.mean_delay is None else f"{format_duration(self.mean_delay)} lately"
            parts.append(f"a mean delay of {format_duration(self.target_delay)} is wanted, {lately}")
        if self.target_completeness is not None:
            lately = "not known yet" if self.completeness is None else f"{self.completeness:.4f} lately"
            parts.append(f"completeness {self.target_completeness:g} is wanted, {lately}")
        said = f"{self.scope.replace(':', ' ')}: {'; '.join(parts)}; {amount(self.requests_per_hour)} requests an hour"
        return f"{said}; cannot be met: {self.trouble}" if self.trouble else said


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReport:
    """For status pages: what is allowed, what was used, what more would buy."""

    at: float
    price: float
    requests_per_hour: float | None
    used_last_hour: int
    bytes_per_hour: float | None
    bytes_last_hour: int
    target_delay: float | None  # the quality target; None: there is none
    mean_delay: float | None
    mean_lateness: float  # in intervals; negative: served early
    delay_with_ten_percent_more: float | None
    settled: bool | None = None  # None: there is nothing to hold
    since: float | None = None  # when this budget began to be held
    targets: tuple[TargetReport, ...] = ()  # for some feeds, and what has become of them
    spend: str = "all"  # needed: the budget is a ceiling only
    free_at: float | None = None  # when the next request may leave; None: there is no limit, or none left yet
    saved: float = 0.0  # requests that may leave at once; 0: none, or bytes have a say as well
    saved_at_most: float = 0.0

    def held_back(self) -> HeldBack | None:
        """What keeps a request waiting that could leave otherwise; None: nothing is limited."""
        if not (self.requests_per_hour or self.bytes_per_hour):
            return None
        from afresh.base.records.explained import HeldBack  # noqa: PLC0415 (where somebody asks why)

        settings = BudgetSettings(
            requests_per_hour=self.requests_per_hour or 0.0,
            bytes_per_hour=self.bytes_per_hour or 0.0,
            spend=self.spend,
        )
        pace = 3600.0 / self.requests_per_hour if self.requests_per_hour else 0.0
        return HeldBack(budget=described(settings), pace=pace, free_at=self.free_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPrice:
    """The price at which the daemon that decides plans, and what it belongs to."""

    price: float
    held: str  # the budget in words; empty: none
    since: float | None
    by_byte: float  # part of it that is paid by bytes
    targets: Mapping[str, float] = field(default_factory=dict)  # prices of targets, by scope
    is_steered: bool = False  # whether it was corrected under this budget; else it is what was there before


def kept_price(store: Store) -> KeptPrice | None:
    """None: no daemon has said."""
    price, text = store.get_setting(PRICE), store.get_setting(_HELD)
    if not price:
        return None
    told = json.loads(text) if text else ("", None, 0.0)
    known = zip(_KEPT, told, strict=False)  # a store of an earlier version tells less
    return KeptPrice(price=float(price), **dict(known))


def keep_budget(store: Store, *, price: KeptPrice, report: BudgetReport) -> None:
    """Writes both."""
    store.put_setting(PRICE, repr(price.price))
    store.put_setting(_HELD, json.dumps([getattr(price, name) for name in _KEPT]))
    store.put_setting(_REPORT, json.dumps(asdict(report)))


def kept_report(store: Store) -> BudgetReport | None:
    """What the daemon of this store last said about its budget; None: it never held one."""
    text = store.get_setting(_REPORT)
    if not text:
        return None
    kept = json.loads(text)
    return BudgetReport(**{**kept, "targets": tuple(TargetReport(**one) for one in kept.get("targets", ()))})


def counted_by(daemons: Sequence[DaemonRecord], report: BudgetReport | None, now: float) -> BudgetReport | None:
    """The report with the requests that running daemons count: they say so more often than the report is kept."""
    running = [one for one in daemons if one.speaks(now)]
    if report is None or not running:
        return report
    return replace(report, used_last_hour=sum(one.requests for one in running))


def described(settings: BudgetSettings) -> str:
    """A budget in words; empty: there is none.

    >>> described(BudgetSettings(requests_per_hour=600.0, bytes_per_hour=2e7))
    '600 requests and 20 MB an hour'
    >>> described(BudgetSettings(requests_per_hour=600.0, spend="needed"))
    'at most 600 requests an hour'
    """
    hourly = [f"{amount(settings.hourly)} requests"] if settings.hourly else []
    hourly += [f"{amount(settings.bytes_per_hour / 1e6)} MB"] if settings.bytes_per_hour else []
    most = "at most " if settings.floor else ""
    parts = [f"{most}{' and '.join(hourly)} an hour"] if hourly else []
    parts += [f"a mean delay of {format_duration(settings.mean_delay)}"] if settings.mean_delay else []
    return ", ".join(parts)
