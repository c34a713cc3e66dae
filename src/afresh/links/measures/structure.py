"""Measures of how the documents are built.  [M03] §4.5.4."""

from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import sequence_similarity


def levenshtein_structure(a: Profile, b: Profile) -> float:
    """Edit distance of the sequences of tag names.  [M03] eq. 4.17."""
    return sequence_similarity(a.tags, b.tags)


def heading(a: Profile, b: Profile) -> float:
    """Edit distance of the headings, each one unit.  [M03] eq. 4.18; two pages without headings are the same."""
    return sequence_similarity(a.headings, b.headings)
