"""Measures that look at the addresses of two documents only.  [M03] §4.5.1."""

import re

from afresh.links.measures.profile import Profile
from afresh.links.measures.tokens import Tokens, sequence_similarity

_PARTS = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?"
)
#: Names of front pages, with any ending; and languages, below which front pages stand.
_FRONT = re.compile(
    r"(?:index|home|homepage|default|main|start|startseite|welcome|accueil|inicio|portal|[a-z]{2}(?:[-_][a-z]{2})?)"
    r"(?:\.\w{1,5})?"
)
_ENDING = re.compile(r"\.\w{1,5}\Z")
_ENCODED = re.compile(r"\w*%\w*")  # letters that are no ASCII: of such a name only the other words count
_LETTERS = re.compile(r"[^\W\d_]+")
_VERSION = re.compile(r"(?:/|\bv)(\d+(?:[.-]\d+)+)(?:\.html?)?\Z")
_STATUS = re.compile(r"(?<!\d)\d{3}(?!\d)")
#: What addresses call that which stands there, whatever it is.
_WORDS = """
    page pages article articles document documents file files item items product products post posts content listing
    listings entry entries event events profile profiles object objects story stories video videos topic topics thread
    threads site website link links view show detail details node news blog viewtopic showthread search
    seite seiten artikel beitrag beitraege dokument dokumente produkt produkte anzeige thema inhalt aktuelles
    fichier contenu annonce produit produits sujet actualite actualites pagina paginas articulo articulos noticia
    noticias contenido archivo producto productos documento artigo artigos conteudo arquivo produto produtos articolo
    articoli contenuto prodotto prodotti notizia notizie strona strony artykul stranka clanek oldal cikk sayfa haber
    sida sidan siden artikkel sivu artikkeli stranica clanak halaman trang berita
"""
_ANY = frozenset(_WORDS.split())
#: Pages that most sites have, whoever they belong to.
_USUAL_NAMES = """
    about aboutus contact contactus privacy privacypolicy terms termsofservice termsofuse legal cookies cookiepolicy
    disclaimer sitemap faq help support login signin signup register account search feed rss blog news shop cart
    impressum imprint kontakt datenschutz agb ueberuns suche hilfe anmelden apropos mentionslegales confidentialite
    acercade contacto contatti chisiamo sobre contato contatto privacidad privacidade
"""
_USUAL = frozenset(_USUAL_NAMES.split())
_BETWEEN = re.compile(r"[-_/.]+")
_PORTS = {"http": ":80", "https": ":443"}


def _split(url: str) -> tuple[str, str, Tokens, str, Tokens]:
    """Scheme, host, directories, file name and the parts of the query; the fragment is left out (§2.2.1.1)."""
    found = _PARTS.match(url)
    assert found is not None  # every part is optional
    scheme = (found["scheme"] or "").lower()
    folder, _, name = (found["path"] or "/").rpartition("/")
    query = tuple(part for part in re.split("[&;]", found["query"] or "") if part)
    # http and https are one protocol today: pages moved to TLS without becoming other pages.
    return (
        ("http" if scheme == "https" else scheme),
        _host(found),
        Tokens(tuple(p for p in folder.split("/") if p)),
        name,
        Tokens(query),
    )


def _host(found: re.Match[str]) -> str:
    host = (found["authority"] or "").rpartition("@")[2].lower()
    return host.removesuffix(_PORTS.get((found["scheme"] or "").lower(), "\0"))


def host_of(url: str) -> str:
    """The host of an address as it is compared: without user, usual port and capitals; empty where it has none."""
    found = _PARTS.match(url)
    assert found is not None  # every part is optional
    return _host(found)


def path_of(url: str) -> str:
    """Path and query of an address, without a slash at the end."""
    found = _PARTS.match(url)
    assert found is not None  # every part is optional
    return (found["path"] or "").rstrip("/") + (f"?{found['query']}" if found["query"] else "")


def is_front(url: str) -> bool:
    """Whether an address is that of a front page, in whatever language.

    >>> [is_front(f"http://a.example{path}") for path in ("", "/en/", "/index.html", "/a.html", "/?p=7")]
    [True, True, True, False, False]
    """
    return all(map(_FRONT.fullmatch, filter(None, path_of(url).lower().split("/"))))


