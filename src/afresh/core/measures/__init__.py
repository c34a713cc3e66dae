"""How alike are two versions of a page?  Numbers and plain text in, values between 0 and 1 out."""

from afresh.core.measures.catalogue import COMBINATIONS, MEASURES, THESIS, Family, Measure, compare_pages, measure
from afresh.core.measures.page import Link, PageText
from afresh.core.measures.profile import Profile

__all__ = [
    "COMBINATIONS",
    "MEASURES",
    "THESIS",
    "Family",
    "Link",
    "Measure",
    "PageText",
    "Profile",
    "compare_pages",
    "measure",
]
