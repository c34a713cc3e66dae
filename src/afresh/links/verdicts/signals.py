"""Signs that a page has turned into something else, read from its words: not found, for sale, walled, suspended ...

Each kind has words that call for a closer look, patterns that count in title and headings, and patterns that count
in the text. A long page may speak of errors without being one, so evidence in the text counts less the more prose
there is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from afresh.base.page_text import PageText
from afresh.base.records.link_status import Turned
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.verdicts import phrases

HEAD = 2_500  # characters of text that are looked at
PROSE = 150  # words of main text from which on evidence in the text fades
CERTAIN = 0.6  # a signal from here on is taken for a fact
_SORTING = re.compile(r"\?C=[NMSD](?:;|&|&amp;)O=[AD]")
_SENTENCE = re.compile(r"[.!?]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One kind of thing the page may have become: how sure, and the words that say so."""

    kind: Turned
    score: float  # 0 to 1
    evidence: tuple[str, ...] = ()


def signals_of(page: Profile) -> tuple[Signal, ...]:
    """All signs on a page, the surest first."""
    is_bare = page.page.kind == "html" and not page.page.text and not page.page.frames
    if is_bare and "<script" in page.page.raw.lower():
        return ()  # what it shows is made by a script, which nobody runs here
    if page.page.kind == "empty" or is_bare:
        return (Signal(kind=Turned.EMPTY, score=0.9, evidence=("no visible text",)),)
    view = _view(page)
    found = [signal for kind in _PATTERNS if (signal := _signal(page, view, kind)) is not None]
    return tuple(sorted(found, key=lambda signal: -signal.score))


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
    triggers: frozenset[str]
    title: str  # patterns are compiled when first needed: most pages have no word that calls for one
    text: str
    besides: "Callable[[Profile, _View], float] | None" = None  # weight of structural evidence


@lru_cache(maxsize=64)
def _regex(text: str) -> re.Pattern[str]:
    return re.compile(text)


def _signal(page: Profile, view: "_View", kind: Turned) -> Signal | None:
    """Independent pieces of evidence: the chance that all of them mislead is the product of each one's.

    None: there is not a single one.
    """
    pattern = _PATTERNS[kind]
    doubt, evidence = 1.0, []
    if not pattern.triggers.isdisjoint(view.words):
        title = _regex(pattern.title)
        if found := title.search(view.title):
            doubt *= 1.0 - 0.7 * min(1.0, 3 * PROSE / view.prose)
            evidence.append(f"title: {_around(view.title, found)}")
        if found := title.search(view.headings):
            doubt *= 1.0 - 0.6 * min(1.0, 3 * PROSE / view.prose)
            evidence.append(f"heading: {_around(view.headings, found)}")
        # No pattern reaches over the end of a sentence, so only sentences with a word that calls for it are searched.
        said = ". ".join(sentence for sentence, words in _sentences(page) if not pattern.triggers.isdisjoint(words))
        if said and (found := _regex(pattern.text).search(said)):
            doubt *= 1.0 - 0.55 * min(1.0, PROSE / view.prose)
            evidence.append(f"text: {_around(said, found)}")
    if pattern.besides and (weight := pattern.besides(page, view)):
        # Structure alone says little: a contact page has a form, a forum a password field.
        doubt *= 1.0 - (weight if evidence else weight / 3.0)
        evidence.append("structure")
    if doubt >= 1.0:
        return None
    return Signal(kind=kind, score=1.0 - doubt, evidence=tuple(evidence))


@dataclass(frozen=True, slots=True)
class _View:
    """What is searched of a page, in lower case."""

    title: str
    headings: str
    words: frozenset[str]
    text: str
    prose: int  # words of main text, at least 1


def _view(page: Profile) -> _View:
    known: _View | None = page.notes.get("view")
    if known is None:
        title = page.page.title.lower()
        headings = "\n".join(page.page.headings[:6])[:600].lower()
        text = page.page.text[:HEAD].lower()
        # Sentences may end in ways that leave a stop at their last word; cut there, too. Between words stands a space.
        words = frozenset(words_of(f"{title} {headings} {text.replace('. ', ' ')}"))
        known = page.notes["view"] = _View(title, headings, words, text, page.page.main.count(" ") + 1)
    return known


def _sentences(page: Profile) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of the beginning of a page with their words; few pages have a word that calls for them."""
    known: tuple[tuple[str, frozenset[str]], ...] | None = page.notes.get("sentences")
    if known is None:
        parts = _SENTENCE.split(_view(page).text)
        known = page.notes["sentences"] = tuple((part, frozenset(words_of(part))) for part in parts)
    return known


def _around(text: str, found: re.Match[str]) -> str:
    return " ".join(text[max(0, found.start() - 20) : found.end() + 20].split())


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
    return 0.3 if "parent directory" in view.text else 0.0


def _link_farm(page: Profile, view: _View) -> float:
    """Hardly any prose, and links that lead through a parking service or with a keyword query."""
    if view.prose > PROSE:
        return 0.0
    farmed = len(phrases.PARKING_HOSTS.findall(" ".join(link.url for link in page.page.links[:50]).lower()))
    return 0.7 if farmed >= 2 or (farmed and view.prose < 80) else 0.0


def _pattern(key: str, besides: Callable[[Profile, _View], float] | None) -> _Pattern:
    entry = phrases.PHRASES[key]
    return _Pattern(
        frozenset(entry.triggers.split()),
        "|".join([*entry.titles, *entry.texts]),
        "|".join(entry.texts),
        besides,
    )


_BESIDES: Mapping[Turned, Callable[[Profile, _View], float]] = {
    Turned.SOFT_404: _shortness,
    Turned.PARKED: _link_farm,
    Turned.LOGIN_WALL: _password,
    Turned.LISTING: _listing,
    Turned.MAINTENANCE: _shortness,
    Turned.SUSPENDED: _shortness,
    Turned.CAPTCHA: _shortness,
    Turned.PLACEHOLDER: _shortness,
}
_PATTERNS: Mapping[Turned, _Pattern] = {
    Turned(key): _pattern(key, _BESIDES.get(Turned(key))) for key in phrases.PHRASES
}
