"""What a statement says that may not be meant: it is made all the same, and whoever made it is told."""

from functools import lru_cache

from afresh.base.errors import ParseError
from afresh.feeds.queries.language import parse_query
from afresh.feeds.queries.model import Query


def warnings_of(query: Query) -> tuple[str, ...]:
    """A source without a filter beside one that has one lets everything through.

    >>> [told] = warnings_of(parse_query('CREATE FEED a AS RETURN ALL | TAG "b" AS $b WHERE $b[TITLE CONTAINS "c"]'))
    >>> told[:51]
    'ALL has no filter, so all of its entries pass. To f'
    """
    is_bare = [branch.condition is None for branch in query.branches]
    if all(is_bare) or not any(is_bare):
        return ()
    return tuple(
        f"{branch.source} has no filter, so all of its entries pass. "
        "To filter every source alike, leave the $names and brackets out: WHERE TITLE ..."
        for branch in query.branches
        if branch.condition is None
    )


@lru_cache(maxsize=1024)
def warnings_in(text: str) -> tuple[str, ...]:
    """The same of a statement that is kept; none of one that can no longer be read."""
    try:
        return warnings_of(parse_query(text))
    except ParseError:
        return ()
