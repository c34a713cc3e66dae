"""URLs in their one canonical form, and the site each belongs to.

URLs are read the way browsers read them (WHATWG, by ada-url). The site is the unit of politeness: a host, a
registrable domain, or a named service that runs many hosts on the same machines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from ada_url import URL

from afresh.base.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

    from afresh.base.settings.sections import PolitenessSettings


MAX_URL = 4_000
_MOST_WRITTEN = 4 * MAX_URL  # as somebody wrote it: spaces and line ends within are no part of it

Services = Mapping[str, tuple[str, ...]]

#: Services whose many hosts are one crowd of machines: name to host suffixes.
DEFAULT_SERVICES: Services = {
    "blogger": ("blogspot.com", "blogger.com", "blogspot.de", "blogspot.co.uk", "blogspot.fr", "blogspot.jp"),
    "bluesky": ("bsky.app", "bsky.social"),
    "feedburner": ("feeds.feedburner.com", "feedburner.com", "feeds2.feedburner.com", "feedproxy.google.com"),
    "ghost": ("ghost.io",),
    "github": ("github.com", "github.io", "githubusercontent.com", "gist.github.com"),
    "gitlab": ("gitlab.com", "gitlab.io"),
    "libsyn": ("libsyn.com", "libsynpro.com"),
    "livejournal": ("livejournal.com",),
    "medium": ("medium.com",),
    "reddit": ("reddit.com", "redd.it"),
    "soundcloud": ("soundcloud.com",),
    "squarespace": ("squarespace.com",),
    "substack": ("substack.com",),
    "tumblr": ("tumblr.com",),
    "typepad": ("typepad.com", "blogs.com"),
    "vimeo": ("vimeo.com",),
    "wikimedia": ("wikipedia.org", "wikimedia.org", "wikidata.org", "wiktionary.org"),
    "wordpress": ("wordpress.com", "wp.com"),
    "youtube": ("youtube.com", "youtu.be", "youtube-nocookie.com"),
}

#: URLs that are already what the WHATWG parser would make of them, and whose host is plainly a name: most of those in
#: the store. Anything else (numbers for hosts, punycode, dots that start a segment, escapes in a path) goes to ada.
#: What one part takes no other could: nothing is tried twice.
_REST = r"(?::([1-9][0-9]{3,4}+))?+(?:/(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+)?+)++(?:\?[A-Za-z0-9_.~=&/+,;:-]*+)?+"
_PLAIN = re.compile(rf"(https?+)://((?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)*+[a-z][a-z0-9]*+){_REST}", re.ASCII)
#: The same of an address in four numbers. Whoever judges hosts has to see those, so they are no plain ones.
_NUMBER = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_NUMBERED = re.compile(rf"(https?)://({_NUMBER}(?:\.{_NUMBER}){{3}}){_REST}", re.ASCII)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_HOST_PORT = re.compile(r"[\w.-]+:\d{1,5}(?:[/?#]|\Z)")
# How ada writes the start of a URL, scheme to port; what follows is of no interest for the site.
_CANONICAL = re.compile(r"https?://(\[[0-9a-f:.]+\]|[^/?#:@]+)(?::(\d+))?")
_SESSION_NAMES = r"(?:PHPSESSID|ASPSESSIONID\w*|ASP\.NET_SessionId|jsessionid|sessionid|session_id|sessid|sid)"
_SESSION_PARAMETER = re.compile(rf"(?<=[?&]){_SESSION_NAMES}=[^&#]*&?", re.IGNORECASE)
_SESSION_PATH = re.compile(rf";{_SESSION_NAMES}=[^/?#;]*", re.IGNORECASE)


_RECENT = 8_192  # URLs whose reading is remembered: one is read more than once on its way


#: Scheme, host and port; None: the scheme's own.
Parts = tuple[str, str, str | None]


class Scope(StrEnum):
    """What counts as one site."""

    HOST = "host"
    DOMAIN = "domain"  # the registrable domain: everything below example.co.uk
    SERVICE = "service"  # a named service, else the host


@lru_cache(maxsize=_RECENT)
def canonical(url: str) -> str:
    """The URL as browsers would ask for it, without fragment; UsageError says what is wrong with it.

    >>> canonical("Example.ORG:443/a/../feed#top"), canonical("feed://example.org/rss")
    ('https://example.org/feed', 'http://example.org/rss')
    """
    if len(url) <= MAX_URL and told_parts(url) is not None:
        return url
    if len(url) > _MOST_WRITTEN:
        raise _too_long(url, len(url))
    text = _with_scheme(url)
    try:
        parsed = URL(text)
    except ValueError:
        raise UsageError(f"not a URL: {_shown(url)}; write it like https://example.org/feed") from None
    href: str = parsed.href
    if not parsed.hostname.strip("."):
        raise UsageError(f"not a URL: {_shown(url)} names no host; write it like https://example.org/feed")
    if ".." in parsed.hostname or parsed.hostname.startswith("."):
        raise UsageError(f"{parsed.hostname!r} is no name of a host")
    if len(href) > MAX_URL:
        raise _too_long(url, len(href))
    if not href.startswith(("http://", "https://")):
        raise UsageError(f"cannot ask for {_shown(url)}: only http and https are fetched")
    if parsed.username or parsed.password:
        raise UsageError(
            f"{_shown(url)} contains a user name or password: leave them out, and put"
            " them into the setting fetch.passwords, which sends them to that host alone"
        )
    return href.partition("#")[0]


def plain_parts(url: str) -> Parts | None:
    """Scheme, host and port of a URL that a browser would leave as it is; None: it takes a parser to tell.

    >>> plain_parts("http://example.org:8080/feed"), plain_parts("http://0x7f.1/")
    (('http', 'example.org', '8080'), None)
    """
    return _parts(_PLAIN.fullmatch(url))


@lru_cache(maxsize=_RECENT)
def told_parts(url: str) -> Parts | None:
    """The same where the host may also be an address in four numbers, which is to be judged.

    >>> told_parts("http://127.0.0.1:8080/feed"), told_parts("http://example.org/"), told_parts("http://0x7f.1/")
    (('http', '127.0.0.1', '8080'), ('http', 'example.org', None), None)
    """
    return plain_parts(url) or _parts(_NUMBERED.fullmatch(url))


def _parts(match: re.Match[str] | None) -> Parts | None:
    if match is None:
        return None
    scheme, host, port = match.groups()
    return None if port and int(port) > 65_535 else (scheme, host, port)


def sitemap_address(url: str) -> str:
    """The sitemap a person means, canonical: a bare site means what its robots.txt names.

    >>> sitemap_address("example.org"), sitemap_address("https://example.org/map.xml.gz")
    ('https://example.org/robots.txt', 'https://example.org/map.xml.gz')
    """
    plain = canonical(url)
    return f"{plain}robots.txt" if plain.count("/") == 3 and plain.endswith("/") else plain


def strip_session_ids(url: str) -> str:
    """The URL without session identifiers, which make one document look like many (Reichert §3.4.4).

    The thesis drops such URLs; we keep what remains.

    >>> strip_session_ids("https://example.org/a;jsessionid=1A?x=1&PHPSESSID=abc")
    'https://example.org/a?x=1'
    """
    lowered = url.lower()
    if "sess" not in lowered and "sid=" not in lowered:
        return url
    stripped = _SESSION_PARAMETER.sub("", _SESSION_PATH.sub("", url))
    if stripped == url:
        return url
    path, mark, query = stripped.partition("?")
    query = query.strip("&")
    return path + mark + query if query else path


def kept_url(url: str) -> str:
    """The form under which a URL is kept and found again: canonical, without session identifiers.

    >>> kept_url("Example.org/a;jsessionid=1A#top")
    'https://example.org/a'
    """
    return strip_session_ids(canonical(url))


def is_bare(url: str) -> bool:
    """Whether it names a site and nothing on it.

    >>> is_bare("example.org"), is_bare("https://example.org/"), is_bare("https://example.org/feed.xml")
    (True, True, False)
    """
    parsed = URL(kept_url(url))
    return parsed.pathname in ("", "/") and not parsed.search


def names_scheme(url: str) -> bool:
    """Whether somebody has written which one is meant, and https is no guess.

    >>> names_scheme("http://example.org"), names_scheme("feed://example.org"), names_scheme("example.org:8200")
    (True, True, False)
    """
    return url.strip().lower().startswith(("http:", "https:", "feed:"))


def kept_link(url: str) -> str:
    """The same of a link, which may be that of a part of a page.

    >>> kept_link("Example.org/a;jsessionid=1A#two words"), kept_link("https://example.org/a#")
    ('https://example.org/a#two%20words', 'https://example.org/a')
    """
    kept, part = kept_url(url), part_of(url).strip()
    if not part:
        return kept
    whole: str = URL(f"{kept}#{part}").href
    if len(whole) > MAX_URL:
        raise _too_long(url, len(whole))
    return whole.removesuffix("#")


def page_of(url: str) -> str:
    """The address that a server is asked for: without the part of the page.

    >>> page_of("https://example.org/a#top"), part_of("https://example.org/a#top")
    ('https://example.org/a', 'top')
    """
    return url.partition("#")[0]


def part_of(url: str) -> str:
    """What stands behind ``#``; empty: the whole page is meant."""
    return url.partition("#")[2]


