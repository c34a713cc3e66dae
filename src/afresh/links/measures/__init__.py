"""How alike are two versions of a page?  Numbers and plain text in, values between 0 and 1 out."""

from afresh.base.page_text import Link, PageText
from afresh.links.measures.catalogue import COMBINATIONS, MEASURES, THESIS, Family, Measure, compare_pages, measure
from afresh.links.measures.profile import Profile

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
