"""Whether what differs between two visits of a page is a change that somebody wants to hear of."""

from collections.abc import Sequence
from dataclasses import dataclass

from afresh.base.difference import Difference, Mark, Row, compare
from afresh.base.records.watches import Only, Watch
from afresh.pages.changes.always_changing import Restless, regions
from afresh.pages.changes.meaningless import is_passing, says_nothing_new


@dataclass(frozen=True, slots=True)
class Change:
    """What differs, as far as it counts."""

    rows: tuple[Row, ...]  # lines that count
    left_out: tuple[Row, ...] = ()  # lines that differ at every visit
    counts: bool = True  # enough of them to be told

    @property
    def difference(self) -> Difference:
        return Difference(self.rows)


_FEW = 3  # lines


def leaves_out(watch: Watch, lines: Sequence[str]) -> bool:
    """Whether parts that change at every visit are left out: not of the few lines that somebody chose to watch."""
    is_chosen = bool(watch.css or watch.xpath or watch.json_path) and len(lines) <= _FEW
    return not (watch.everything or is_chosen)


def decide(
    told: Sequence[str], lines: Sequence[str], watch: Watch, restless: Restless, *, visit: int, now: float
) -> Change:
    """What differs from the lines that were told last."""
    difference = compare(told, lines)
    news: list[Row] = []
    left_out: list[Row] = []
    has_restless = leaves_out(watch, lines)
    for region in regions(difference):
        kept = restless.settled(region, visit=visit) if has_restless else region.rows
        left_out += [row for row in region.rows if row not in kept]
        news += [row for row in kept if watch.everything or not is_passing(row, now=now)]
    wanted = tuple(row for row in news if _is_wanted(row, watch.only))
    counts = bool(wanted) and (watch.everything or not says_nothing_new(wanted))
    counts = counts and _words(wanted) >= watch.at_least and _has_words(told, lines, watch)
    return Change(wanted, tuple(left_out), counts)


def _is_wanted(row: Row, only: Only) -> bool:
    marks = {words.mark for words in row.words} | {row.mark}
    match only:
        case Only.ADDED:
            return Mark.ADDED in marks
        case Only.REMOVED:
            return Mark.REMOVED in marks
        case Only.NUMBERS:
            return row.has_numbers
    return True


def _words(rows: tuple[Row, ...]) -> int:
    """How many words differ; a line of signs alone counts as one."""
    difference = Difference(rows)
    return max(difference.words(Mark.ADDED) + difference.words(Mark.REMOVED), 1)


def _has_words(old: Sequence[str], new: Sequence[str], watch: Watch) -> bool:
    """Whether one of the words waited for has come or gone; True where none is."""
    if not watch.appears and not watch.vanishes:
        return True
    before, after = "\n".join(old).casefold(), "\n".join(new).casefold()
    came = any(word.casefold() in after and word.casefold() not in before for word in watch.appears)
    went = any(word.casefold() in before and word.casefold() not in after for word in watch.vanishes)
    return came or went
