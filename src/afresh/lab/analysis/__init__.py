"""Analysis of feeds: categories, activity, daily rhythm, shapes, and tables across them.  [H12] Ch. 6."""

from afresh.lab.analysis.activity import ACTIVITY, activity_of
from afresh.lab.analysis.categories import CATEGORIES, categories_of
from afresh.lab.analysis.report import Analysis, FeedProfile, analyse, as_text, cross_table
from afresh.lab.analysis.rhythm import Rhythm, rhythm_of
from afresh.lab.analysis.shape import Shape, shape_of

__all__ = [
    "ACTIVITY",
    "CATEGORIES",
    "Analysis",
    "FeedProfile",
    "Rhythm",
    "Shape",
    "activity_of",
    "analyse",
    "as_text",
    "categories_of",
    "cross_table",
    "rhythm_of",
    "shape_of",
]
