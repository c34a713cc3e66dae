"""What a model cannot see in two versions alone: pages that change by nature, and sisters that share all but text.

A front page or a list is the same page with other words tomorrow; another page of the site, in the same frame and
under the site's one title, is not. What tells them apart is where they stand and what names them on their site: main
heading, breadcrumb, canonical address.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from rapidfuzz import fuzz

from afresh.base.page_text import Link
from afresh.links.measures.catalogue import measure
from afresh.links.measures.profile import Profile
from afresh.links.measures.shingles import common_shingles, shingle_overlap
from afresh.links.measures.tokens import words_of
from afresh.links.measures.url import is_front, path_of
from afresh.links.verdicts.calendar_words import CALENDAR, says_that_it_changes
from afresh.links.verdicts.entries import has_new_entries, own_words

_HEADINGS = 3  # at the top of the page, of which one is its name
_HEADLINE = 15  # words of it at most
_TITLED = 0.9  # likeness of titles that are one
_NAMED = 70.0  # likeness, in percent, below which the words of two names are others
#: Part of the shingles in common below which the main text is another one: where the headings have nothing in common;
#: where they are alike but for a word ("Sprite class", "Window class") or the breadcrumbs differ, as on pages that
#: share most of their phrases; where the page itself says that its address is another one.
_OTHER_TEXT, _OTHER_NAME, _OTHER_ADDRESS = 0.35, 0.5, 0.7
_ALL_OTHER = 0.15  # part of the smaller text in the other, below which a page without any name is another one
_REWRITTEN = 0.3
_SENTENCE = 12  # words of main text from which on a page has one of its own
_THERE = 0.9  # part of a page that is there as it was, of its main text and of all; the rest is a date, a counter
_FRAME = 0.6  # part of the short link texts, the navigation, that stays
_FRONT_FRAME = 0.3  # the same on a front page, where teasers have short texts too
_LABEL = 3  # words of a link text that is a label at most
_LABELS = 5  # labels below which there is no navigation to speak of
_TEASERS, _TEASED = 30, 0.4  # links of a list, and their share of its words
_ENDS = 3  # links at both ends of a page that stayed where they were
_OF_THE_DAY = 400  # words of what stands on a page for a day, at most
_PAGES = 3  # numbers among the link texts of a list of many pages
_PAGINATED = re.compile(
    r"[?&;](?:page|p|pg|paged|start|offset|from|seite)=\d+|/(?:page|seite|p)[/-]?\d+(?:/|\.\w+)?(?:$|[?#])"
)
#: A day, a year or both; neither a version nor the number of a room.
_DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:\.|st|nd|rd|th)?|(?:19|20)\d\d|\d{1,4}([./-])\d{1,2}\1(?:\d{2,4})?")
_TAG = re.compile(r"<[^<>]{0,2000}>")
_TRAIL = 1_500  # characters of the source that a breadcrumb takes


def is_refreshed(old: Profile, new: Profile, *, is_changing: bool = False) -> bool:
    """Whether title and frame stayed around new content, on a page where that is the way of things.

    ``is_changing``: its own history says so.
    """
    if not _title(old, new) or measure("language").compare(old, new) == 0.0:
        return False
    if is_front(old.page.url) and is_front(new.page.url) and _keeps_frame(old, new, least=_FRONT_FRAME):
        return True
    if _doubt(old, new):
        return False
    if (is_changing or _is_list(old)) and _keeps_frame(old, new, least=_FRAME):
        return True
    is_called_so = all(_undated(words_of(told(old))) == _undated(words_of(told(new))) for told in (_heading, _titled))
    return is_called_so and _keeps_ends(old, new) and (has_new_entries(old, new) or _is_of_the_day(old, new))


def _is_of_the_day(old: Profile, new: Profile) -> bool:
    """Whether a page is called after a time, and has no more to say than fits into it."""
    if not all(says_that_it_changes(_called(page)) for page in (old, new)):
        return False
    if max(own_words(old, new), own_words(new, old)) > _OF_THE_DAY:
        return False
    return measure("levenshtein_structure").compare(old, new) >= _FRAME


def is_rewritten(old: Profile, new: Profile) -> bool:
    """Whether hardly anything of the main text is left: if it was the same page all the same, that is its nature."""
    return shingle_overlap(old.main_shingles, new.main_shingles) < _REWRITTEN


def is_there(old: Profile, new: Profile) -> bool:
    """Whether a page has all that it had, under the name that it had, however much came besides."""
    if len(old.main_words) < _SENTENCE or not _title(old, new) or _doubt(old, new):
        return False
    if common_shingles(old.main_shingles, new.main_shingles) < _THERE * len(old.main_shingles):
        return False
    words = {piece: piece.count(" ") + 1 for piece in old.piece_set}
    return sum(words[piece] for piece in words.keys() & new.piece_set) >= _THERE * sum(words.values())


def is_sister(old: Profile, new: Profile) -> bool:
    """Whether only the site is the same: one title, but what names the page on it, and its text, are another page's."""
    if not _title(old, new) or (is_front(old.page.url) and is_front(new.page.url)):
        return False
    if measure("main_shingle").compare(old, new) < _doubt(old, new):
        return True
    is_nameless = not old.page.headings and not new.page.headings
    return is_nameless and shingle_overlap(old.main_shingles, new.main_shingles) < _ALL_OTHER


