"""What became of a page?  A learnt verdict over measure values, signs of special pages, moves, explanations."""

from afresh.base.records.link_status import Turned, Usage
from afresh.links.verdicts.diff import Change, Piece, diff_pages
from afresh.links.verdicts.judge import (
    Influence,
    Verdict,
    explain,
    inspect_page,
    judge_pages,
    pair_values,
)
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import VerdictModel, default_model, dump_model, load_model
from afresh.links.verdicts.moved import Move, move_candidates, moved_notice
from afresh.links.verdicts.signals import Signal, signals_of

__all__ = [
    "Change",
    "Influence",
    "Kernel",
    "Move",
    "Piece",
    "Signal",
    "Turned",
    "Usage",
    "Verdict",
    "VerdictModel",
    "default_model",
    "diff_pages",
    "dump_model",
    "explain",
    "inspect_page",
    "judge_pages",
    "load_model",
    "move_candidates",
    "moved_notice",
    "pair_values",
    "signals_of",
]
