"""Two versions of a page side by side: what changed, and what decided the verdict."""

from dataclasses import dataclass
from typing import Annotated

from afresh.doors.presenting.checks import TurnedInto
from afresh.doors.presenting.fields import About
from afresh.doors.presenting.showing import shown
from afresh.links.comparing import Comparison
from afresh.links.difference import Piece
from afresh.links.verdicts.comparison import Influence


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """Two versions side by side."""

    old: int
    new: int
    content: Annotated[str, About("The verdict: equal, similar or different.", "similar")]
    probability: float
    turned: TurnedInto
    reasons: tuple[str, ...]
    measures: Annotated[tuple[Influence, ...], About("Those that decided, strongest first.")]
    difference: tuple[Piece, ...]


def view_diff(made: Comparison) -> DiffView:
    verdict = made.verdict
    return shown(
        DiffView,
        made,
        verdict,
        old=made.old.id,
        new=made.new.id,
        turned=None if verdict.turned is None else verdict.turned.kind,
        measures=made.influences,
    )
