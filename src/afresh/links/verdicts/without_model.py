"""What can be said of a page without a model: that its text is the same, what it is besides a page, where it went."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from operator import methodcaller

from afresh.base.records.links import CheckStatus, Turned
from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.measures.shingles import shingle_jaccard
from afresh.links.measures.tokens import words_of
from afresh.links.measures.url import name_words, spoken_of
from afresh.links.verdicts.building import is_shell
from afresh.links.verdicts.moved import Move, moved_notice
from afresh.links.verdicts.prominence import says
from afresh.links.verdicts.searched_text import view_of
from afresh.links.verdicts.signals import CERTAIN, TELLING, Signal, page_signals

#: Likeness of the main text to the site's answer for a page that cannot exist, from which on a page is that answer.
PROBE = 0.8
#: The evidence that needs no word of any language.
SAME_ANSWER = "the site gives the same answer for a page that cannot exist"
SHOWS_FRONT = "shows the front page of its site"
#: A sign from here on names what a page that is another anyway has become.
LIKELY = 0.45
#: What happens to a whole site: where a page that cannot exist is honestly not found, it has not happened.
OF_SITES = frozenset((Turned.PARKED, Turned.SUSPENDED, Turned.MAINTENANCE, Turned.PLACEHOLDER))
_OWN = 5  # words that such an answer may have of its own: the address it was asked for, the time
#: What is left of a sign of "not found", or of a site's end, where the site says 404 for a page that cannot exist.
_HONEST, _HONEST_THIN = 0.6, 0.85
_THIN = 40  # words of main text
_ALIKE = 0.9  # part of the shingles of two texts that are one, but for a few words
_IN_TEXT = methodcaller("startswith", ("text: ", "structure"))
_FEW_LINKS, _LANDER = 8, 2  # links of what stands somewhere for an hour; of what stands in place of a whole site
#: Walls stand before every address, or before none; what one says of a page that cannot exist tells nothing.
_WALLS = frozenset((Turned.CAPTCHA, Turned.LOGIN_WALL, Turned.CONSENT_WALL))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer to "is it still the page that was saved?", with its reasons."""

    status: CheckStatus  # EQUAL, SIMILAR or DIFFERENT.  [M03] Table 4.1
    probability: float  # that it is the same page
    turned: Signal | None = None  # what it turned into, if that can be told
    moved: Move | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        return self.status is not CheckStatus.DIFFERENT

    @property
    def content(self) -> str:
        """The status in one word: equal, similar or different."""
        return self.status.removeprefix("content_")


def same_text(old: Profile, new: Profile) -> Verdict | None:
    """The verdict on two versions that read the same; None: a model has to say."""
    if not old.page.text or old.page.text != new.page.text:
        return None
    moved, reasons = moved_since(old, new), ("the visible text is identical",)
    return Verdict(status=CheckStatus.EQUAL, probability=1.0, moved=moved, reasons=reasons)


def reads_like(known: Profile, new: Profile) -> Verdict | None:
    """The verdict on a page that reads as a version that was the page before, but for a few words; None: it does not.

    What counts is the main text: the frame alone may be most of a page.
    """
    reasons = ("reads like a version that was the page before",)
    if (same := same_text(known, new)) is not None:
        return replace(same, reasons=reasons)
    if not len(known.main_shingles) or (likeness := shingle_jaccard(known.main_shingles, new.main_shingles)) < _ALIKE:
        return None
    return Verdict(status=CheckStatus.SIMILAR, probability=likeness, reasons=reasons)


def moved_since(old: Profile, new: Profile) -> Move | None:
    """The new address that the newer version gives and the older one did not."""
    return moved_notice(new) if moved_notice(old) is None else None


def inspect_page(
    new: Profile, *, probe: Profile | None = None, is_honest: bool = False, home: Profile | None = None
) -> Signal | None:
    """What a page is besides a page, when there is no older version to compare it with: the surest sign, if sure.

    ``probe`` is what the site shows for a page that cannot exist; ``is_honest``: it says "not found" for that. Either
    tells how the site misses pages, so that a page which speaks of missing pages, of sales or of maintenance, and does
    it otherwise, need not be one. What stands on ``home``, the front page, says nothing about this one.
    """
    if probe is not None and (signal := like_probe(new, probe)):
        return signal
    cleared = _cleared(probe, is_honest=is_honest)
    if probe is not None and _is_said_twice(new, probe):
        cleared -= {Turned.SOFT_404}
    whole, new = new, new if home is None else without(new, home)
    signs = (
        replace(sign, score=sign.score * _left(new, sign)) if sign.kind in cleared else sign
        for sign in page_signals(new)
        if sign.kind is not Turned.CONSENT_WALL or _is_walled(whole)
    )
    surest = max(signs, key=lambda signal: signal.score, default=None)
    return surest if surest is not None and surest.score >= CERTAIN else None


def _is_walled(page: Profile) -> bool:
    """Whether a question for consent is what a page shows; beside a text it is a banner, even if that is a teaser."""
    return any(sign.kind is Turned.CONSENT_WALL and sign.score >= CERTAIN for sign in page_signals(page))


def without(page: Profile, home: Profile) -> Profile:
    """What a page has for itself: neither the frame of its site, nor its teasers, nor the site's title."""
    own = tuple(piece for piece in page.page.pieces if piece not in home.piece_set)
    title = "" if page.title_words == home.title_words else page.page.title
    if not own or (len(own) == len(page.page.pieces) and title == page.page.title):
        return page
    headings = tuple(heading for heading in page.page.headings if heading not in home.page.headings)
    main = " ".join(piece for piece in own if piece in page.page.main)
    return Profile(replace(page.page, title=title, headings=headings, pieces=own, text=" ".join(own), main=main))


