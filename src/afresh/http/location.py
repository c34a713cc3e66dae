"""Where a request goes: a URL as browsers read it, cut into what the client needs."""

from base64 import b64encode
from functools import lru_cache, partial
from urllib.parse import unquote

import ada_url

from afresh.base.errors import FetchError
from afresh.base.value_class import dataclass
from afresh.parse.url import told_parts

_DEFAULT_PORTS = {"http:": 80, "https:": 443}
_PARTS = ("href", "protocol", "hostname", "port")

#: Whom one talks to: scheme, host, port.
Origin = tuple[str, str, int]


class BadLocation(FetchError):
    """Not a URL, or not one of the web."""


@dataclass(frozen=True, slots=True)
class Location:
    """One hop's target. Written forms of an address (decimal, octal, hex) are already dotted: WHATWG does that."""

    url: str  # without credentials and fragment
    scheme: str
    host: str
    port: int
    authorization: str = ""  # the Authorization header for credentials written in the URL

    @property
    def origin(self) -> Origin:
        return self.scheme, self.host, self.port

    def trusts(self, other: "Location") -> bool:
        """Whether what this place told us may be repeated at the other.

        The same origin, or the same host moved from http to https on the usual ports.
        """
        if self.origin == other.origin:
            return True
        moved = (self.scheme, self.port, other.scheme, other.port)
        return self.host == other.host and moved == ("http", 80, "https", 443)

    def is_spelt_as(self, other: "Location") -> bool:
        """Whether both are one address, but for http or https, a leading "www." and a slash at the end.

        >>> locate("https://www.a.example/feed/").is_spelt_as(locate("http://a.example/feed"))
        True
        >>> locate("http://a.example/feed?x").is_spelt_as(locate("http://a.example/feed"))
        False
        """
        return self._spelling() == other._spelling()

    def _spelling(self) -> tuple[str, int, str, str]:
        path, _, query = self.url[self.url.index("/", len(self.scheme) + 3) :].partition("?")
        port = 0 if self.port == _DEFAULT_PORTS[self.scheme + ":"] else self.port
        return self.host.removeprefix("www."), port, path.removesuffix("/"), query


def locate(url: str, base: str = "") -> Location:
    """Reads a URL, relative to ``base`` if given; raises BadLocation for anything but http and https.

    >>> locate("http://0x7f.1/x").url
    'http://127.0.0.1/x'
    """
    return _read(url, base) if base or "@" in url else _recent(url)


def _read(url: str, base: str) -> Location:
    if not base and (plain := told_parts(url)) is not None:
        scheme, host, port = plain
        return Location(url, scheme, host, int(port) if port else _DEFAULT_PORTS[scheme + ":"])
    try:
        # One call across the language border for all parts: a third of the price of an object's properties.
        parts = ada_url.parse_url(ada_url.join_url(base, url) if base else url, _PARTS)
    except (ValueError, UnicodeError) as error:
        raise BadLocation(f"not a URL: {url[:200]!r}") from error
    protocol = parts["protocol"]
    default_port = _DEFAULT_PORTS.get(protocol)
    if default_port is None:
        raise BadLocation(f"not http or https: {url[:200]!r}")
    href, authorization = parts["href"].partition("#")[0], ""
    if "@" in href:
        href, authorization = _without_credentials(href)
    port = parts["port"]
    return Location(href, protocol[:-1], parts["hostname"], int(port) if port else default_port, authorization)


#: For a request and its robots.txt the same URL is read more than once; what may be a password is not remembered.
_recent = lru_cache(maxsize=2_048)(partial(_read, base=""))


def _without_credentials(href: str) -> tuple[str, str]:
    """The URL without "user:password@", and the header that says the same."""
    url = ada_url.URL(href)
    if not url.username and not url.password:
        return href, ""
    pair = f"{unquote(url.username)}:{unquote(url.password)}"
    url.username = url.password = ""
    return url.href, "Basic " + b64encode(pair.encode()).decode("ascii")
