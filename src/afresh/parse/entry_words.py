"""Words in what a reader sees of an entry: title, author, link, categories, summary and content; not in mark-up."""

from collections.abc import Iterator, Sequence

from afresh.base.models import ParsedEntry
from afresh.base.search_words import excerpt, folded, has_words
from afresh.parse.plain_text import plain_text, without_tags


def entry_has(entry: ParsedEntry, words: Sequence[str]) -> bool:
    """Whether an entry has all of the words, wherever each is.

    >>> entry = ParsedEntry(title="Opened", summary="about <b class=x>trains</b>")
    >>> entry_has(entry, ["about trains", "opened"]), entry_has(entry, ["class"])
    (True, False)
    """
    return _may_have(entry, words) and has_words(_seen(entry), words)


def entry_excerpt(entry: ParsedEntry, words: Sequence[str]) -> str:
    """What an entry says around the words that its title does not have; empty: the title has them all.

    >>> entry_excerpt(ParsedEntry(title="Opened", summary="all about <b>trains</b>"), ["opened", "trains"])
    'all about trains'
    """
    title = folded(plain_text(entry.title))
    if not (missing := [word for word in words if word not in title]):
        return ""
    texts = [plain_text(entry.summary), plain_text(entry.content), entry.author, *entry.categories, entry.link]
    # Of the texts the one that has most of them, the first of equals.
    best = max(texts, key=lambda text: sum(word in folded(text) for word in missing))
    return excerpt(best, missing)


def _may_have(entry: ParsedEntry, words: Sequence[str]) -> bool:
    """Whether it is worth while to read the texts as HTML: what has a word in its mark-up often has it there alone."""
    apart = [part for word in words for part in word.split()]
    plain = (entry.title, entry.link, entry.author, *entry.categories)
    return has_words((*plain, *map(without_tags, (entry.title, entry.author, entry.summary, entry.content))), apart)


def _seen(entry: ParsedEntry) -> Iterator[str]:
    """The texts, those first that take no time to read."""
    yield plain_text(entry.title)
    yield entry.link
    yield plain_text(entry.author)
    yield from entry.categories
    yield plain_text(entry.summary)
    yield plain_text(entry.content)
