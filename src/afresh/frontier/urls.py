"""URLs as the frontier keeps them: canonical, with their site, and not of this machine's neighbourhood.

Everything arriving here was written by strangers. The fetcher judges the addresses that names resolve to; here only
what the URL itself says is judged, so that a list never carries ``http://169.254.169.254/`` to anybody.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address

from afresh.base.errors import UsageError
from afresh.base.page_numbers import LONGEST_NAME, LONGEST_URL, host_of
from afresh.parse.url import canonical, strip_session_ids

#: A URL that is canonical as it stands, as nearly all links of well-made sites are: saves nine tenths of the work.
#: Left out on purpose: ports, addresses (the last label is letters), escapes, dots after a slash, parameters.
_PLAIN = re.compile(r"https?://((?:[a-z0-9-]++\.)+[a-z]{2,})/[A-Za-z0-9_~/+,.-]*+\Z")
#: The same with parameters, which may be session identifiers.
_QUERY = re.compile(r"https?://((?:[a-z0-9-]++\.)+[a-z]{2,})/[A-Za-z0-9_~/?&=+,.-]*+\Z")
_SESSION = re.compile(r"sess|sid=", re.IGNORECASE)
#: A part of a host's name between dots: neither empty nor with a hyphen at an end (RFC 1123; underscores are in use).
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa", "lan", "intranet", "onion")
_MOST_HOSTS = 200_000  # remembered as public


class CrawlUrls:
    """Turns URLs of strangers into the form the frontier keeps."""

    def __init__(self, *, allow_private: bool = False, excludes: Callable[[str], bool] | None = None) -> None:
        self._allow_private = allow_private
        self._excludes = excludes  # what nobody wants, though it is a URL
        self._hosts: set[str] = set()  # names that passed

    def read(self, url: str) -> tuple[str, str] | None:
        """Canonical URL and its host, which is its site; None for what the frontier does not keep.

        >>> CrawlUrls().read("HTTP://www.Example.com:80/a/../b#c")
        ('http://www.example.com/b', 'www.example.com')
        >>> CrawlUrls().read("http://192.168.0.1/"), CrawlUrls().read("mailto:x@example.com")
        (None, None)
        """
        plain = _PLAIN.match(url)
        if plain is not None and "/." not in url and len(url) <= LONGEST_URL:
            host = plain[1]
            if (host in self._hosts or self._passes(host)) and not (self._excludes and self._excludes(url)):
                return url, host
        found = self._read_wanted(url)
        return None if isinstance(found, str) else found

    def why_refused(self, url: str) -> str:
        """Why the frontier does not keep a URL; '': it does.

        >>> CrawlUrls().why_refused("http://a..com/"), CrawlUrls().why_refused("http://example.com/")
        ("'a..com' is no name of a host", '')
        """
        found = self._read_wanted(url)
        return found if isinstance(found, str) else ""

    def _passes(self, host: str) -> bool:
        """Whether a plain name may be taken as it stands; remembered."""
        if "xn--" in host or not is_host_name(host) or not (self._allow_private or is_public_host(host)):
            return False
        if len(self._hosts) >= _MOST_HOSTS:
            self._hosts.clear()
        self._hosts.add(host)
        return True

    def _read_wanted(self, url: str) -> tuple[str, str] | str:
        found = self._read_carefully(url)
        if self._excludes is not None and not isinstance(found, str) and self._excludes(found[0]):
            return "frontier.exclude leaves it out"
        return found

    def _read_carefully(self, url: str) -> tuple[str, str] | str:
        """URL and host, or why it is refused."""
        query = _QUERY.match(url)
        if query is not None and "/." not in url and len(url) <= LONGEST_URL and not _SESSION.search(url):
            host = query[1]
            if host in self._hosts or self._passes(host):
                return url, host
        try:
            kept = strip_session_ids(canonical(url))
        except UsageError as error:
            return _too_long(url) if len(url) > LONGEST_URL else str(error)
        except UnicodeError:  # lone surrogates cannot be put into a URL
            return "not a URL: it is not all text"
        if len(kept) > LONGEST_URL:
            return _too_long(kept)
        host = host_of(kept)
        if host.endswith("."):  # the same host under another name
            kept, host = kept.replace(host, host.rstrip("."), 1), host.rstrip(".")
        if not is_host_name(host):
            return f"{host!r} is no name of a host"
        if not (self._allow_private or is_public_host(host)):
            return f"{host} is not of the public web; frontier.allow_private = true keeps such hosts"
        return kept, host


#: A URL as somebody wrote it: a scheme, and no blanks or control characters; and its host.
_WRITTEN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:[^\x00-\x20\x7f]++\Z")
_HOST = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*+://(?:[^/?#@\x00-\x20\x7f]*@)?"
    r"(\[[0-9A-Fa-f:.]++\]|[^/?#:@\x00-\x20\x7f\[\]]++)(?::[0-9]*+)?(?:[/?#][^\x00-\x20\x7f]*+)?\Z"
)


def is_written_url(url: str) -> bool:
    """Whether a URL can be kept as it is written, by whoever says where it belongs."""
    return _WRITTEN.match(url) is not None


def queue_of(url: str) -> str | None:
    """The host of a URL as it is written, to be its queue; None: it is no URL that has one.

    >>> [queue_of(url) for url in ("http://a.example?language_id=9", "https://u@B.example:8080/", "http://", "a b")]
    ['a.example', 'b.example', None, None]
    """
    host = _HOST.match(url)
    return None if host is None else host[1].lower()


def written(url: str, key: str) -> str | None:
    """The queue of a URL as it is written: the client's key, or the host; None: it cannot be kept.

    >>> written("http://a.example/x", ""), written("http://a.example/x", "mine"), written("nonsense", "mine")
    ('a.example', 'mine', None)
    """
    return (key if is_written_url(url) else None) if key else queue_of(url)


def _too_long(url: str) -> str:
    return f"a URL of {len(url):,} characters; at most {LONGEST_URL:,} are kept"


def is_host_name(host: str) -> bool:
    """Whether the host of a canonical URL can be one: an address, or a name whose parts are well-formed.

    >>> [is_host_name(host) for host in ("a.example", "[::1]", "a..com", "-.com", ".com", "a-.com")]
    [True, True, False, False, False, False]
    """
    return host.startswith("[") or (0 < len(host) <= LONGEST_NAME and all(map(_LABEL.fullmatch, host.split("."))))


@lru_cache(maxsize=65_536)
def is_public_host(host: str) -> bool:
    """Whether a host of a canonical URL may be one of the public web; a name is judged by its form only."""
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        try:
            address = ip_address(host.strip("[]"))
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None) or address
        return bool(mapped.is_global) and not mapped.is_multicast
    return not is_local_name(host)


def is_local_name(host: str) -> bool:
    """Names that lead nowhere outside: special-use ones and those without a dot."""
    head, dot, last = host.rpartition(".")
    return not dot or last in _LOCAL_NAMES or (last == "arpa" and head.endswith("home"))
