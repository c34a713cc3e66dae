"""Which links of documents are checked, and under which address: patterns, schemes, examples, private addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from urllib.parse import urlsplit

from afresh.base.errors import Disallowed, ParseError, UsageError
from afresh.base.value_class import dataclass
from afresh.http.guard import Guard
from afresh.links.documents.targets import LocalFile, NotAsked, Occurrence, WebPage, with_scheme
from afresh.parse.patterns import Pattern, compile_all

#: RFC 2606 and RFC 6761: names that stand for any site in documents
_EXAMPLES = ("example.com", "example.org", "example.net", "example.edu", "example", "test", "invalid", "localdomain")
_SHOWN = ("mailto", "tel", "sms")  # schemes nobody is asked about that may be listed all the same


def patterns(written: Sequence[str], option: str) -> tuple[Pattern, ...]:
    """Regular expressions as somebody wrote them; raises UsageError."""
    try:
        return compile_all(written)
    except ParseError as error:
        raise UsageError(f"{option}: {error}") from error


def remaps(written: Sequence[tuple[str, str]]) -> tuple[Callable[[str], str], ...]:
    """Pattern and replacement pairs; raises UsageError."""
    if not written:
        return ()
    from afresh.parse.linear_regex import substitute_linear  # noqa: PLC0415 (few checks have one)

    try:
        return tuple(substitute_linear(pattern, replacement) for pattern, replacement in written)
    except ParseError as error:
        raise UsageError(f"--remap: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is asked about. A link that somebody named or listed is asked about whatever its address is."""

    include: Sequence[Pattern] = ()  # checked whatever else says no
    exclude: Sequence[Pattern] = ()
    schemes: frozenset[str] = frozenset()  # empty: all
    remaps: Sequence[Callable[[str], str]] = ()
    guard: Guard = field(default_factory=Guard)
    examples: bool = False  # also addresses that stand for any, and private ones
    mail: bool = False  # also list what nobody is asked about: mail, telephone

    def choose(self, found: Iterable[Occurrence]) -> tuple[list[Occurrence], dict[str, int]]:
        """Those that are checked, and how many are left out, by why."""
        chosen: list[Occurrence] = []
        left: dict[str, int] = {}
        for item in map(self._remapped, found):
            if why := self._unwanted(item):
                left[why] = left.get(why, 0) + 1
            else:
                chosen.append(item)
        return chosen, left

    def _unwanted(self, item: Occurrence) -> str:
        """Why a link is left out, in words; empty: it is checked."""
        if any(pattern(item.url) for pattern in self.include):
            return ""
        if self.include and not self.exclude:
            return "not among --include"
        if any(pattern(item.url) for pattern in self.exclude):
            return "excluded"
        match item.target:
            case NotAsked(scheme=scheme, why=why):
                return "" if self.mail and scheme in _SHOWN else scheme or why
            case WebPage(url=url) if self.schemes and url.partition(":")[0].lower() not in self.schemes:
                return "of another scheme"
            case WebPage(url=url) if not (item.is_listed or self.examples) and self._is_nobodys(url):
                return "examples or private addresses"
            case LocalFile() if self.schemes and "file" not in self.schemes:
                return "files"
            case _:
                return ""

    def _is_nobodys(self, url: str) -> bool:
        """Whether an address belongs to no site of the web: an example, or a machine of somebody's own."""
        try:
            host = (urlsplit(url).hostname or "").rstrip(".")
            self.guard.check_host(host)
        except ValueError:
            return False  # no address at all, which is told
        except Disallowed:
            return True
        if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
            return not self.guard.approves("127.0.0.1")
        return any(host == name or host.endswith("." + name) for name in _EXAMPLES)

    def _remapped(self, item: Occurrence) -> Occurrence:
        if not self.remaps or not isinstance(item.target, WebPage):
            return item
        url = item.url
        for remap in self.remaps:
            url = remap(url)
        if url == item.url:
            return item
        scheme = url.partition(":")[0].lower()
        return replace(item, link=replace(item.link, url=url), target=with_scheme(url, scheme), start=-1, end=-1)
