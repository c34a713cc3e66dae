"""How feeds are visited: what was said for which of them, what strategies do, and what has become of targets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.refreshing import Choice, GroupReport
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.showing import shown
from afresh.engine.budget_report import TargetReport

_SCOPE = About("Who it holds for: feed, folder, tag or query with its number or name.", "folder:news")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceView:
    """What was said for some feeds; null: what holds for more than these."""

    scope: Annotated[str, _SCOPE]
    strategy: Annotated[str | None, About("Who decides which of them are visited.", "2steps")]
    estimator: Annotated[str | None, About("What a strategy goes by.", "hybrid")]
    mean_delay: Annotated[float | None, About("Wanted: the mean delay of entries at most, seconds.", 1200.0)]
    completeness: Annotated[float | None, About("Wanted: the share of entries that is found, at least.", 0.99)]
    words: Annotated[str, About("The same as people say it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """Feeds that a strategy chooses from in rounds."""

    scope: Annotated[str, About("Who they are; all: everything that nothing else was said for.", "folder:news")]
    strategy: Annotated[str, About("", "2steps")]
    estimator: Annotated[str, About("", "hybrid")]
    feeds: int
    requests_per_hour: Annotated[float | None, About("Their part of the budget.")]
    threshold: Annotated[
        float | None, About("What a visit must be worth, in seconds that one entry waits; it follows the budget.")
    ]
    chosen: Annotated[int, About("Feeds that the last round chose.")]
    at: Time | None
    words: Annotated[str, About("The same as a sentence.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetView:
    """A quality target, what it has come to, and what it takes."""

    scope: Annotated[str, _SCOPE]
    target_delay: Annotated[float | None, About("Seconds; null: none is wanted.")]
    target_completeness: Annotated[float | None, About("Null: none is wanted.")]
    mean_delay: Annotated[float | None, About("Of entries found lately, seconds; null: none yet.")]
    completeness: Annotated[float | None, About("Of entries lately, as far as losses can be told; null: none yet.")]
    price: Annotated[float | None, About("Entry-seconds that one of its requests costs.")]
    feeds: int
    requests_per_hour: Annotated[float | None, About("That its feeds ask for.")]
    is_met: Annotated[bool | None, About("Null: not known yet.")]
    trouble: Annotated[str, About("Why it cannot be met; empty: it can.")]
    words: Annotated[str, About("The same as a sentence.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshView:
    """How feeds are visited where that is not as usual."""

    choices: tuple[ChoiceView, ...]
    groups: tuple[GroupView, ...]
    targets: tuple[TargetView, ...]


def view_choice(scope: str, choice: Choice) -> ChoiceView:
    return shown(ChoiceView, choice, scope=scope)


def view_group(group: GroupReport) -> GroupView:
    return shown(GroupView, group)


def view_target(target: TargetReport) -> TargetView:
    return shown(TargetView, target)


def view_refresh(
    choices: Mapping[str, Choice], groups: Sequence[GroupReport], targets: Sequence[TargetReport]
) -> RefreshView:
    return RefreshView(
        choices=tuple(view_choice(scope, choices[scope]) for scope in sorted(choices)),
        groups=tuple(map(view_group, groups)),
        targets=tuple(map(view_target, targets)),
    )
