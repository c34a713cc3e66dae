"""Categories of feeds by keywords in their categories, those of their entries, or their address.  [H12] §6.1."""

import re
from collections.abc import Iterable, Mapping

#: Only the words of *economy* survive from the thesis; the other lists are ours.
CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "economy": (
        "economy", "business", "trade", "transaction", "deal", "operation", "commercial", "finance", "market", "sale",
        "auction", "euro", "money", "budget", "crisis",
    ),
    "politics": ("politics", "political", "election", "government", "parliament", "policy"),
    "sports": ("sport", "sports", "football", "soccer", "tennis", "olympics", "league"),
    "technology": ("tech", "technology", "software", "programming", "linux", "computer", "internet", "mobile"),
    "science": ("science", "research", "space", "physics", "biology", "climate"),
    "culture": ("culture", "music", "film", "movie", "book", "art", "theatre"),
    "games": ("game", "games", "gaming", "playstation", "nintendo", "xbox"),
    "health": ("health", "medicine", "medical", "nutrition", "fitness"),
    "world": ("world", "international", "europe", "asia", "africa"),
}  # fmt: skip

_WORD = re.compile(r"[^\W\d_]+")


def words_of(text: str) -> set[str]:
    """Lower-case words; an address falls apart at its punctuation."""
    return set(_WORD.findall(text.lower()))


def categories_of(
    *,
    url: str = "",
    feed_categories: Iterable[str] = (),
    entry_categories: Iterable[str] = (),
    table: Mapping[str, tuple[str, ...]] = CATEGORIES,
) -> list[str]:
    """The categories a feed belongs to: a keyword of the category is among its own, an entry's, or in its address.

    >>> categories_of(url="https://example.org/business/rss")
    ['economy']
    """
    words = words_of(url)
    for text in (*feed_categories, *entry_categories):
        words |= words_of(text)
    return [name for name, keywords in table.items() if not words.isdisjoint(keywords)]
