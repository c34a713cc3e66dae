"""Signs that a page has turned into something else, read from its words and its source: not found, for sale, walled ...

Each kind has words that call for a closer look, patterns that count in title and headings, and patterns that count
in the text; services that do nothing but park domains or guard doors leave marks in the source. A long page may speak
of errors without being one, so evidence counts less the more prose there is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from afresh.base.page_text import PageText
from afresh.base.records.links import Turned
from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import words_of
from afresh.links.measures.url import host_of, is_front
from afresh.links.verdicts import phrases
from afresh.links.verdicts.building import ALL, BUILT, LONG_TOO, is_framed, is_shell, shows_code
from afresh.links.verdicts.prominence import PARTS, PLAIN, besides, is_bare, part_around, says
from afresh.links.verdicts.searched_text import (
    LONG,
    PATTERNS,
    PROSE,
    Pattern,
    View,
    found_in,
    regex,
    sentences_of,
    view_of,
)

CERTAIN = 0.6  # a signal from here on is taken for a fact
_CALLED, _BARE = 60, 40  # up to which a name can be all that a page says, or a sentence
_SAID = 3  # phrases of one kind that count, each for itself
_SURE = 0.7  # how sure a title is that hardly any page has
_SAYING = 0.55  # how sure a phrase in the text is
_OFFERED = 0.35  # the same of a login where nothing but the text speaks of one: many pages offer it
_SHOWN = 0.15  # the same of an error where the page shows code
_HELD = 0.65  # the same where it keeps somebody from reading on
_LONE = 0.3  # the same where it is all that speaks for what rarely says so little
_ABOUT = 0.2  # the same where the page is called what its address speaks of, and may be about it; it counts once
_NUMBERED = 0.3  # what is left of a number in a title, which may be that of a room
_NOTE, _LINE = 22, 12  # words of a page, or of a plain text, that says no more than that something is missing
_MARKED = 0.85  # how sure a mark in the source is
_RATHER = 4  # words besides a phrase in a title that may be about it
_AMONG = 0.6  # what is left of a title that says more, of a kind that pages are about
#: Hardly any page is called so and is about it.
TELLING = frozenset((Turned.SOFT_404, Turned.PARKED, Turned.SUSPENDED, Turned.LISTING, Turned.CAPTCHA))
_WALLS = frozenset((Turned.LOGIN_WALL, Turned.CONSENT_WALL))
_PARAGRAPH, _PIECES = 18, 60  # words of a paragraph; parts of a page that are looked at
_UNDER_NAME = 12  # words of a text that stands under the page's own name, and need not be a paragraph therefore
#: What is not shown in the frame of a site.
_UNFRAMED = frozenset((Turned.CAPTCHA, Turned.CONSENT_WALL, Turned.ERROR, Turned.SUSPENDED))
#: What pages with a name of their own speak of; a site that is down has its name everywhere.
_SPOKEN_OF = frozenset((Turned.SOFT_404, Turned.LOGIN_WALL, Turned.PARKED))
#: What no page is called by that name alone and is about.
_NAMED = TELLING | {Turned.ERROR}
#: Besides which a number in a title is that of an error.
_ERROR_WORDS = """
    error page http found missing oops whoops sorry fehler seite erreur errore erro pagina página fout fel feil
    fejl virhe błąd blad chyba hiba eroare greška greska hata lỗi kesalahan viga kļūda klaida villa gabim xəta
    napaka ошибка помилка грешка қате σφάλμα שגיאה خطأ خطا 错误 錯誤 エラー 오류
"""
_ERRORS = frozenset(_ERROR_WORDS.split())
_STATUS, _STATUSES = re.compile(r"(?<![\d.,])[45]\d\d(?![\d.,]?\d)"), 3  # numbers of errors, and how many make a table
_DOMAIN, _DOMAINS = re.compile(r"(?<![\w.@/-])[a-z\d-]{2,}(?:\.[a-z]{2,10}){1,2}(?![\w/@-])"), 3  # the same of names
_STATUSED = frozenset((Turned.ERROR, Turned.SOFT_404))  # what has such a number
#: A sentence that begins so supposes something and says nothing, up to a phrase in it.
_SUPPOSED = re.compile(
    r"(?:^|[.!?:;]\s)(?:if|in case|unless|wenn|falls|sollten?|si(?! è)|jeśli|jeżeli|als|indien|om du|hvis|jos|pokud"
    r"|když|ak|ha|dacă|если|якщо|ако|αν|εάν|eğer|jika|kalau|nếu)\s[^.!?]*$"
)
_NUMBER = re.compile(r"\s*(?:code|status)?[\s\d]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One kind of thing the page may have become: how sure, and the words that say so."""

    kind: Turned
    score: float  # 0 to 1
    evidence: tuple[str, ...] = ()
    is_all: bool = False  # the page says hardly anything else, or its source says it outright


