"""What a link means where it stands: a page of the web, a file beside the document, or neither.

A relative link of a document is a file, never a host: ``guide.md`` is not the site guide.md. Paths and values in,
values out; whether a file is there is asked elsewhere.
"""

import posixpath
import re
from urllib.parse import unquote, urljoin

from afresh.base.errors import UsageError
from afresh.base.records.links import LinkRef
from afresh.base.value_class import dataclass

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # of two letters and more: one is a drive
#: Filled in by a template, a shell or a Makefile.
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{|<%|\{[A-Za-z_][\w.-]*\}|^\$\(?[A-Za-z_]\w*\)?(?:/|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a document stands, and with it its relative links."""

    name: str  # as it was given; empty: standard input
    root: str | None = None  # the folder that "/" means; None: nobody said
    base: str = ""  # the address of a site that relative links belong to; empty: they are files


@dataclass(frozen=True, slots=True)
class WebPage:
    """An address to ask for."""

    url: str  # without fragment
    fragment: str = ""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file or folder of this machine."""

    path: str
    fragment: str = ""
    endings: tuple[str, ...] = ()  # that its name may lack


@dataclass(frozen=True, slots=True)
class NotAsked:
    """A link nobody can be asked about: mail, telephone, a template, …"""

    why: str
    scheme: str = ""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A link that leads nowhere as it is written."""

    why: str


Target = WebPage | LocalFile | NotAsked | Unresolved


def resolve(target: str, place: Place, *, base: str = "") -> Target:
    """What the link means; ``base`` is the document's own (``<base href>``).

    >>> here = Place(name="docs/howto/a.md")
    >>> resolve("../b.md#c", here), resolve("x.md", here, base="https://example.org/y/")
    (LocalFile(path='docs/b.md', fragment='c', endings=()), WebPage(url='https://example.org/y/x.md', fragment=''))
    """
    text = target.strip()
    if _TEMPLATE.search(text):
        return NotAsked("to be filled in later")
    if text.startswith("//"):
        return _page("https:" + text)
    if (scheme := _SCHEME.match(text)) is not None:
        return with_scheme(text, scheme[1].lower())
    base = _joined(place.base, base) or base
    path, _, fragment = text.partition("#")
    if not path and not base:
        return LocalFile(place.name, fragment) if place.name else NotAsked("within standard input")
    if _SCHEME.match(base) or base.startswith("//"):
        return _page(_joined(base, text))
    return _file(path.partition("?")[0], fragment, place, base)


def with_scheme(text: str, scheme: str) -> Target:
    """What an address means that names its scheme."""
    if scheme in ("http", "https"):
        return _page(text)
    if scheme == "file":
        path, _, fragment = text.partition(":")[2].partition("#")
        return LocalFile(unquote("/" + path.lstrip("/") if path.startswith("/") else path), fragment)
    return NotAsked(f"only http and https are asked, not {scheme}", scheme)


def _page(url: str) -> WebPage:
    address, _, fragment = url.partition("#")
    return WebPage(address, fragment)


def _file(path: str, fragment: str, place: Place, base: str) -> Target:
    written = unquote(path)
    if "\0" in written:
        return Unresolved("no file has such a name")
    if not written.startswith("/"):
        folder = posixpath.join(posixpath.dirname(place.name), base)
        return LocalFile(posixpath.normpath(posixpath.join(folder, written)), fragment)
    if place.root is None:
        return NotAsked("from / without --root-dir")
    return LocalFile(posixpath.normpath(posixpath.join(place.root, written.lstrip("/"))), fragment)


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:  # "http://[", which no browser follows either
        return target


def check_base(url: str) -> str:
    """The address of a site, as somebody gives it; raises UsageError."""
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"not the address of a site: {url!r}; write it like https://example.org/docs/")
    return url


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One link to be checked; several may lead to the same page."""

    link: LinkRef  # its address complete, or the path of a file; with name, folder and tags where a list gives them
    target: Target
    file: str = ""  # empty: given by itself; "-": standard input
    column: int = 0  # 0: unknown
    start: int = -1  # of what is written for the target, in characters of the file; -1: it cannot be replaced
    end: int = -1
    is_listed: bool = False  # by somebody who wants it checked, not mentioned in a document

    @property
    def url(self) -> str:
        return self.link.url


def listed(link: LinkRef, *, file: str = "") -> Occurrence:
    """A link that somebody named, on the command line or in a list."""
    address, _, fragment = link.url.partition("#")
    return Occurrence(link=link, target=WebPage(address, fragment), file=file, is_listed=True)
