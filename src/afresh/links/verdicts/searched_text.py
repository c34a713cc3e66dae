"""What is searched of a page for signs, in lower case, and the phrases that its words call for.

Few pages have a word that calls for a phrase, so all words are looked up at once; patterns are compiled when needed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from afresh.base.page_text import PageText
from afresh.base.records.links import Turned
from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.measures.url import host_of, spoken_of, version_in
from afresh.links.verdicts import phrases
from afresh.links.verdicts.markers import marked, missing_mark
from afresh.links.verdicts.phrases_abroad import ABROAD
from afresh.links.verdicts.prominence import says, unquoted
from afresh.links.verdicts.scripts import scripts_of, unspaced

HEAD = 2_500  # characters of text that are looked at
PROSE = 150  # words of main text from which on evidence in the text fades
LONG = 4 * PROSE  # from which on a phrase in the text proves nothing
_BOOK = 10 * PROSE  # and from which on not even a title does
_SHORT = 80  # up to which the source is searched
_NUMBERED_ERROR = re.compile(r"(?:ora|pls|tns|sql|ibm|db2)-?\d{4,}|sqlstate")  # of databases, in one word
_SENTENCE = re.compile(r"[.!?]\s+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """The phrases of one kind in one language or script."""

    triggers: frozenset[str]
    script: str
    languages: frozenset[str]
    title: str  # patterns are compiled when first needed: most pages have no word that calls for one
    text: str


@lru_cache(maxsize=256)
def regex(text: str) -> re.Pattern[str]:
    return re.compile(text)


@dataclass(frozen=True, slots=True)
class View:
    """What is searched of a page, in lower case."""

    title: str
    headings: str
    words: tuple[str, ...]  # of a long page those of title and headings alone
    text: str  # in lines, over whose ends no phrase reaches
    prose: int  # words of main text, at least 1; where no spaces part them, as many as there may be
    concerned: Mapping[Turned, Sequence[Pattern]]  # phrases of which there is a word, or whose script occurs
    marks: Mapping[Turned, str]  # of services, in the source of a page without much prose
    names: frozenset[str]  # what the address speaks of
    is_named: bool  # whether title or headings do, too


def view_of(page: Profile) -> View:
    known: View | None = page.notes.get("view")
    if known is None:
        title = unquoted(_plain(page.page.title))
        headings = unquoted(_plain("\n".join(page.page.headings[:6])[:600]))
        text = unquoted(_plain(_told(page.page)))
        scripts = scripts_of(title + headings + text)
        prose = page.page.main.count(" ") + 1 + unspaced(page.page.main) // 2
        searched = f"{title} {headings}"
        if prose <= LONG:  # else no phrase in the text counts, and nobody needs its words
            # Sentences may end in ways that leave a stop at their last word; cut there, too.
            searched = f"{searched} {text.replace('. ', ' ')}"
        words = words_of(searched)
        spoken = scripts | {page.page.language[:2]} if prose <= PROSE else scripts
        concerned = _concerned(words, spoken) if prose <= _BOOK else {}
        marks = marked(page.page.raw) if prose <= _SHORT else missing_mark(page.page.raw)
        names, host = (spoken_of(page.asked), host_of(page.asked)) if concerned else (frozenset(), "")
        called = f"{title} {headings}"
        is_named = says(called, {name for name in names if name not in host})
        if not is_named and concerned and (version := version_in(page.asked)):
            is_named = version in called
        known = View(title, headings, words, text, prose, concerned, marks, names, is_named)
        page.notes["view"] = known
    return known


def _concerned(words: tuple[str, ...], spoken: frozenset[str]) -> Mapping[Turned, Sequence[Pattern]]:
    """Few pages have a word that calls for a pattern, so all words are looked up at once."""
    found: dict[Turned, dict[Pattern, None]] = {}
    for call in (*sorted(_CALLS.keys() & _calling(words)), *(f"/{name}" for name in sorted(spoken))):
        for kind, pattern in _CALLS.get(call, ()):
            found.setdefault(kind, {})[pattern] = None
    return {kind: tuple(patterns) for kind, patterns in found.items()}


def _calling(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words with what an error's number in a few of them calls for."""
    return (*words, "error") if len(words) < _SHORT and any(map(_NUMBERED_ERROR.match, words)) else words


def _told(page: PageText) -> str:
    """The beginning of the text; a line ends where an element ends without a stop and another begins in capitals.

    Headlines beside each other make no sentence; what goes on in small letters was parted by a link or a line break.
    """
    if page.kind != "html" or not page.pieces:
        return page.text[:HEAD]
    told, length = [page.pieces[0]], 0
    for before, piece in pairwise(page.pieces):
        told += ("\n" if before[-1:].isalnum() and piece[:1].isupper() else " ", piece)
        length += len(piece)
        if length > HEAD:
            break
    return "".join(told)[:HEAD]


def found_in(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    r"""Where a pattern occurs within a line.

    >>> list(found_in("why we do not sleep\nfound: a ring", re.compile("not.*found")))
    []
    """
    start = 0
    for line in text.split("\n"):
        yield from pattern.finditer(text, start, start + len(line))
        start += len(line) + 1


def _plain(text: str) -> str:
    """In lower case, and with the apostrophe that patterns are written with."""
    return text.lower().replace("’", "'")


def sentences_of(page: Profile) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of the beginning of a page with their words; few pages have a word that calls for them."""
    known: tuple[tuple[str, frozenset[str]], ...] | None = page.notes.get("sentences")
    if known is None:
        parts = _SENTENCE.split(view_of(page).text)
        known = page.notes["sentences"] = tuple((part, frozenset(_calling(words_of(part)))) for part in parts)
    return known


def _pattern(kind: str, words: phrases.Phrases) -> Pattern:
    title, text = "|".join([*words.titles, *words.texts]), "|".join(words.texts)
    if kind == Turned.PARKED:  # which speaks of its own name, and that has dots
        title, text = (pattern.replace("[^.!?]", r"(?:[^.!?]|\.(?=\w))") for pattern in (title, text))
    return Pattern(frozenset(words.triggers.split()), words.script, words.languages, title, text)


PATTERNS: Mapping[Turned, tuple[Pattern, ...]] = {
    Turned(key): tuple(_pattern(key, each) for each in (words, *ABROAD.get(key, ())))
    for key, words in phrases.PHRASES.items()
}

#: Which patterns a word, a script ("/greek") or a language ("/de") calls for.
_CALLS: dict[str, list[tuple[Turned, Pattern]]] = {}
for _kind, _patterns in PATTERNS.items():
    for _each in _patterns:
        for _call in (
            (f"/{_each.script}",) if _each.script else (*_each.triggers, *(f"/{code}" for code in _each.languages))
        ):
            _CALLS.setdefault(_call, []).append((_kind, _each))