def signals_of(page: Profile) -> tuple[Signal, ...]:
    """All signs on a page, the surest first."""
    view = view_of(page)
    if not view.marks and is_shell(page):
        return _of_shell(page, view)
    if page.page.kind == "empty" or (page.page.kind == "html" and not page.page.text and not page.page.frames):
        if view.marks:
            kind, mark = next(iter(view.marks.items()))
            return (Signal(kind=kind, score=0.9, evidence=("no visible text", f"source: {mark}")),)
        if "<script" in page.page.raw.lower():
            return ()  # what it shows is made by a script, which nobody runs here
        if (called := _signal(page, view, Turned.PLACEHOLDER)) is not None and called.score >= CERTAIN:
            return (called,)
        return (Signal(kind=Turned.EMPTY, score=0.9, evidence=("no visible text",)),)
    found = {kind: signal for kind in _kinds(view) if (signal := _signal(page, view, kind)) is not None}
    if (down := found.get(Turned.MAINTENANCE)) is not None and down.score >= CERTAIN and Turned.LOGIN_WALL in found:
        # Who keeps a site that is down signs in there.
        found[Turned.LOGIN_WALL] = replace(found[Turned.LOGIN_WALL], score=found[Turned.LOGIN_WALL].score / 2.0)
    return tuple(sorted(found.values(), key=lambda signal: -signal.score))


def _of_shell(page: Profile, view: View) -> tuple[Signal, ...]:
    """Where scripts make the page, its title is that of all others: what counts is a heading that says nothing else."""
    found = _signal(page, view, Turned.SOFT_404) if page.page.headings else None
    return () if found is None or not found.is_all or found.score < CERTAIN else (found,)


def _kinds(view: View) -> list[Turned]:
    """The kinds of which there can be a sign at all: a word, a mark, or how the page is built."""
    built = BUILT if view.prose <= PROSE else LONG_TOO
    return [kind for kind in PATTERNS if kind in view.concerned or kind in built or kind in view.marks]


def is_error_page(page: PageText) -> bool:
    """Whether a page that was answered with 200 says for certain that it was not found."""
    return any(signal.kind is Turned.SOFT_404 and signal.score >= CERTAIN for signal in signals_of(Profile(page)))


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


def _signal(page: Profile, view: View, kind: Turned) -> Signal | None:
    """Independent pieces of evidence: the chance that all of them mislead is the product of each one's.

    None: there is not a single one.
    """
    concerned, besides = view.concerned.get(kind, ()), BUILT.get(kind)
    built = 0.0 if besides is None else besides(page, view)
    if not concerned and not built and kind not in view.marks:
        return None  # nearly always
    named = _named(view, kind, concerned)
    doubt, evidence = named.doubt, list(named.evidence)
    phrased = _phrases(page, view, concerned)
    said = list(phrased.values())
    is_about, weight = False, 0.0
    is_open = bool(said or evidence) and _is_open(page, view, kind, named, concerned, phrased)
    if said or evidence:
        is_about = _is_about(page, view, kind, named)
        if is_about and kind is Turned.ERROR and len(said) > 1 and not shows_code(page):
            is_about = False  # a dump in the middle of a page
        if _is_table(page, view, kind):
            is_about, named = True, _Named()
            doubt, evidence = 1.0, []
        weight = _ABOUT if is_open else _weight_of(page, view, kind, named, phrased, is_about=is_about)
        said = said[:1] if weight == _ABOUT else said
        if evidence and (is_open or _is_doubtful(page, kind, named)):
            named.is_plain, doubt = False, 1.0 - (1.0 - doubt) / 2.0
    for _ in said:
        doubt *= 1.0 - weight * min(1.0, PROSE / view.prose)
    evidence += dict.fromkeys(f"text: {each}" for each in said)
    if built:
        # Structure alone says little: a contact page has a form, a forum a password field.
        is_telling = evidence and not (is_open or is_about)
        doubt *= 1.0 - (min(built, 0.7) if is_telling or built == ALL else built / 3.0)
        evidence.append("structure")
    if kind in view.marks:
        doubt *= 1.0 - _MARKED
        evidence.append(f"source: {view.marks[kind]}")
    if doubt >= 1.0:
        return None
    is_all = kind in view.marks or (named.is_plain and kind in _NAMED and view.prose < _CALLED)
    # The title may be the site's for all its pages; a heading is the page's own.
    is_all |= named.is_heading and kind is Turned.SOFT_404 and view.prose < _BARE
    if not is_all and not is_about and said and view.prose < _BARE and (named.is_plain or kind in _NAMED):
        is_all = is_bare(page.page.pieces, (regex(pattern.text) for pattern in concerned))
    return Signal(kind=kind, score=1.0 - doubt, evidence=tuple(evidence), is_all=is_all)


