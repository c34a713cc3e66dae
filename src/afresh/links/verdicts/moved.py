"""Where a page has moved to: what it says itself, and what else points there.  [M03] §2.3.2.3."""

import re
from collections.abc import Iterable, Iterator, Sequence

from afresh.base.value_class import dataclass
from afresh.links.measures.profile import Profile
from afresh.links.measures.url import host_of, is_front, spoken_of
from afresh.links.verdicts.blocks import Block, blocks_of

_SHORT = 120  # words: a moved notice is a small page
_READ = 4_000  # characters: a page of few words may still be long
FRAMED = 0.5  # confidence in a notice that is the least part of its page
_SOON = 30.0  # seconds: a refresh that comes later is a slide show
_NOTICE_HERE = (
    r"(?:page|site|website|document|content|we|blog|project|homepage)\b[^.!?]{0,60}(?:ha(?:s|ve)|is|are|was|now)\b[^.!?]{0,30}"
    r"(?:\bmoved|relocated|(?:found|located|live|available) (?:at|on|under)|new (?:home|address|location|url))"
    r"|moved permanently|new (?:web ?site|address|location|home|url)\b[^.!?:]{0,30}"
    r"(?::|\bat\b|\bis (?:now )?(?:at|here|found|located|live|online|https?:|www\.|[\w-]+\.[a-z]{2,}))"
    r"|update your bookmarks?|you (?:are being|will be|should be) (?:automatically )?redirected|redirecting"
    r"|neue (?:adresse|webseite|homepage)|umgezogen|weitergeleitet|nouvelle adresse|a déménagé|a été déplacée?|redirigé"
    r"|nueva dirección|se ha (?:movido|mudado|trasladado)|nuovo indirizzo|si è (?:spostat|trasferit)[oa]"
    r"|novo endereço|mudou(?:-se)? (?:de endereço|para)|nieuwe? (?:web)?adres|verhuisd|ny adress|har flyttat"
    r"|ny adresse|er flyttet|har flyttet|uusi osoite|on muuttanut|nowy adres|został[ao]? przeniesion"
    r"|nov[áé] adres[ay]|přestěhoval|új cím|elköltöz|adresă nouă|s-a mutat|yeni adres|taşındı|νέα διεύθυνση"
    r"|нов(?:ый|ом) адрес|переехал|нова адреса|переїха"
    r"|移転しました|引っ越しました|新しい(?:url|アドレス)|已(?:经)?(?:搬|迁)|新网址|이전했습니다"
)
#: The same in languages that have more to say: that we have moved, where a page is now, where to find us from now on.
_NOTICE_ABROAD = (
    # French
    r"nous avons (?:déménagé|changé d['’](?:adresse|hébergeur))|mettre à jour vo(?:s|tre) (?:favoris?|signets?|marque)"
    r"|(?:page|site|blog|document|contenu|article)\b[^.!?]{0,40}(?:a changé d['’](?:adresse|url)"
    r"|(?:se (?:trouve|situe)|est) (?:désormais|maintenant|dorénavant|à présent)"
    r" (?:disponible |accessible |consultable )?(?:ici\b|à (?:l['’]|cette )adresse|(?:sur|à) (?:https?:|www\.)))"
    r"|(?:nous (?:re)?trouverez|retrouvez[ -]nous) (?:désormais|maintenant|dorénavant)"
    r" (?:à (?:l['’]|cette )adresse|sur (?:https?:|www\.|(?:notre|le) nouveau))"
    # Spanish
    r"|nos hemos (?:mudado|trasladado)|hemos cambiado de (?:dirección|dominio|url)|ha cambiado de (?:dominio|url)"
    r"|(?:página|sitio|web|blog|documento|contenido)\b[^.!?]{0,40}(?:ha sido (?:movid|trasladad)[oa]"
    r"|ha cambiado de dirección|(?:(?:está|se encuentra) ahora|ahora (?:está|se encuentra))"
    r" (?:disponible )?(?:aquí|en (?:https?:|www\.|(?:la|esta) (?:siguiente )?dirección)))"
    r"|(?:ahora|adelante) nos (?:encontrar[áé]\w*|encuentras?) en"
    r" (?:https?:|www\.|(?:la|esta) (?:siguiente )?dirección)"
    r"|actuali[cz]\w+ (?:sus?|tus?) (?:marcador|favorito)"
    # Italian
    r"|ci siamo (?:trasferiti|spostati)|abbiamo cambiato (?:indirizzo|dominio)"
    r"|(?:pagina|sito|blog|documento|contenuto)\b[^.!?]{0,40}(?:ha cambiato indirizzo"
    r"|è stat[oa] (?:spostat|trasferit)[oa]"
    r"|(?:si trova (?:ora|adesso)|(?:ora|adesso) si trova|è ora disponibile)"
    r" (?:qui\b|a(?:ll['’]| questo )indirizzo|su (?:https?:|www\.)))"
    r"|(?:ci trov\w+ (?:ora|adesso|d['’]ora in poi)|d['’]ora in poi ci trov\w+)"
    r" (?:all['’]indirizzo|su (?:https?:|www\.))"
    r"|aggiorn\w+ i (?:tuoi |vostri |suoi )?(?:segnalibri|preferiti)"
    # Dutch
    r"|(?:pagina|site|website|blog|document|artikel)\b[^.!?]{0,40}(?:verplaatst naar|van (?:web)?adres veranderd"
    r"|(?:staat|is) (?:nu|voortaan|vanaf nu)"
    r" (?:hier|(?:te vinden )?(?:op|onder) (?:https?:|www\.|(?:dit|het) (?:volgende )?adres)))"
    r"|vind(?:t|en)? (?:u |je |jullie )?ons (?:nu|voortaan|vanaf nu) (?:op|onder)"
    r" (?:https?:|www\.|(?:dit|het) (?:volgende )?adres)"
    r"|(?:uw|je|jouw) (?:bladwijzers?|favorieten) (?:aan|bij)"
    # Polish
    r"|(?:przenieśliśmy|przeprowadziliśmy) się|zmieniliśmy adres"
    r"|(?:stron|witryn|blog|serwis|artykuł)\w*\b[^.!?]{0,40}(?:zmienił[ao]? adres"
    r"|(?:(?:znajduje się|dostępn[aey] jest|jest dostępn[aey]) (?:teraz|obecnie)|(?:teraz|obecnie) znajduje się)"
    r" (?:tutaj|(?:pod|na) (?:adresem|https?:|www\.)))"
    r"|znajdzie(?:cie|sz) nas (?:teraz|odtąd|obecnie) pod|zaktualizuj\w* (?:swoje )?zakładki"
)
_NOTICE = re.compile(f"{_NOTICE_HERE}|{_NOTICE_ABROAD}")
#: What is still to come has not moved.
_NOT_YET = re.compile(
    r"coming soon|on its way|stay tuned|under construction|launch(?:es|ing)"
    r"|will (?:soon )?(?:be (?:live|online|ready)|open)"
    r"|in kürze|demnächst|im aufbau|entsteht|bientôt|en construction|próximamente|em breve|in arrivo|binnenkort|wkrótce"
    r"|kommer snart|kommt bald|скоро"
)
_ADDRESS = re.compile(r"https?://[^\s<>\"'()]+[^\s<>\"'().,;:!?]")
_AWAY_ABROAD = "déplac|movid|traslad|spostat|trasferit|verplaatst|przeniesion"
_GONE_ABROAD = "supprim|renomm|effac|elimin|borrad|renombr|rimoss|cancellat|rinominat|verwijder|usunięt"
#: What may have happened to a page is no address.
_PERHAPS = re.compile(
    r"\bmoved(?: permanently)?(?:,| or\b| and\b|/)[^.!?]{0,30}"
    r"\b(?:remov|delet|renam|gone|no longer|expire|taken|never|withdraw)"
    r"|(?:remov|delet|renam)\w*(?:,[^.!?]{0,20})? or (?:\w+ ){0,2}moved|(?:may|might|could) (?:have )?(?:been )?\bmoved"
    rf"|(?:{_AWAY_ABROAD})\w*(?:,| (?:ou|o|of|lub|albo)\b)[^.!?]{{0,30}}\b(?:{_GONE_ABROAD})"
    rf"|(?:{_GONE_ABROAD})\w*(?:,[^.!?]{{0,20}})? (?:ou|o|of|lub|albo) (?:\w+ ){{0,2}}(?:{_AWAY_ABROAD})"
)
_WEB = ("http://", "https://")
_NEXT, _FEW = 2, 2  # blocks behind a notice that may have its link; links of such a block at most
_LIKE = 85.0  # titles from this likeness on, in percent, may be the same page's
#: What stands between the title of a page and the name of its site.
_BETWEEN = re.compile(r"\s+[|\u2013\u2014\u00b7\u2022\u00ab\u00bb/:-]+\s+|:\s+|\s*\|\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A new address, how it is known, and how sure that is."""

    url: str
    because: str  # "meta refresh", "script", "notice", "permanent redirect", "canonical link", "same title" …
    confidence: float


def moved_notice(page: Profile) -> Move | None:
    """The new address a page gives instead of its content, if it is such a page; worked out once for a profile.

    It is what the page says, and no more: error pages, landers of parked domains and bot checks say it too.
    """
    if "moved" not in page.notes:
        page.notes["moved"] = _read_notice(page)
    known: Move | None = page.notes["moved"]
    return known


def _read_notice(page: Profile) -> Move | None:
    told = page.page
    if not told.refresh and told.text.count(" ") >= 4 * _SHORT:
        return _framed_notice(page)  # its words need not be counted
    words = len(page.words)
    if told.refresh and told.refresh_delay <= _SOON:
        return Move(url=told.refresh, because="meta refresh", confidence=0.95 if words < 4 * _SHORT else 0.7)
    if _moved_words(page) and (target := _target(page)):
        return Move(url=target, because="notice", confidence=0.9 if len(told.links) <= 3 else 0.6)
    if told.script_target and words < 40 and told.script_target != told.url:
        return Move(url=told.script_target, because="script", confidence=0.8)
    return _framed_notice(page) if words >= _SHORT else None


def _framed_notice(page: Profile) -> Move | None:
    """The notice of a page whose menu, teasers and foot are most of its words: only what is its own has to be small."""
    if page.page.flattened or page.page.kind != "html" or page.page.main.count(" ") >= 2 * _SHORT:
        return None
    if _NOTICE.search(page.page.text.lower()) is None:  # the main text lacks what is linked
        return None
    own = [block for block in blocks_of(page) if not block.is_frame and block.linked < block.words]
    if sum(block.words for block in own) >= _SHORT or not _says_moved(". ".join(block.text for block in own)):
        return None
    target = _target(page)
    return Move(url=target, because="notice", confidence=FRAMED) if target else None


def says_that_it_moved(page: Profile) -> bool:
    """Whether a small page says in words that it has moved, and not that it perhaps has, as pages of lost ones do."""
    return bool(_moved_words(page))


def _moved_words(page: Profile) -> str:
    if len(page.words) >= _SHORT:
        return ""
    return _says_moved(f"{page.page.title}. {page.page.text[:_READ]}")


def _says_moved(text: str) -> str:
    """The words of a text which say that a page has moved; empty: there are none, or it only may have, or will."""
    said = text.lower()
    found = None if _PERHAPS.search(said) else _NOTICE.search(said)
    return "" if found is None or _NOT_YET.search(said) else found[0]


def move_candidates(
    old: Profile,
    new: Profile | None = None,
    *,
    redirects: Sequence[tuple[int, str]] = (),
    known: Iterable[tuple[str, str]] = (),
) -> tuple[Move, ...]:
    """Addresses where the old version's content may be now, the likeliest first.

    ``redirects`` are status and target of each hop; ``known`` are address and title (or link text) of other pages,
    say those the site's home page links to.
    """
    found: dict[str, Move] = {}
    permanent = [url for status, url in redirects if status in (301, 308)]
    if permanent and len(permanent) == len(redirects):
        _keep(found, Move(url=permanent[-1], because="permanent redirect", confidence=0.9), old)
    if new is not None:
        if notice := moved_notice(new):
            _keep(found, notice, old)
        if new.page.canonical:
            _keep(found, Move(url=new.page.canonical, because="canonical link", confidence=0.5), old)
    for move in _alike(old, known):
        _keep(found, move, old)
    return tuple(sorted(found.values(), key=lambda move: (-move.confidence, move.url)))


def _alike(old: Profile, known: Iterable[tuple[str, str]]) -> Iterator[Move]:
    """Pages whose name, or that of their address, is like the old one's; of the front page that says nothing."""
    from rapidfuzz import fuzz  # noqa: PLC0415 (few pages are looked for elsewhere)

    names, spoken = _names_of(old), spoken_of(old.page.url)
    for url, text in known:
        if is_front(url):
            continue
        for name, because, weight in names if text else ():
            if (ratio := float(fuzz.token_sort_ratio(name, text.lower()))) >= _LIKE:
                yield Move(url=url, because=because, confidence=weight * ratio / 100.0)
        if spoken and spoken_of(url) == spoken:
            yield Move(url=url, because="same name in the address", confidence=0.3)


def _names_of(old: Profile) -> list[tuple[str, str, float]]:
    """What links may call a page, how that is told, and how much it says: titles have the name of the site, too.

    >>> from afresh.base.page_text import PageText
    >>> [name for name, _, _ in _names_of(Profile(PageText(title="Mill | Walks", headings=("The mill", "Notes"))))]
    ['mill | walks', 'the mill', 'mill', 'walks']
    """
    title, heading = old.page.title.lower(), (*old.page.headings, "")[0].lower()
    parts = [part for part in _BETWEEN.split(title) if part and part != title]
    told = [(title, "same title", 0.4), (heading, "same heading", 0.38), *((p, "same title", 0.35) for p in parts)]
    return [item for item in told if item[0]]


def _keep(found: dict[str, Move], move: Move, old: Profile) -> None:
    if move.url.partition("#")[0] == old.page.url.partition("#")[0]:
        return
    if move.url not in found or found[move.url].confidence < move.confidence:
        found[move.url] = move


def _target(page: Profile) -> str:
    """The link a notice speaks of: in its own block, or in one of the next two; empty: there is none that near.

    The navigation is never meant, nor a list of links below the notice.
    """
    if page.page.flattened or page.page.kind != "html":
        return _written(page.page.text, page)
    blocks = [block for block in blocks_of(page) if not block.is_frame]
    for at, block in enumerate(blocks):
        if (found := _NOTICE.search(block.text.lower())) is None:
            continue
        if target := _linked(block, page, found[0]) or _written(block.text, page):
            return target
        for after in blocks[at + 1 : at + 1 + _NEXT]:
            if len(after.links) <= _FEW and (target := _linked(after, page) or _written(after.text, page)):
                return target
            if _NOTICE.search(after.text.lower()):
                break  # which speaks for itself
    return ""


def _linked(block: Block, page: Profile, notice: str = "") -> str:
    """The link of a block that leads away, at best one that the notice names."""
    links = [page.page.links[at] for at in block.links if at < len(page.page.links)]
    away = [link for link in links if link.url.startswith(_WEB) and not _is_own(link.url, page.page.url)]
    named = [link for link in away if link.text and link.text.lower() in notice]
    return next((link.url for link in (*named, *away)), "")


def _written(text: str, page: Profile) -> str:
    """An address that stands there without being a link."""
    found = _ADDRESS.search(text)
    return "" if found is None or _is_own(found[0], page.page.url) else found[0]


def _is_own(url: str, own: str) -> bool:
    """Whether a link leads but to the page itself, or to the front page that every page of the site leads to."""
    return url == own or (host_of(url) == host_of(own) and is_front(url))
