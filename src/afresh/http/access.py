"""What only some hosts are told: headers, passwords, tokens and cookies somebody gave for them.

Each belongs to one origin. It is sent there, at whatever hop of a request, and to nobody else: a redirect to another
host, or from https to http, leaves it behind.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.settings.sections import FetchSettings
from afresh.http.answer import is_sendable
from afresh.http.location import BadLocation, Location, Origin, locate

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

EVERYWHERE = "*"
#: fields that let somebody in, which no host may be sent that they were not given for
_SECRETS = frozenset(("authorization", "cookie", "proxy-authorization", "x-api-key", "private-token", "x-auth-token"))
#: fields that are ours to set
_OURS = frozenset(("host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te", "upgrade"))
_COOKIE_FILE = "# Netscape HTTP Cookie File\n"


@dataclass(frozen=True, slots=True)
class HostHeader:
    """One field for one host; ``host`` as somebody wrote it: a name means https."""

    host: str
    name: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What the client needs to be let in."""

    headers: Mapping[Origin | None, Sequence[tuple[str, str]]] = field(default_factory=dict, repr=False)
    cookies: CookieFile | None = None
    insecure: bool = False  # certificates are not looked at

    def headers_for(self, place: Location) -> Sequence[tuple[str, str]]:
        cookies = () if self.cookies is None else self.cookies.field_for(place)
        return (*self.headers.get(None, ()), *self.headers.get(place.origin, ()), *cookies)


def access(headers: Iterable[HostHeader] = (), *, cookies: CookieFile | None = None, insecure: bool = False) -> Access:
    """Checked; raises UsageError for what cannot be sent, without repeating it."""
    by_origin: dict[Origin | None, list[tuple[str, str]]] = {}
    for header in headers:
        origin = None if header.host == EVERYWHERE else origin_of(header.host)
        name = header.name.strip()
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum() or name.lower() in _OURS:
            raise UsageError(f"not a header that can be set: {name!r}; write it like 'Accept-Language: en'")
        if origin is None and name.lower() in _SECRETS:
            raise UsageError(f"{name} lets somebody in: it is sent to a host you name, not to everybody")
        if not is_sendable(header.value):
            raise UsageError(f"the value of {name} for {header.host} has characters that cannot be sent")
        by_origin.setdefault(origin, []).append((name, header.value.strip()))
    return Access(headers=by_origin, cookies=cookies, insecure=insecure)


def of_settings(fetch: FetchSettings, given: Access | None) -> Access | None:
    """What a person has set for some hosts, and on top of it what a command was ``given``; None: nothing at all.

    >>> of_settings(FetchSettings(headers=("a.example=X-Api-Key: 1",)), None).headers
    {('https', 'a.example', 443): [('X-Api-Key', '1')]}
    """
    if not (fetch.passwords or fetch.headers):
        return given
    headers = []
    for line in fetch.passwords:
        host, _, pair = line.partition("=")
        headers.append(HostHeader(host.strip(), "Authorization", basic(pair.strip())))
    for line in fetch.headers:
        host, _, field_line = line.partition("=")
        name, _, value = field_line.partition(":")
        headers.append(HostHeader(host.strip(), name, value))
    kept = access(headers)
    if given is None:
        return kept
    joined = dict(kept.headers)
    for origin, fields in given.headers.items():
        names = {name.lower() for name, _ in fields}
        joined[origin] = [*(pair for pair in joined.get(origin, ()) if pair[0].lower() not in names), *fields]
    return replace(given, headers=joined)


def origin_of(host: str) -> Origin:
    """Whom a host means.

    >>> origin_of("example.org"), origin_of("http://localhost:8080")
    (('https', 'example.org', 443), ('http', 'localhost', 8080))
    """
    try:
        place = locate(host if "://" in host else f"https://{host}/")
    except BadLocation as error:
        raise UsageError(f"not a host: {host!r}; write it like example.org or http://localhost:8080") from error
    return place.origin


def basic(user_and_password: str) -> str:
    """The Authorization of a name and a password, as ``name:password``."""
    return "Basic " + b64encode(user_and_password.encode()).decode("ascii")


class CookieFile:
    """Cookies in a file as curl and browsers' exporters write it; what servers set is kept there for the next time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._jar: aiohttp.CookieJar | None = None
        try:
            self._lines = path.read_text("utf-8").splitlines() if path.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the cookies of {path}: {error}") from error

    def field_for(self, place: Location) -> Sequence[tuple[str, str]]:
        """What the place is told, at most one field."""
        found = self._opened().filter_cookies(_address(place))
        told = "; ".join(f"{name}={cookie.coded_value}" for name, cookie in found.items())
        return (("Cookie", told),) if told else ()

    def hear(self, place: Location, fields: Iterable[tuple[bytes, bytes]]) -> None:
        """What the place wants to be told the next time."""
        told = [value.decode("utf-8", "replace") for name, value in fields if name.lower() == b"set-cookie"]
        if told:
            self._opened().update_cookies_from_headers(told, _address(place))

    def keep(self) -> None:
        """Writes what there is, readable for its owner alone."""
        jar = self._opened()
        own = getattr(jar, "_host_only_cookies", None)  # there is no public way to tell them; without it all are
        lines = [_COOKIE_FILE]
        for cookie in jar:
            domain, secure = cookie["domain"], "TRUE" if cookie["secure"] else "FALSE"
            with_subdomains = "FALSE" if own is None or (domain, cookie.key) in own else "TRUE"
            fields = (domain, with_subdomains, cookie["path"] or "/", secure, "0", cookie.key, cookie.value)
            lines.append("\t".join(fields) + "\n")
        self._path.touch(mode=0o600)
        self._path.write_text("".join(lines), "utf-8")

    def _opened(self) -> aiohttp.CookieJar:
        """The jar, filled; made at the first request because it belongs to the running loop."""
        if self._jar is None:
            import aiohttp  # noqa: PLC0415 (few requests have cookies)

            self._jar = aiohttp.CookieJar(unsafe=True)  # also of hosts that are addresses
            for line in self._lines:
                self._fill(self._jar, line)
        return self._jar

    def _fill(self, jar: aiohttp.CookieJar, line: str) -> None:
        parts = line.removeprefix("#HttpOnly_").split("\t")
        if len(parts) != 7 or line.startswith("# "):
            return
        domain, with_subdomains, path, is_secure, _, name, value = parts
        host = domain.lstrip(".")
        cookie: SimpleCookie = SimpleCookie()
        try:
            cookie[name] = value
        except CookieError:  # what RFC 6265 does not allow as a name
            return
        cookie[name]["path"] = path
        if with_subdomains == "TRUE":
            cookie[name]["domain"] = host
        if is_secure == "TRUE":
            cookie[name]["secure"] = True
        jar.update_cookies(cookie, _url(f"https://{host}{path}"))


def _address(place: Location) -> URL:
    return _url(place.url)


def _url(text: str) -> URL:
    from yarl import URL  # noqa: PLC0415 (few requests have cookies)

    return URL(text, encoded=True)