def _is_open(
    page: Profile, view: View, kind: Turned, named: "_Named", concerned: Sequence[Pattern], said: Mapping[str, str]
) -> bool:
    """Whether a page shows what a wall hides: a paragraph without a word of it, and nobody is kept from reading on.

    A banner asks for cookies above an article, and who wants to comment on one logs in. Beside a banner a few words
    under the page's own name are enough: opening hours. Or it is called what it tells about, at length, and nothing on
    it could be filled in: how one logs in elsewhere.
    """
    if kind not in _WALLS or any(map(phrases.HELD_BACK.search, said.values())):
        return False
    is_told = bool(named.evidence) and not named.says_no_more and view.prose >= _CALLED
    if kind is Turned.LOGIN_WALL and is_told and not page.page.passwords:
        return True
    if any(pattern.script for pattern in concerned):
        return False
    calling = frozenset[str]().union(*(pattern.triggers for pattern in concerned))
    if kind is Turned.CONSENT_WALL and not named.evidence and _says_under_name(page, view, calling) >= _UNDER_NAME:
        return True
    return any(
        len(words) >= _PARAGRAPH and calling.isdisjoint(words)
        for words in (piece.lower().split() for piece in page.page.pieces[:_PIECES])
    )


def _says_under_name(page: Profile, view: View, calling: frozenset[str]) -> int:
    """Words of the main text between the page's own name and the first one that calls for a closer look.

    The name mostly stands in a menu, too.
    """
    names = [heading for heading in view.headings.split("\n") if _is_own_name(page, view, heading)]
    if not names:
        return 0
    pieces = page.page.pieces[:_PIECES]
    below = (pieces[at + 1 :] for at, piece in enumerate(pieces) if piece.lower() == names[-1])
    return max((_words_up_to(calling, text, page.page.main) for text in below), default=0)


def _words_up_to(calling: frozenset[str], pieces: Sequence[str], main: str) -> int:
    count = 0
    for piece in pieces:
        if not calling.isdisjoint(words := words_of(piece)):
            break
        count += len(words) if piece in main else 0
    return count


def _is_table(page: Profile, view: View, kind: Turned) -> bool:
    """Whether a page lists numbers of errors, or names for sale: one that has its end to tell tells of itself."""
    if kind in _STATUSED:
        return len(set(_STATUS.findall(view.text))) >= _STATUSES
    if kind is not Turned.PARKED or view.marks:
        return False
    sold = set(_DOMAIN.findall(view.text))
    return len(sold) >= _DOMAINS and host_of(page.asked).removeprefix("www.") not in sold


def _is_about(page: Profile, view: View, kind: Turned, named: "_Named") -> bool:
    """Whether a page may speak of something without being it: it is called what its address says, or is plain text."""
    if page.page.kind == "text":
        return view.prose > _LINE
    if named.evidence:
        return False
    if named.is_asked or (view.is_named and view.prose > _NOTE):
        return True
    return kind in _SPOKEN_OF and _has_own_name(page, view)


def _has_own_name(page: Profile, view: View) -> bool:
    """Whether title and heading agree on what a page is called, and it is not its site that is called so.

    A site's name leads to its front page, is that of its host, or stands above a heading of the page's own.
    """
    return len(page.page.headings) == 1 and _is_own_name(page, view, view.headings)


def _is_own_name(page: Profile, view: View, heading: str) -> bool:
    heading, host = heading.strip(), host_of(page.asked)
    if not heading or _DOMAIN.search(heading) or heading not in map(str.strip, PARTS.split(view.title)):
        return False
    if all(word in host for word in heading.split()):
        return False
    return not any(link.text.strip().lower() == heading and is_front(link.url) for link in page.page.links[:_PIECES])


def _is_doubtful(page: Profile, kind: Turned, named: "_Named") -> bool:
    """Whether a page of a site is rather called so than that it is so."""
    if kind in _STATUSED and shows_code(page):
        return True
    if kind is Turned.LOGIN_WALL and _only_offers(page, named.evidence):
        return True
    return kind in _UNFRAMED and not named.says_no_more and is_framed(page)


def _weight_of(
    page: Profile, view: View, kind: Turned, named: "_Named", said: Mapping[str, str], *, is_about: bool
) -> float:
    """How sure each phrase in the text is, by what the page is like besides."""
    if kind is Turned.LOGIN_WALL and view.prose < _CALLED and any(map(phrases.HELD_BACK.search, said.values())):
        return _HELD
    if is_about or (kind is Turned.LOGIN_WALL and _only_offers(page, said)):
        return _ABOUT
    if kind is Turned.ERROR and shows_code(page):
        return _SHOWN
    if kind is Turned.LOGIN_WALL and not named.evidence and not page.page.passwords:
        return _OFFERED
    if kind in _UNFRAMED and is_framed(page):
        is_lone = not named.says_no_more if named.evidence else len(said) == 1
    else:
        is_lone = kind is Turned.SPAM and not named.evidence and len(said) < _SAID
    return _LONE if is_lone else _SAYING


