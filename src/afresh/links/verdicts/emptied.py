"""Pages of which only the frame is left: the text went, and a sentence says why, or nothing does.

A large menu makes two versions alike by most measures, whatever became of the text between it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from afresh.base.records.links import Turned
from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.verdicts.blocks import Block, blocks_of
from afresh.links.verdicts.building import is_shell
from afresh.links.verdicts.calendar_words import CALENDAR
from afresh.links.verdicts.entries import is_list
from afresh.links.verdicts.signals import CERTAIN, Signal, page_signals
from afresh.links.verdicts.without_model import without

_WENT = 40  # words that have to be gone
_SENTENCE = 12  # the same where the name of the page went with them, and nothing came
_CAME = 40  # words in their place at most
_LITTLE = 20  # the same where they do not say what became of the page
_KEPT = 0.3  # words outside the frame that may have stayed, as part of those that went
_PROSE = 8  # words of a block that is more than a label
_TWIN = 0.8  # words of the longer of two blocks that are one, but for a date or a few words
_TRIED = 200  # blocks that are looked at for that
_LISTED = frozenset(("li", "dt", "dd", "td", "h3", "h4", "h5", "h6"))  # in which a list of offers stands
_NAMES = frozenset(("h1", "h2", "h3"))
_NUMBERS = re.compile(r"\d+(?:[.,:/-]\d+)*")
_GAVE_WAY = "its text gave way to a few words"
_SAYING = frozenset((Turned.SOFT_404, Turned.SUSPENDED, Turned.PARKED, Turned.LOGIN_WALL, Turned.MAINTENANCE))


@dataclass(frozen=True, slots=True)
class Emptied:
    """How much went, and what the words in its place say."""

    reason: str
    sign: Signal | None = None


def emptied(old: Profile, new: Profile) -> Emptied | None:
    """Whether nothing of the text is left between the frame of a page; None: something is."""
    if len(new.page.main) >= len(old.page.main) or is_shell(new):
        return None  # nearly always
    went, came = _own(old, new), _own(new, old)
    if sum(block.words for block in went) < _SENTENCE:
        return None
    renewed = _renewed(went, came)
    went = [block for block in went if all(block is not before for before, _ in renewed)]
    came = [block for block in came if all(block is not now for _, now in renewed)]
    all_went = went
    went, came = _but_teasers(went, came), _but_teasers(came, went)
    words, added = sum(block.words for block in went), sum(block.words for block in came)
    added += sum((_said_in(now) - _said_in(before)).total() for before, now in renewed)
    kept = sum(block.words for block in _prose(old) if not block.is_frame) - sum(b.words for b in went if _is_prose(b))
    if words < _WENT:
        is_gone = words >= _SENTENCE and not added and _is_bare(old, new, words)
        return _only_frame(words, added) if is_gone else None
    if kept > words:
        return None  # most of the text is there, whatever is said beside it
    if added > _CAME or added > words / 2:
        return _offered(new, old, came, words) if kept <= _KEPT * words else None
    if sign := _said(_without(new, old, came), new):
        return Emptied(_GAVE_WAY, sign)
    if kept > _KEPT * words or added > _LITTLE or is_list(all_went) or _is_reworded(went, came):
        return None
    return _only_frame(words, added)


def _only_frame(words: int, added: int) -> Emptied:
    return Emptied(f"its text is gone, only the frame is left: {words} words went, {added} came")


def _is_bare(old: Profile, new: Profile, words: int) -> bool:
    """Whether a page has lost its name, too, the headings of its highest level, and hardly says a word but in links."""
    level = min((block.tag for block in blocks_of(old) if block.tag in _NAMES), default="")
    if not level or any(block.tag == level for block in blocks_of(new)):
        return False
    return 2 * sum(block.words - block.linked for block in blocks_of(new) if not block.is_frame) <= words


def _offered(new: Profile, old: Profile, came: Sequence[Block], words: int) -> Emptied | None:
    """The same of a page that offers a list of others in place of its text: what counts is what it says besides."""
    said = [block for block in came if block.tag not in _LISTED and 2 * block.linked < block.words]
    if not said or sum(block.words for block in said) > min(_CAME, words / 2):
        return None
    own = without(new, old)
    pieces = tuple(block.text for block in said)
    only = Profile(replace(own.page, headings=(), pieces=pieces, text=" ".join(pieces), main=" ".join(pieces)))
    return None if (sign := _said(only, new)) is None else Emptied(_GAVE_WAY, sign)


def _said(own: Profile, new: Profile) -> Signal | None:
    """What the words say that came, read without the frame."""
    if own is new:
        return None
    signs = (sign for sign in page_signals(own) if sign.kind in _SAYING and sign.score >= CERTAIN)
    return next(signs, None)


def _is_reworded(went: Sequence[Block], came: Sequence[Block]) -> bool:
    """Whether most of the words that came were there before: the text was cut down, not taken away."""
    before = {word for block in went for word in words_of(block.text)}
    now = {word for block in came for word in words_of(block.text)}
    return 2 * len(now & before) > len(now)


def _renewed(went: Sequence[Block], came: Sequence[Block]) -> list[tuple[Block, Block]]:
    """Blocks with what they say now where that is nearly the same: a foot with another year, a counter, a date."""
    left = [(block, _said_in(block)) for block in went[:_TRIED]]
    found = []
    for block in came[:_TRIED]:
        now = _said_in(block)
        at = next((at for at, (_, before) in enumerate(left) if _is_twin(before, now)), None)
        if at is not None:
            found.append((left.pop(at)[0], block))
    return found


def _but_teasers(blocks: Sequence[Block], others: Sequence[Block]) -> list[Block]:
    """Blocks without links to other pages that took turns with others: as many as there are on the other side."""
    turns = Counter(block.tag for block in others if _is_teaser(block))
    left = []
    for block in blocks:
        if _is_teaser(block) and turns[block.tag]:
            turns[block.tag] -= 1
        else:
            left.append(block)
    return left


def _is_teaser(block: Block) -> bool:
    return bool(block.links) and 2 * block.linked >= block.words


def _is_twin(before: Counter[str], now: Counter[str]) -> bool:
    few, many = sorted((before.total(), now.total()))
    return few >= _TWIN * many and (before == now or (before & now).total() >= _TWIN * many)


def _said_in(block: Block) -> Counter[str]:
    """The words of a block, with all numbers alike, and all months and days.

    >>> said = _said_in(Block("As of 3 May: 12,345 visitors", "p", 6, 0, (), False))
    >>> said == _said_in(Block("As of 9 June: 20,001 visitors", "p", 6, 0, (), False))
    True
    """
    words = words_of(_NUMBERS.sub("0", block.text))
    return Counter("0" if word in CALENDAR else word for word in words)


def _without(new: Profile, old: Profile, came: Sequence[Block]) -> Profile:
    """What a page has for itself, without the blocks that are nearly as before or took turns."""
    left_out = {block.text for block in _own(new, old)} - {block.text for block in came}
    own = without(new, old)
    pieces = tuple(piece for piece in own.page.pieces if " ".join(piece.split()) not in left_out)
    if own is new or not pieces or len(pieces) == len(own.page.pieces):
        return own
    main = " ".join(piece for piece in pieces if piece in own.page.main)
    return Profile(replace(own.page, pieces=pieces, text=" ".join(pieces), main=main))


def _own(page: Profile, other: Profile) -> list[Block]:
    shared = {block.text for block in blocks_of(other)}
    return [block for block in blocks_of(page) if block.text not in shared and not block.is_frame]


def _prose(page: Profile) -> Sequence[Block]:
    return [block for block in blocks_of(page) if _is_prose(block)]


def _is_prose(block: Block) -> bool:
    return block.words >= _PROSE and 2 * block.linked < block.words