def with_part(new: str, old: str) -> str:
    """A new address with the part of the page that the old one named.

    >>> with_part("https://example.org/new", "http://example.org/old#part")
    'https://example.org/new#part'
    """
    part = part_of(old)
    return f"{new}#{part}" if part and "#" not in new else new


def site_of(url: str, scope: Scope = Scope.HOST, services: Services = DEFAULT_SERVICES) -> str:
    """The site of a canonical URL; the port belongs to it unless it is the scheme's own.

    >>> site_of("https://a.blogspot.com/feed", Scope.SERVICE), site_of("http://x.example.co.uk:8080/", Scope.DOMAIN)
    ('blogger', 'example.co.uk:8080')
    """
    match = _CANONICAL.match(url)
    if match is None:
        raise UsageError(f"not a canonical URL: {_shown(url)}")
    return site_of_host(match[1].rstrip("."), match[2], scope, services)


def site_of_host(host: str, port: str | None, scope: Scope, services: Services) -> str:
    """The site of a host as canonical URLs have it; ``port`` if it is not the scheme's own."""
    if scope is Scope.DOMAIN:
        host = _registrable(host)
    elif scope is Scope.SERVICE and not port:
        return _service(host, services) or host
    return f"{host}:{port}" if port else host


def _with_scheme(url: str) -> str:
    text = url.strip()
    if not text:
        raise UsageError("an empty URL; write it like https://example.org/feed")
    lowered = text[:8].lower()
    if lowered.startswith(("http://", "https://")):
        return text
    if lowered.startswith("feed:"):  # "feed://host/path" stands for http, "feed:https://..." for what follows
        rest = text[5:].lstrip()
        if rest[:5].lower() == "feed:":
            raise UsageError(f"not a URL: {_shown(url)} says feed: twice; write it like https://example.org/feed")
        return "http:" + rest if rest.startswith("//") else _with_scheme(rest)
    if text.startswith("//"):
        return "https:" + text
    scheme = _SCHEME.match(text)
    if scheme and not _HOST_PORT.match(text):
        name = scheme[1].lower()
        if name in ("http", "https"):
            raise UsageError(f"not a URL: {_shown(url)}; write it like https://example.org/feed")
        raise UsageError(f"cannot ask for {_shown(url)}: only http and https are fetched, not {name}")
    if "." not in text.split("/", 1)[0] and not text.startswith("localhost"):
        raise UsageError(f"not a URL: {_shown(url)}; write it like https://example.org/feed")
    return "https://" + text


