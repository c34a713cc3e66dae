"""Ratings and trained models as the store keeps them, and what it promises about them.  [M03] §4.5, §5."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from afresh.base.errors import NotFound, StoreError


class Rating(StrEnum):
    """What a person says of two versions, side by side."""

    EQUAL = "equal"  # the same page
    DIFFERENT = "different"
    UNKNOWN = "unknown"  # cannot be told, also by a person
    SKIP = "skip"  # not now


class LabelOrigin(StrEnum):
    """How an example came about."""

    CORRECTION = "correction"  # a verdict was accepted or rejected
    RATING = "rating"  # side by side
    MANUAL = "manual"  # two pages somebody named


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLabel:
    """A rating to be kept."""

    old: int  # versions
    new: int
    verdict: Rating
    origin: LabelOrigin = LabelOrigin.RATING
    check: int | None = None
    machine: str = ""  # what the model said; empty: not asked
    rater: str = ""
    session: str = ""  # empty: saved at once
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label(NewLabel):
    """A kept rating: an example to learn from, unless it says nothing or was devalued."""

    id: int
    at: float
    weight: float = 1.0  # 0: devalued
    url: str = ""  # of the newer version

    @property
    def is_example(self) -> bool:
        return self.verdict in (Rating.EQUAL, Rating.DIFFERENT) and self.weight > 0.0 and not self.session


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPair:
    """Two versions waiting for a rating; ``probability`` is what the model says of them."""

    check: int
    resource: int
    url: str
    title: str
    old: int
    new: int
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NewModel:
    """A trained model to be kept."""

    owner: str = ""  # empty: everybody's
    parent: int | None = None  # in use when it was trained; None: the shipped one
    kernel: str
    measures: tuple[str, ...]
    examples: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)
    body: str = ""  # as ``links.verdicts.dump_model`` writes it
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptModel:
    """A kept model without its arrays."""

    id: int
    owner: str
    version: int  # from 1, counted by owner
    parent: int | None
    created: float
    is_active: bool
    activated: float | None
    kernel: str
    measures: tuple[str, ...]
    examples: int
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]
    note: str


class LabelNotFound(NotFound, StoreError):
    """No rating of that number."""

    words = "there is no rating {}; `afresh learn labels` shows those there are"


class ModelNotFound(NotFound, StoreError):
    """No trained model of that number."""

    words = "there is no model {} of this owner; `afresh learn models` shows those there are"
