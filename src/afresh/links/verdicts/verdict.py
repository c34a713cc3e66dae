"""What can be said of a page without a model: that its text is the same, what it is besides a page, where it went."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from afresh.base.records.link_status import CheckStatus, Turned
from afresh.links.measures.profile import Profile
from afresh.links.measures.shingles import shingle_jaccard
from afresh.links.verdicts.moved import Move, moved_notice
from afresh.links.verdicts.signals import CERTAIN, Signal, page_signals

#: Likeness to the site's answer for a page that cannot exist, from which on a page is that answer.
PROBE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer to "is it still the page that was saved?", with its reasons."""

    status: CheckStatus  # EQUAL, SIMILAR or DIFFERENT.  [M03] Table 4.1
    probability: float  # that it is the same page
    turned: Signal | None = None  # what it turned into, if that can be told
    moved: Move | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        return self.status is not CheckStatus.DIFFERENT

    @property
    def content(self) -> str:
        """The status in one word: equal, similar or different."""
        return self.status.removeprefix("content_")


def same_text(old: Profile, new: Profile) -> Verdict | None:
    """The verdict on two versions that read the same; None: a model has to say."""
    if not old.page.text or old.page.text != new.page.text:
        return None
    moved, reasons = moved_since(old, new), ("the visible text is identical",)
    return Verdict(status=CheckStatus.EQUAL, probability=1.0, moved=moved, reasons=reasons)


def moved_since(old: Profile, new: Profile) -> Move | None:
    """The new address that the newer version gives and the older one did not."""
    return moved_notice(new) if moved_notice(old) is None else None


def inspect_page(new: Profile, *, probe: Profile | None = None) -> Signal | None:
    """What a page is besides a page, when there is no older version to compare it with: the surest sign, if sure."""
    if probe is not None and (signal := like_probe(new, probe)):
        return signal
    signs = page_signals(new)
    return signs[0] if signs and signs[0].score >= CERTAIN else None


def like_probe(page: Profile, probe: Profile) -> Signal | None:
    likeness = shingle_jaccard(page.shingles, probe.shingles)
    if likeness < PROBE or not len(probe.shingles):
        return None
    return Signal(kind=Turned.SOFT_404, score=likeness, evidence=("probe",))