def _title(old: Profile, new: Profile) -> bool:
    if not old.page.title:
        return False
    one, other = _undated(old.title_words), _undated(new.title_words)
    return measure("title").compare(old, new) >= _TITLED or one == other != ()


def _undated(words: Iterable[str]) -> tuple[str, ...]:
    """Words of a name without those of a date: "Concerts in May" are those in June, too."""
    return tuple(word for word in words if word not in CALENDAR and not _DATE.fullmatch(word))


def _titled(page: Profile) -> str:
    return page.page.title


def _doubt(old: Profile, new: Profile) -> float:
    """How much of the main text has to be in common for the page to be the same, by what the two are called.

    0 where nothing contradicts: they have one name, or do not tell theirs.
    """
    if old.page.canonical and new.page.canonical and path_of(old.page.canonical) != path_of(new.page.canonical):
        return _OTHER_ADDRESS
    one, other = _name(old), _name(new)
    # "Harbour plans" may become "Harbour plans of the town"; then one has all words of the other.
    if one - other and other - one and fuzz.ratio(*(" ".join(sorted(n)) for n in (one - other, other - one))) < _NAMED:
        return _OTHER_NAME if one & other else _OTHER_TEXT
    trails = breadcrumb(old), breadcrumb(new)
    return _OTHER_NAME if all(trails) and trails[0] != trails[1] else 0.0


def _name(page: Profile) -> frozenset[str]:
    """Words of the heading; without numbers and months, which count up on one and the same page."""
    return frozenset(word for word in _undated(words_of(_heading(page))) if not any(map(str.isdigit, word)))


def _heading(page: Profile) -> str:
    """The first heading that is no paragraph."""
    return next((text for text in page.page.headings[:_HEADINGS] if text.count(" ") < _HEADLINE), "")


def _called(page: Profile) -> str:
    return _heading(page) or page.page.title


def breadcrumb(page: Profile) -> str:
    """The words of the trail from the front page to this one, if the source names it so."""
    if "breadcrumb" not in page.notes:
        page.notes["breadcrumb"] = _read_trail(page.page.raw)
    known: str = page.notes["breadcrumb"]
    return known


def _read_trail(source: str) -> str:
    at = source.lower().find("breadcrumb", source.lower().find("<body"))
    start = source.find(">", at) if at >= 0 else -1
    if start < 0:
        return ""
    part = source[start + 1 : start + _TRAIL]
    ends = [end for mark in ("</ul", "</ol", "</nav", "</p") if (end := part.find(mark)) >= 0]
    return " ".join(_TAG.sub(" ", part[: min(ends)]).split()).lower() if ends else ""


def _keeps_frame(old: Profile, new: Profile, *, least: float) -> bool:
    """Whether the navigation stayed; without one, how the page is built."""
    labels = {link.text for link in old.page.links if link.text and link.text.count(" ") < _LABEL}
    if len(labels) < _LABELS:
        return measure("levenshtein_structure").compare(old, new) >= _FRAME
    return len(labels & new.link_texts) >= least * len(labels)


def _keeps_ends(old: Profile, new: Profile) -> bool:
    """Whether the links at the beginning and the end of a page stayed, or the navigation did.

    Labels are told from headlines by where they stand: headlines may be as short.
    """
    if not old.page.links and not new.page.links:
        return True
    ends = _common(old.page.links, new.page.links) + _common(old.page.links[::-1], new.page.links[::-1])
    return ends >= min(_ENDS, len(old.page.links)) or _keeps_frame(old, new, least=_FRAME)


def _common(one: Sequence[Link], other: Sequence[Link]) -> int:
    """Links that two lists begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a.text != b.text), min(len(one), len(other)))


def _is_list(page: Profile) -> bool:
    """Whether a page mostly points at others, or is one of several numbered ones."""
    if _PAGINATED.search(page.page.url.lower()):
        return True
    numbers = (link for link in page.page.links if link.text.isdecimal() and len(link.text) < 4)
    if len(list(islice(numbers, _PAGES))) == _PAGES:
        return True
    words = sum(link.text.count(" ") + 1 for link in page.page.links if link.text)
    return len(page.page.links) >= _TEASERS and words >= _TEASED * max(1, len(page.words))