def _cleared(probe: Profile | None, *, is_honest: bool) -> frozenset[Turned]:
    """What a page is the less likely to be for the site's answer to a page that cannot exist, which it is not."""
    if is_honest:
        return OF_SITES | {Turned.SOFT_404}
    said = frozenset(sign.kind for sign in page_signals(probe) if sign.score >= LIKELY) if probe is not None else _WALLS
    return frozenset() if said & _WALLS else (OF_SITES - said) | {Turned.SOFT_404}


def _is_said_twice(page: Profile, probe: Profile) -> bool:
    """Whether a page says what the site says of missing pages, and only calls it otherwise: two ways of missing one."""
    if not any(sign.kind is Turned.SOFT_404 and sign.score >= CERTAIN for sign in page_signals(probe)):
        return False
    return _says_no_more_than(page, probe) and _says_no_more_than(probe, page)


def _says_no_more_than(page: Profile, other: Profile) -> bool:
    """Whether a page has no words for itself but those of its title and its first heading, and a few."""
    name = {*page.title_words, *words_of((*page.page.headings, "")[0])}
    said = (word for piece in page.page.pieces if piece not in other.piece_set for word in words_of(piece))
    return len(_telling(said, page, other) - name) <= _OWN


def _left(page: Profile, sign: Signal) -> float:
    """What that leaves of a sign: all where the page says nothing else, most where there is little else."""
    if sign.is_all or (sign.kind in OF_SITES and is_little(page) and len(page.page.links) <= _LANDER):
        return 1.0
    # Where nothing but the text speaks, and does so more than once, the title is mostly the site's.
    repeats = sign.kind is Turned.SOFT_404 and len(sign.evidence) > 1 and all(map(_IN_TEXT, sign.evidence))
    is_thin = view_of(page).prose < (2 * _THIN if repeats else _THIN)
    return _HONEST_THIN if sign.kind in TELLING and is_thin else _HONEST


def is_little(page: Profile) -> bool:
    """A few words and hardly a link: what stands somewhere for an hour, not what somebody makes a site of."""
    return view_of(page).prose < _THIN and len(page.page.links) < _FEW_LINKS


def like_probe(page: Profile, probe: Profile) -> Signal | None:
    """Whether a page is the site's answer for any page that does not exist, in whatever language that is.

    Pages of one site have most of their words in common, so what counts is what a page has for itself: such an answer
    has no more than the address it was asked for, or the time. What stands at every address need not be a "not found":
    its words may say that the site is for sale, or down for an hour.
    """
    if not probe.page.text or not page.page.text or is_shell(page) or _is_named_otherwise(page, probe):
        return None
    own = _own_words(page, probe)
    if own <= _OWN < _own_words(probe, page):
        return None  # a few words, and not those of the answer
    if own > min(_OWN, len(page.word_set | set(page.title_words)) // 2):
        likeness = shingle_jaccard(page.main_shingles, probe.main_shingles)
        if likeness < PROBE or not len(probe.main_shingles) or _telling(page.title_words, page, probe):
            return None
        return _same_answer(page, likeness)
    return _same_answer(page, 1.0 - 0.02 * own)


def _is_named_otherwise(page: Profile, probe: Profile) -> bool:
    """Whether the title is another than the answer's, and has a name of its own or that of its address.

    An empty list is a page; and an answer for every address has one title, but for the address in it.
    """
    if not _telling(probe.title_words, probe, page):
        return False
    names = {*spoken_of(page.asked), *name_words(page.asked)}
    return says(page.page.title.lower(), names) or bool(_telling(page.title_words, page, probe))


def _same_answer(page: Profile, score: float) -> Signal:
    return called(page, Signal(kind=Turned.SOFT_404, score=score, evidence=(SAME_ANSWER,)))


def called(page: Profile, signal: Signal, kinds: frozenset[Turned] = frozenset(Turned)) -> Signal:
    """What stands at several addresses, called what it says of itself if it says anything; of these kinds alone."""
    said = next((sign for sign in page_signals(page) if sign.score >= LIKELY and sign.kind in kinds), None)
    return signal if said is None else replace(signal, kind=said.kind, evidence=(*signal.evidence, *said.evidence))


def like_home(page: Profile, home: Profile) -> Signal | None:
    """Whether a page shows the front page of its site under another address, in whatever language that is.

    Both have one title, and neither says what the other does not; or they have most of their text in common, for front
    pages change from one look to the next. A site may be closed, for sale or behind a wall, front page and all: then
    its words say so, and a few words that say nothing known may be gone in an hour.
    """
    if not home.page.text or is_shell(page) or page.title_words != home.title_words:
        return None
    own = max(_own_words(page, home), _own_words(home, page))
    likeness = 1.0 - 0.02 * own if own <= _OWN else shingle_jaccard(page.shingles, home.shingles)
    if likeness < PROBE:
        return None
    kind = Turned.STAND_IN if is_little(page) else Turned.FRONT_PAGE
    return called(page, Signal(kind=kind, score=likeness, evidence=(SHOWS_FRONT,)))


def _own_words(page: Profile, probe: Profile) -> int:
    """Words in title and text of a page that the other does not say anywhere, addresses and numbers left out."""
    pieces = [piece for piece in page.page.pieces if piece not in probe.piece_set]
    said = (word for piece in pieces for word in words_of(piece))
    return len(_telling((*said, *page.title_words), page, probe))


def _telling(words: Iterable[str], page: Profile, probe: Profile) -> set[str]:
    """Of some words of a page those that its twin has not got, and that are neither numbers nor parts of addresses."""
    addresses = f"{page.page.url} {probe.page.url}".lower()
    known = probe.word_set | set(probe.title_words)
    return {
        word
        for word in words
        if word not in known and word not in addresses and "/" not in word and not any(map(str.isdigit, word))
    }