def is_usual(url: str) -> bool:
    """Whether an address is one that most sites have: the front page, "about us", "contact", …

    >>> [is_usual(f"http://a.example{path}") for path in ("/", "/about-us.html", "/en/contact/", "/harbour", "/?p=7")]
    [True, True, True, False, False]
    """
    folder, _, name = path_of(url).lower().rpartition("/")
    return is_front(url) or (is_front(folder) and _BETWEEN.sub("", _ENDING.sub("", name)) in _USUAL)


def names_a_page(url: str) -> bool:
    """Whether an address is that of one page among others: below a folder, with a number, or with a name of words.

    Others, say ``/news`` or ``/?from=letter``, may well be other names of the front page.

    >>> [names_a_page(f"http://a.example{path}") for path in ("/en/", "/news", "/?p=7", "/p?id=7", "/a/b", "/old-wall")]
    [False, False, False, True, True, True]
    """
    path, _, query = path_of(url).partition("?")
    parts = [part for part in path.split("/") if part and not _FRONT.fullmatch(part.lower())]
    if len(parts) != 1:
        return len(parts) > 1
    return any(map(str.isdigit, parts[0] + query)) or len(_name_words(parts[0])) > 1


def name_words(url: str) -> list[str]:
    """The words that the last part of an address is made of, if it is made of words.

    >>> name_words("http://a.example/2019/the-old-harbour.html"), name_words("http://a.example/?p=7")
    (['harbour'], [])
    """
    found = _PARTS.match(url)
    assert found is not None  # every part is optional
    return [word for word in _name_words((found["path"] or "").rstrip("/").rpartition("/")[2]) if len(word) > 3]


def spoken_of(url: str) -> frozenset[str]:
    """What an address speaks of: the words of its last part that names something, and numbers of three digits.

    Not what any address has: "page", "article" and the like, which also those say that are none.

    >>> sorted(spoken_of("http://a.example/cars/peugeot-404.html")), sorted(spoken_of("http://a.example/page/12"))
    (['404', 'peugeot'], [])
    """
    path = path_of(url).partition("?")[0].lower()
    parts = [part for part in path.split("/") if part and not _FRONT.fullmatch(part)]
    if not parts:
        return frozenset()
    named = _ENCODED.sub(" ", _ENDING.sub("", parts[-1]))
    words = (word for word in _LETTERS.findall(named) if len(word) > 3 and word not in _ANY)
    return frozenset((*words, *_STATUS.findall(named)))


def version_in(url: str) -> str:
    """The version that the last part of an address is: that of a release, or a date; empty: it is none.

    >>> version_in("http://a.example/releases/v4.0.4"), version_in("http://a.example/page/404")
    ('4.0.4', '')
    """
    found = _VERSION.search(path_of(url).partition("?")[0].lower())
    return found[1] if found else ""


def _name_words(part: str) -> list[str]:
    return _LETTERS.findall(_ENCODED.sub(" ", _ENDING.sub("", part)).lower())


def url_measure(a: Profile, b: Profile) -> float:
    """0.3 host + 0.3 file + 0.4 path; 0 if the protocols differ.  [M03] eq. 4.1, parentheses as in the errata."""
    scheme_a, host_a, path_a, file_a, _ = _split(a.page.url)
    scheme_b, host_b, path_b, file_b, _ = _split(b.page.url)
    if scheme_a != scheme_b:
        return 0.0
    return 0.3 * (host_a == host_b) + 0.3 * (file_a == file_b) + 0.4 * sequence_similarity(path_a, path_b)


def url_query_measure(a: Profile, b: Profile) -> float:
    """0.25 host + 0.25 file + 0.3 path + 0.2 query; 0 if the protocols differ.  [M03] eq. 4.2."""
    scheme_a, host_a, path_a, file_a, query_a = _split(a.page.url)
    scheme_b, host_b, path_b, file_b, query_b = _split(b.page.url)
    if scheme_a != scheme_b:
        return 0.0
    near = 0.25 * (host_a == host_b) + 0.25 * (file_a == file_b)
    return near + 0.3 * sequence_similarity(path_a, path_b) + 0.2 * sequence_similarity(query_a, query_b)


def url_query_only_measure(a: Profile, b: Profile) -> float:
    """Only the parts of the query.  [M03] eq. 4.3; two addresses without one are the same."""
    return sequence_similarity(_split(a.page.url)[4], _split(b.page.url)[4])