def _only_offers(page: Profile, told: Iterable[str]) -> bool:
    """Whether nothing but what any page may offer speaks of a login."""
    return not page.page.passwords and all(map(phrases.OFFERED.search, told))


@dataclass(slots=True)
class _Named:
    """What title and headings say of one kind."""

    doubt: float = 1.0
    evidence: list[str] = field(default_factory=list)
    is_plain: bool = False  # and nothing else: the title, or a heading below none
    says_no_more: bool = False  # the same, whatever else the title says
    is_heading: bool = False  # a heading says it, and not a word besides
    is_asked: bool = False  # the address speaks of it, too


def _named(view: View, kind: Turned, concerned: Sequence[Pattern]) -> _Named:
    """A page may be called "Maintenance" or "Log in" and be about it; the more it says besides, the likelier."""
    told = _Named()
    titled = min(1.0, 2 * PROSE / view.prose)
    weights = (_SURE, 0.6) if kind in TELLING else (0.55, 0.45 if view.title else 0.55)
    for place, searched, weight in zip(("title", "heading"), (view.title, view.headings), weights, strict=True):
        found = next((found for pattern in concerned for found in found_in(searched, regex(pattern.title))), None)
        if found is None:
            continue
        part = part_around(searched, found)
        if _is_asked_for(part, found, view.names, concerned):
            told.is_asked = True
            continue
        more = besides(part, found)
        is_plain = more <= (1 if kind is Turned.ERROR else PLAIN)
        if more and _NUMBER.fullmatch(found[0]) and (more > _RATHER or not says(part, _ERRORS)):
            weight, is_plain = weight * _NUMBERED, False
        if more > PLAIN and part.rstrip().endswith(("?", "？")):
            if part.strip() in view.headings and part.strip() in view.title:
                told.is_asked = True  # that is what the page is about
                continue
            weight *= _NUMBERED  # somebody asks about it
        if kind not in TELLING:
            sure = kind in _NAMED and is_plain
            weight = _SURE if sure else weight * (_AMONG if more > _RATHER else 1.0)
        # The heading mostly repeats the title: what a page may be about does not count twice.
        told.doubt *= 1.0 - weight * titled if kind in TELLING or not told.evidence else 1.0
        told.is_plain |= is_plain and (place == "title" or not view.title)
        told.says_no_more |= is_plain
        told.is_heading |= place == "heading" and not more
        told.evidence.append(f"{place}: {_around(searched, found)}")
    return told


def _is_asked_for(part: str, found: re.Match[str], names: frozenset[str], concerned: Sequence[Pattern]) -> bool:
    """Whether a title speaks of what the address does: besides the phrase, or by the word that called for it."""
    if not names:
        return False
    called = {name for name in names if name.isdecimal() or any(name in pattern.triggers for pattern in concerned)}
    told = " ".join(run for run in part.split() if "/" not in run)  # an error may repeat the address
    return says(found.re.sub(" ", told), names) or says(found[0], called)


def _phrases(page: Profile, view: View, concerned: Sequence[Pattern]) -> dict[str, str]:
    """What the text says of one kind, each phrase once, with what stands around it; no more of them than count.

    Where a page is called what its address speaks of, not what it is called.
    """
    called = f"{view.title}\n{view.headings}" if view.is_named else ""
    if view.prose > LONG:
        return {}
    said: dict[str, str] = {}
    for pattern in concerned:
        # No pattern reaches over the end of a sentence, so only sentences with a word that calls for it are searched.
        is_spoken = pattern.script or page.page.language[:2] in pattern.languages
        searched = view.text if is_spoken else ". ".join(_called(page, pattern))
        for found in found_in(searched, regex(pattern.text)):
            if found[0].strip() not in called and not _SUPPOSED.search(
                searched, max(0, found.start() - 60), found.start()
            ):
                said.setdefault(found[0], _around(searched, found))
            if len(said) == _SAID:
                return said
    return said


def _called(page: Profile, pattern: Pattern) -> Iterator[str]:
    return (sentence for sentence, words in sentences_of(page) if not pattern.triggers.isdisjoint(words))


def _around(text: str, found: re.Match[str]) -> str:
    """What was found with whole words of its line around it, for people."""
    before, after = text[: found.start()].rpartition("\n")[2], text[found.end() :].partition("\n")[0]
    start = before.rfind(" ", 0, max(0, len(before) - 20)) + 1
    end = after.find(" ", 20)
    return " ".join((before[start:] + found[0] + after[: end if end >= 0 else len(after)]).split())
