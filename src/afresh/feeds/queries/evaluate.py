"""What conditions mean: each becomes a function from an item to yes or no.

Regular expressions come from the caller, who knows an engine that cannot run forever on hostile text.
"""

from collections.abc import Callable, Iterator, Sequence

from afresh.feeds.queries.item import Item, phrase_of
from afresh.feeds.queries.model import (
    And,
    Comparison,
    Condition,
    Contains,
    Dated,
    Equals,
    Field,
    Matches,
    Not,
    Or,
)

Test = Callable[[Item], bool]
#: Compiles a pattern into a search over a text.
Regex = Callable[[str], Callable[[str], bool]]


def compile_condition(condition: Condition | None, regex: Regex) -> Test:
    """The condition as a function; no condition lets everything pass."""
    match condition:
        case None:
            return _everything
        case And(parts):
            return _all([compile_condition(part, regex) for part in parts])
        case Or(parts):
            return _any([compile_condition(part, regex) for part in parts])
        case Not(part):
            test = compile_condition(part, regex)
            return lambda item: not test(item)
        case Contains(field, (word,)):
            return lambda item: word in item.words(field)
        case Contains(field, words):
            longest, phrase = max(words, key=len), phrase_of(words)
            return lambda item: longest in item.words(field) and item.has_phrase(field, phrase)
        case Equals(field, text):
            return lambda item: text in item.folded_texts[field]
        case Matches(field, pattern):
            search = regex(pattern)
            return lambda item: any(search(text) for text in item.texts(field))
        case Dated():
            return _dated(condition)


# Plain loops: a generator for each of a hundred candidates would be half of the time an entry takes.


def _all(tests: Sequence[Test]) -> Test:
    def test(item: Item) -> bool:
        for part in tests:  # noqa: SIM110
            if not part(item):
                return False
        return True

    return test


def _any(tests: Sequence[Test]) -> Test:
    def test(item: Item) -> bool:
        for part in tests:  # noqa: SIM110
            if part(item):
                return True
        return False

    return test


def _everything(item: Item) -> bool:  # noqa: ARG001 - a test like any other
    return True


def _dated(condition: Dated) -> Test:
    comparison, start, end, relative = condition.comparison, condition.start, condition.end, condition.relative

    def test(item: Item) -> bool:
        base = item.found if relative else 0.0
        match comparison:
            case Comparison.BEFORE:
                return item.published < base + start
            case Comparison.UNTIL:
                return item.published < base + end
            case Comparison.WITHIN:
                return base + start <= item.published < base + end
            case Comparison.SINCE:
                return item.published >= base + start
            case Comparison.AFTER:
                return item.published >= base + end

    return test


class Scorer:
    """How well an entry answers a query: each wanted condition that holds counts one, in the title alone one more.

    Wanted are conditions on text that do not stand under NOT. The weight of the source is multiplied in.  [H12]
    §1.4.2 allows an importance score and leaves its definition open.
    """

    def __init__(self, condition: Condition | None, regex: Regex) -> None:
        wanted = list(_wanted(condition))
        self._tests = [compile_condition(part, regex) for part in wanted]
        titled = [_in_title(part) for part in wanted]
        self._title_tests = [compile_condition(part, regex) for part in titled if part is not None]

    def score(self, item: Item, weight: float) -> float:
        hits = sum(test(item) for test in self._tests) + sum(test(item) for test in self._title_tests)
        return weight * max(1, hits)


def _wanted(condition: Condition | None) -> Iterator[Contains | Equals | Matches]:
    match condition:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _wanted(part)
        case Contains() | Equals() | Matches():
            yield condition


def _in_title(condition: Contains | Equals | Matches) -> Condition | None:
    match condition:
        case Contains(Field.ITEM | Field.TITLE, words):
            return Contains(Field.TITLE, words)
        case Matches(Field.ITEM | Field.TITLE, pattern):
            return Matches(Field.TITLE, pattern)
        case _:
            return None