def _too_long(url: str, length: int) -> UsageError:
    return UsageError(f"a URL of {length:,} characters ({_shown(url)}); at most {MAX_URL:,} are accepted")


def _shown(url: str) -> str:
    url = without_secret(url)
    return repr(url if len(url) <= 100 else url[:97] + "...")


def without_secret(url: str) -> str:
    """An address as somebody wrote it, without what stands in front of its host.

    >>> without_secret("https://user:secret@example.org/rss.xml")
    'https://…@example.org/rss.xml'
    """
    return re.sub(r"//[^/?#]*@", "//…@", url, count=1) if "@" in url else url


@lru_cache(maxsize=1)
def _suffix_list() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 (only where the site is the registrable domain)

    return PublicSuffixList(accept_unknown=False, only_icann=True)  # the list of the package; none is ever fetched


@lru_cache(maxsize=65_536)
def _registrable(host: str) -> str:
    if host.startswith("["):
        return host
    return _suffix_list().privatesuffix(host) or host


def _service(host: str, services: Services) -> str:
    table = _suffixes(tuple(services.items()))
    rest = host
    while rest:
        if rest in table:
            return table[rest]
        rest = rest.partition(".")[2]
    return ""


@lru_cache(maxsize=8)
def _suffixes(services: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, str]:
    return {suffix: name for name, suffixes in services for suffix in suffixes}


_MOST = 65_536  # hosts whose site is remembered


class Sites:
    """Names the site, the unit of politeness, of a canonical URL."""

    def __init__(self, politeness: PolitenessSettings) -> None:
        self._scope = Scope(politeness.scope)
        self._services = {**DEFAULT_SERVICES, **dict(_read_service(text) for text in politeness.services)}
        self._named: dict[str, str] = {}
        self._starts: dict[str, str] = {}

    def of(self, url: str) -> str:
        start = url[: url.find("/", 8)]  # scheme, host and port of a canonical URL, whose path begins with a slash
        site = self._starts.get(start)
        if site is None:
            site = site_of(url, self._scope, self._services)
            if len(self._starts) < _MOST:
                self._starts[start] = site
        return site

    def of_name(self, host: str) -> str:
        """The site of a host at the usual port, by its name."""
        site = self._named.get(host)
        if site is None:
            site = site_of_host(host, None, self._scope, self._services)
            if len(self._named) < _MOST:
                self._named[host] = site
        return site


def _read_service(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, suffixes = text.partition("=")
    hosts = tuple(part.strip().lower() for part in suffixes.split(",") if part.strip())
    if not equals or not name.strip() or not hosts:
        raise ConfigError(
            f"not a service: {text!r}; write it like forum=forum.example.org,example.net", option="politeness.services"
        )
    return name.strip(), hosts
