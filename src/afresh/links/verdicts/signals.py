"""Signs that a page has turned into something else, read from its words and its source: not found, for sale, walled ...

Each kind has words that call for a closer look, patterns that count in title and headings, and patterns that count
in the text; services that do nothing but park domains or guard doors leave marks in the source. A long page may speak
of errors without being one, so evidence counts less the more prose there is.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from afresh.base.page_text import PageText
from afresh.base.records.links import Turned
from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.measures.url import host_of
from afresh.links.verdicts import phrases
from afresh.links.verdicts.markers import marked, missing_mark
from afresh.links.verdicts.phrases_abroad import ABROAD
from afresh.links.verdicts.plainly import PLAIN, UNSPACED, besides, is_bare, unquoted
from afresh.links.verdicts.scripts import scripts_of

HEAD = 2_500  # characters of text that are looked at
PROSE = 150  # words of main text from which on evidence in the text fades
CERTAIN = 0.6  # a signal from here on is taken for a fact
_LONG = 4 * PROSE  # words of main text from which on a phrase in the text proves nothing
_BOOK = 10 * PROSE  # and from which on not even a title does
_SHORT = 80  # up to which the source is searched
_CALLED, _BARE = 60, 40  # up to which a name can be all that a page says, or a sentence
_SAID = 3  # phrases of one kind that count, each for itself
_SURE = 0.7  # how sure a title is that hardly any page has
_SAYING = 0.55  # how sure a phrase in the text is
_OFFERED = 0.35  # the same of a login where nothing but the text speaks of one: many pages offer it
_SHOWN = 0.15  # the same of an error where the page shows code
_LINKED = 8  # links of a page within a site, which a bare error has not got
_MARKED = 0.85  # how sure a mark in the source is
_RATHER = 4  # words besides a phrase in a title that may be about it
_AMONG = 0.6  # what is left of a title that says more, of a kind that pages are about
#: Hardly any page is called so and is about it.
TELLING = frozenset((Turned.SOFT_404, Turned.PARKED, Turned.SUSPENDED, Turned.LISTING, Turned.CAPTCHA))
#: What no page is called by that name alone and is about.
_NAMED = TELLING | {Turned.ERROR}
_SORTING = re.compile(r"\?C=[NMSD](?:;|&|&amp;)O=[AD]")
_SHELL = 25  # words of main text
#: Where today's libraries put what they make.
_MOUNT = re.compile(
    r"""<(?:div|main|section|body)[^<>]{0,200}\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|svelte|mount|react-\w+)["'\s>]"""
    r"""|<(?:app-root|ion-app|flt-glass-pane)\b|\bng-(?:app|version)\b|data-reactroot|<script[^<>]{0,200}\btype=["']?module"""
)
_SENTENCE = re.compile(r"[.!?]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One kind of thing the page may have become: how sure, and the words that say so."""

    kind: Turned
    score: float  # 0 to 1
    evidence: tuple[str, ...] = ()
    is_all: bool = False  # the page says hardly anything else, or its source says it outright


def signals_of(page: Profile) -> tuple[Signal, ...]:
    """All signs on a page, the surest first."""
    view = _view(page)
    if not view.marks and is_shell(page):
        return ()
    if page.page.kind == "empty" or (page.page.kind == "html" and not page.page.text and not page.page.frames):
        if view.marks:
            kind, mark = next(iter(view.marks.items()))
            return (Signal(kind=kind, score=0.9, evidence=("no visible text", f"source: {mark}")),)
        if "<script" in page.page.raw.lower():
            return ()  # what it shows is made by a script, which nobody runs here
        return (Signal(kind=Turned.EMPTY, score=0.9, evidence=("no visible text",)),)
    found = [signal for kind in _kinds(view) if (signal := _signal(page, view, kind)) is not None]
    return tuple(sorted(found, key=lambda signal: -signal.score))


def _kinds(view: "_View") -> list[Turned]:
    """The kinds of which there can be a sign at all: a word, a mark, or how the page is built."""
    built = _BESIDES if view.prose <= PROSE else _LONG_TOO
    return [kind for kind in _PATTERNS if kind in view.concerned or kind in built or kind in view.marks]


def is_shell(page: Profile) -> bool:
    """Whether scripts make the page: whatever is asked for, the same few words come, and they say nothing."""
    return page.page.main.count(" ") < _SHELL and "<script" in page.page.raw and bool(_MOUNT.search(page.page.raw))


def is_error_page(page: PageText) -> bool:
    """Whether a page that was answered with 200 says for certain that it was not found."""
    return any(signal.kind is Turned.SOFT_404 and signal.score >= CERTAIN for signal in signals_of(Profile(page)))


def strongest(page: Profile) -> float:
    """Score of the surest sign, 0 without one."""
    return max((signal.score for signal in page_signals(page)), default=0.0)


def page_signals(page: Profile) -> tuple[Signal, ...]:
    """The signs of a page, computed once for a profile."""
    known: tuple[Signal, ...] | None = page.notes.get("signals")
    if known is None:
        known = page.notes["signals"] = signals_of(page)
    return known


def unturned(old: Profile, new: Profile) -> float:
    """1 if the newer version shows no sign the older one did not show: a measure for the classifier."""
    if not page_signals(new):
        return 1.0  # and the older page need not be searched
    before = {signal.kind: signal.score for signal in page_signals(old)}
    rise = max((signal.score - before.get(signal.kind, 0.0) for signal in page_signals(new)), default=0.0)
    return 1.0 - min(1.0, max(0.0, rise))


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The phrases of one kind in one language or script."""

    triggers: frozenset[str]
    script: str
    title: str  # patterns are compiled when first needed: most pages have no word that calls for one
    text: str


@lru_cache(maxsize=256)
def _regex(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _signal(page: Profile, view: "_View", kind: Turned) -> Signal | None:
    """Independent pieces of evidence: the chance that all of them mislead is the product of each one's.

    None: there is not a single one.
    """
    concerned, besides = view.concerned.get(kind, ()), _BESIDES.get(kind)
    built = 0.0 if besides is None else besides(page, view)
    if not concerned and not built and kind not in view.marks:
        return None  # nearly always
    named = _named(view, kind, concerned)
    doubt, evidence = named.doubt, list(named.evidence)
    said = _phrases(page, view, concerned)
    weight = _OFFERED if kind is Turned.LOGIN_WALL and not evidence and not page.page.passwords else _SAYING
    if kind is Turned.ERROR and _shows_code(page):
        weight, doubt = _SHOWN, 1.0 - (1.0 - doubt) / 2.0
    for each in said:
        doubt *= 1.0 - weight * min(1.0, PROSE / view.prose)
        evidence.append(f"text: {each}")
    if built:
        # Structure alone says little: a contact page has a form, a forum a password field.
        doubt *= 1.0 - (built if evidence else built / 3.0)
        evidence.append("structure")
    if kind in view.marks:
        doubt *= 1.0 - _MARKED
        evidence.append(f"source: {view.marks[kind]}")
    if doubt >= 1.0:
        return None
    is_all = kind in view.marks or (named.is_plain and kind in _NAMED and view.prose < _CALLED)
    if not is_all and said and view.prose < _BARE and (named.is_plain or kind in _NAMED):
        is_all = is_bare(page.page.pieces, (_regex(pattern.text) for pattern in concerned))
    return Signal(kind=kind, score=1.0 - doubt, evidence=tuple(evidence), is_all=is_all)


def _shows_code(page: Profile) -> bool:
    """Whether a page of a site has code on it: manuals and questions print errors."""
    return len(page.page.links) >= _LINKED and ("<pre" in page.page.raw or "<code" in page.page.raw)


@dataclass(slots=True)
class _Named:
    """What title and headings say of one kind."""

    doubt: float = 1.0
    evidence: list[str] = field(default_factory=list)
    is_plain: bool = False  # and nothing else: the title, or a heading below none


def _named(view: "_View", kind: Turned, concerned: Sequence[_Pattern]) -> _Named:
    """A page may be called "Maintenance" or "Log in" and be about it; the more it says besides, the likelier."""
    told = _Named()
    titled = min(1.0, 2 * PROSE / view.prose)
    weights = (_SURE, 0.6) if kind in TELLING else (0.55, 0.45 if view.title else 0.55)
    for place, searched, weight in zip(("title", "heading"), (view.title, view.headings), weights, strict=True):
        found = next((found for pattern in concerned if (found := _regex(pattern.title).search(searched))), None)
        if found is None:
            continue
        more = besides(searched, found)
        is_plain = more <= (1 if kind is Turned.ERROR else PLAIN)
        if kind not in TELLING:
            sure = kind in _NAMED and is_plain
            weight = _SURE if sure else weight * (_AMONG if more > _RATHER else 1.0)
        # The heading mostly repeats the title: what a page may be about does not count twice.
        told.doubt *= 1.0 - weight * titled if kind in TELLING or not told.evidence else 1.0
        told.is_plain |= is_plain and (place == "title" or not view.title)
        told.evidence.append(f"{place}: {_around(searched, found)}")
    return told


def _phrases(page: Profile, view: "_View", concerned: Sequence[_Pattern]) -> list[str]:
    """What the text says of one kind, each phrase once, and no more of them than count."""
    if view.prose > _LONG:
        return []
    said: dict[str, str] = {}
    for pattern in concerned:
        # No pattern reaches over the end of a sentence, so only sentences with a word that calls for it are searched.
        searched = view.text if pattern.script else ". ".join(_called(page, pattern))
        for found in _regex(pattern.text).finditer(searched):
            said.setdefault(found[0], _around(searched, found))
            if len(said) == _SAID:
                return list(said.values())
    return list(said.values())


def _called(page: Profile, pattern: _Pattern) -> Iterator[str]:
    return (sentence for sentence, words in _sentences(page) if not pattern.triggers.isdisjoint(words))


@dataclass(frozen=True, slots=True)
class _View:
    """What is searched of a page, in lower case."""

    title: str
    headings: str
    words: tuple[str, ...]  # of a long page those of title and headings alone
    text: str
    prose: int  # words of main text, at least 1
    concerned: Mapping[Turned, Sequence[_Pattern]]  # phrases of which there is a word, or whose script occurs
    marks: Mapping[Turned, str]  # of services, in the source of a page without much prose


def _view(page: Profile) -> _View:
    known: _View | None = page.notes.get("view")
    if known is None:
        title = unquoted(_plain(page.page.title))
        headings = unquoted(_plain("\n".join(page.page.headings[:6])[:600]))
        text = unquoted(_plain(page.page.text[:HEAD]))
        scripts = scripts_of(title + headings + text)
        prose = page.page.main.count(" ") + 1
        if scripts & UNSPACED:
            prose = max(prose, len(page.page.main) // 2)
        searched = f"{title} {headings}"
        if prose <= _LONG:  # else no phrase in the text counts, and nobody needs its words
            # Sentences may end in ways that leave a stop at their last word; cut there, too.
            searched = f"{searched} {text.replace('. ', ' ')}"
        words = words_of(searched)
        concerned = _concerned(words, scripts) if prose <= _BOOK else {}
        marks = marked(page.page.raw) if prose <= _SHORT else missing_mark(page.page.raw)
        known = page.notes["view"] = _View(title, headings, words, text, prose, concerned, marks)
    return known


def _concerned(words: tuple[str, ...], scripts: frozenset[str]) -> Mapping[Turned, Sequence[_Pattern]]:
    """Few pages have a word that calls for a pattern, so all words are looked up at once."""
    found: dict[Turned, dict[_Pattern, None]] = {}
    for call in (*sorted(_CALLS.keys() & words), *(f"/{script}" for script in sorted(scripts))):
        for kind, pattern in _CALLS.get(call, ()):
            found.setdefault(kind, {})[pattern] = None
    return {kind: tuple(patterns) for kind, patterns in found.items()}


def prose_of(page: Profile) -> int:
    """Words of its main text, at least 1; where no spaces part them, as many as there may be."""
    return _view(page).prose


def _plain(text: str) -> str:
    """In lower case, and with the apostrophe that patterns are written with."""
    return text.lower().replace("’", "'")


def _sentences(page: Profile) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of the beginning of a page with their words; few pages have a word that calls for them."""
    known: tuple[tuple[str, frozenset[str]], ...] | None = page.notes.get("sentences")
    if known is None:
        parts = _SENTENCE.split(_view(page).text)
        known = page.notes["sentences"] = tuple((part, frozenset(words_of(part))) for part in parts)
    return known


def _around(text: str, found: re.Match[str]) -> str:
    """What was found with whole words around it, for people."""
    start = text.rfind(" ", 0, max(0, found.start() - 20)) + 1
    end = text.find(" ", found.end() + 20)
    return " ".join(text[start : end if end >= 0 else len(text)].split())


def _shortness(_: Profile, view: _View) -> float:
    return 0.2 if view.prose < 60 else 0.0


def _password(page: Profile, view: _View) -> float:
    if not page.page.passwords:
        return 0.0
    return 0.5 if view.prose < 120 else 0.2


def _listing(page: Profile, view: _View) -> float:
    """Links that sort by name, date and size."""
    if len(_SORTING.findall(" ".join(link.url for link in page.page.links[:20]))) >= 3:
        return 0.8
    return 0.3 if "parent directory" in view.text and "modified" in view.text else 0.0


def _for_sale(page: Profile, view: _View) -> float:
    """Hardly any prose, and links that lead through a parking service, or the domain's own name as a headline."""
    if view.prose > PROSE:
        return 0.0
    farmed = len(phrases.PARKING_HOSTS.findall(" ".join(link.url for link in page.page.links[:50]).lower()))
    if farmed >= 2 or (farmed and view.prose < 80):
        return 0.7
    host = host_of(page.page.url).removeprefix("www.")
    return 0.4 if host and (host in view.title or host in view.headings) else 0.0


_BESIDES: Mapping[Turned, Callable[[Profile, _View], float]] = {
    Turned.SOFT_404: _shortness,
    Turned.PARKED: _for_sale,
    Turned.LOGIN_WALL: _password,
    Turned.LISTING: _listing,
    Turned.MAINTENANCE: _shortness,
    Turned.SUSPENDED: _shortness,
    Turned.CAPTCHA: _shortness,
    Turned.CONSENT_WALL: _shortness,
    Turned.ERROR: _shortness,
    Turned.PLACEHOLDER: _shortness,
}

#: What is seen in how a page is built however much prose it has; the others ask for little.
_LONG_TOO = frozenset((Turned.LOGIN_WALL, Turned.LISTING))


def _pattern(kind: str, words: phrases.Phrases) -> _Pattern:
    title, text = "|".join([*words.titles, *words.texts]), "|".join(words.texts)
    if kind == Turned.PARKED:  # which speaks of its own name, and that has dots
        title, text = (pattern.replace("[^.!?]", r"(?:[^.!?]|\.(?=\w))") for pattern in (title, text))
    return _Pattern(frozenset(words.triggers.split()), words.script, title, text)


_PATTERNS: Mapping[Turned, tuple[_Pattern, ...]] = {
    Turned(key): tuple(_pattern(key, each) for each in (words, *ABROAD.get(key, ())))
    for key, words in phrases.PHRASES.items()
}

#: Which patterns a word, or a script ("/greek"), calls for.
_CALLS: dict[str, list[tuple[Turned, _Pattern]]] = {}
for _kind, _patterns in _PATTERNS.items():
    for _each in _patterns:
        for _call in (f"/{_each.script}",) if _each.script else _each.triggers:
            _CALLS.setdefault(_call, []).append((_kind, _each))
