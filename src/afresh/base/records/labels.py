"""Ratings and trained models as the store keeps them, and what it promises about them.  [M03] §4.5, §5."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from afresh.base.errors import NotFound, StoreError
from afresh.base.records.links import ModelChoice


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


class LearningStore(Protocol):
    """Part of ``base.protocols.Store``. Laws (``tests.laws.store_learning``): a session counts when it is saved;
    at most one model of an owner is in use; what is rated is not offered again."""

    def pairs_to_rate(self, *, limit: int = 20, rater: str = "") -> list[RatingPair]:
        """Compared versions this rater has not rated, the most doubtful first (active learning)."""
        ...

    def add_label(self, new: NewLabel, *, now: float) -> Label:
        """VersionNotFound where a version is not stored (any more)."""
        ...

    def label(self, number: int) -> Label:
        """Raises LabelNotFound."""
        ...

    def labels(self, *, after: int = 0, limit: int = 100, session: str | None = None) -> list[Label]:
        """Ascending by number; all, or those of one session ('' : the saved ones)."""
        ...

    def change_label(self, number: int, *, weight: float | None = None, verdict: Rating | None = None) -> Label: ...

    def remove_label(self, number: int) -> None: ...

    def end_session(self, session: str, *, saves: bool) -> int:
        """Saves the ratings of a session, or discards them; how many."""
        ...

    def label_counts(self) -> Mapping[str, int]:
        """How many saved ratings say what; ``examples`` of them count in training."""
        ...

    def add_model(self, new: NewModel, *, now: float) -> KeptModel: ...

    def models(self, *, owner: str | None = None) -> Sequence[KeptModel]:
        """Newest first."""
        ...

    def model(self, number: int) -> KeptModel:
        """Raises ModelNotFound."""
        ...

    def model_body(self, number: int) -> str: ...

    def active_model(self, owner: str = "") -> KeptModel | None:
        """The one in use; None: the shipped one."""
        ...

    def activate_model(self, number: int | None, *, owner: str = "", now: float) -> None:
        """Puts a model of this owner to use, in place of another; None: the shipped one again."""
        ...

    def choose_model(self, resource: int, choice: ModelChoice) -> None:
        """Which model judges a link from now on; raises ResourceNotFound, ModelNotFound."""
        ...


class LabelNotFound(NotFound, StoreError):
    """No rating of that number."""

    words = "there is no rating {}; `afresh learn labels` shows those there are"


class ModelNotFound(NotFound, StoreError):
    """No trained model of that number."""

    words = "there is no model {} of this owner; `afresh learn models` shows those there are"
