"""How far a crawl goes: which of the links that fetchers find become pages of the frontier.

A link is within when its host belongs to a seed's (``stay``), it matches a pattern of ``include`` if there are any, and
none of ``exclude``. What an operator names himself is within unless it is excluded, and makes its host a seed's. Links
are followed to pages that are at most ``depth`` links away from there; the store counts that, for it knows the pages.

What was said last holds until something else is said: the store keeps it, for every scheduler process and every start.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any
from uuid import uuid4

from afresh.base.errors import ConfigError, ParseError
from afresh.base.page_numbers import host_of
from afresh.base.plain_numbers import counted
from afresh.base.records.frontier import PageReport, SiteReport
from afresh.base.records.frontier_store import FrontierStore
from afresh.base.settings.sections import FrontierOptions
from afresh.parse.patterns import Pattern, compile_all
from afresh.parse.url import Scope as SiteScope
from afresh.parse.url import site_of_host

_KEPT = "frontier.scope"  # a setting of the store: what was said, by name; what never was is not there
_PARTS = ("stay", "include", "exclude", "depth")
_SEED = "frontier.seed "  # settings of the store: one for each host or domain of a seed
_SEEDS = "frontier.seeds"  # another text after each new one: what was looked up in vain is looked up again
_MOST_KNOWN = 200_000  # hosts remembered
_MOST_TOLD = 3  # patterns, at a start
_NO_SEEDS = (
    "frontier.stay is {}, and nothing was added since it is: all links are left out; name where to begin (--seed, or "
    "`afresh frontier add`; what is known counts, too)"
)


class Stay(StrEnum):
    """Where links may lead."""

    EVERYWHERE = "everywhere"
    HOSTS = "hosts"  # the seeds'; with and without www. is one
    DOMAINS = "domains"  # the seeds' registrable ones, with all hosts below


_NONE: Mapping[str, str] = {"stay": Stay.EVERYWHERE, "depth": "0"}  # what takes a part back; of the others ''


class Scope:
    """A rule of URL and settings, and of the seeds, which the store keeps for every scheduler process alike.

    ``stay``, ``include``, ``exclude``, ``depth``: as said at this start; None: as before.
    """

    def __init__(
        self,
        *,
        stay: Stay | None = None,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        depth: int | None = None,
    ) -> None:
        said = zip(_PARTS, (stay, include, exclude, depth), strict=True)
        self._said = {name: value for name, value in said if value is not None}
        self._before: frozenset[str] = frozenset()  # what holds since it was said at an earlier start
        self._kept: str | None = None  # what ``_KEPT`` said when it was read last
        self._known: dict[str, bool] = {}  # whether a place is a seed's
        self._seeds: str | None = None  # what ``_SEEDS`` said then
        self._take(self._said)

    @classmethod
    def of(cls, options: FrontierOptions) -> "Scope":
        """As the settings say; ConfigError names a pattern that is none."""
        return cls(
            stay=Stay(options.stay) if options.stay else None,
            include=_said(options.include),
            exclude=_said(options.exclude),
            depth=None if options.depth < 0 else options.depth,
        )

    def begin(self, store: FrontierStore) -> None:
        """Keeps what is said now, and goes on with what was said before; a call of the store."""
        with store.batch():
            text = store.get_setting(_KEPT)
            try:
                kept = {} if text is None or len(self._said) == len(_PARTS) else _read(text)
                self._take(kept | self._said)
            except (ConfigError, ValueError, TypeError) as error:
                words = f"the scope that the frontier keeps cannot be used ({error})"
                raise ConfigError(f"{words}; say --stay, --include, --exclude and --depth anew") from error
            self._before = frozenset(kept.keys() - self._said.keys())
            if kept | self._said != kept:
                text = json.dumps(kept | self._said)
                store.put_setting(_KEPT, text)
        self._kept = text

    def read(self, store: FrontierStore) -> None:
        """As another process may have said it since; what cannot be read changes nothing. A call of the store."""
        text = store.get_setting(_KEPT)
        if text is not None and text != self._kept:
            self._kept = text
            with suppress(ConfigError, ValueError, TypeError):
                self._take(_read(text))

    def _take(self, rule: Mapping[str, Any]) -> None:
        include = _patterns(rule.get("include", ()), "frontier.include")
        exclude = _patterns(rule.get("exclude", ()), "frontier.exclude")
        self._stay, self._include, self._exclude = Stay(rule.get("stay", Stay.EVERYWHERE)), include, exclude
        self.depth = int(rule.get("depth", 0))  # 0: links are followed as far as they lead
        self._rule = rule
        self._known, self._seeds = {}, None

    @property
    def is_all(self) -> bool:
        """Whether every link is within, however far it is."""
        return self._stay is Stay.EVERYWHERE and not self._include and not self._exclude

    def excludes(self, url: str) -> bool:
        """Whether nobody shall ask for it, whoever named it."""
        return any(pattern(url) for pattern in self._exclude)

    def note_seeds(self, store: FrontierStore, hosts: Iterable[str]) -> None:
        """Remembers where an operator wants to begin; a call of the store."""
        if self._stay is Stay.EVERYWHERE:
            return
        self._look_for_new(store)
        new = [place for place in {self._place(host) for host in hosts} if not self._is_seeds(store, place)]
        if new:
            with store.batch():
                for place in new:
                    store.put_setting(_SEED + place, "")
                store.put_setting(_SEEDS, uuid4().hex)
            self._known.update(dict.fromkeys(new, True))

    def told(self, store: FrontierStore) -> list[str]:
        """What an operator should know of it at a start; a call of the store."""
        has_seeds = store.get_setting(_SEEDS) is not None
        lines = []
        if self._stay is not Stay.EVERYWHERE:
            lines.append(f"links are followed to the {self._stay} of the seeds alone{self._as_before('stay')}")
            if not has_seeds:
                lines.append(_NO_SEEDS.format(self._stay))
        elif has_seeds and "stay" not in self._rule:  # from a time when it was not kept
            lines.append(
                "links are followed everywhere, though this crawl stayed with its seeds before: --stay says so"
            )
        for name, words in (("include", "followed only"), ("exclude", "not followed")):
            if patterns := self._rule.get(name):
                lines.append(f"links are {words} where they match {_shown(patterns)}{self._as_before(name)}")
        if self.depth:
            away = f"{counted(self.depth, 'link')} away from the seeds"
            lines.append(f"links are followed to pages that are at most {away}{self._as_before('depth')}")
        return lines

    def _as_before(self, name: str) -> str:
        if name not in self._before:
            return ""
        return f" (as before; --{name} {_NONE.get(name, repr(''))} takes it back)"

    def within(self, store: FrontierStore, sites: Sequence[SiteReport]) -> tuple[Sequence[SiteReport], int]:
        """Reports without the links that lead out, and how many these were; a call of the store."""
        if self.is_all:
            return sites, 0
        self._look_for_new(store)
        kept, left_out = [], 0
        for site in sites:
            pages = []
            for page in site.pages:
                links = [url for url in page.links if self.has(store, url)]
                if len(links) < len(page.links):
                    left_out += len(page.links) - len(links)
                    page = PageReport._make(getattr(page, name) for name in PageReport._fields)
                    page = page._replace(links=tuple(links))
                pages.append(page)
            kept.append(site._replace(pages=pages))
        return kept, left_out

    def has(self, store: FrontierStore, url: str) -> bool:
        """Whether a link leads to where the crawl goes; a call of the store for a host that is new."""
        if self.excludes(url) or (self._include and not any(pattern(url) for pattern in self._include)):
            return False
        return self._stay is Stay.EVERYWHERE or self._is_seeds(store, self._place(host_of(url)))

    def _place(self, host: str) -> str:
        if self._stay is Stay.DOMAINS:
            return site_of_host(host, None, SiteScope.DOMAIN, {})
        return host.removeprefix("www.")

    def _is_seeds(self, store: FrontierStore, place: str) -> bool:
        found = self._known.get(place)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[place] = store.get_setting(_SEED + place) is not None
        return found

    def _look_for_new(self, store: FrontierStore) -> None:
        """Forgets what is no seed's, if another process has noted seeds since."""
        if self._stay is not Stay.EVERYWHERE and (seeds := store.get_setting(_SEEDS)) != self._seeds:
            self._seeds, self._known = seeds, {}


def _said(patterns: Sequence[str]) -> list[str] | None:
    """Those that are meant: an empty one alone means none at all, and nothing means that nothing is said."""
    return [one for one in patterns if one] if patterns else None


def _shown(patterns: Sequence[str]) -> str:
    """The first of them.

    >>> _shown(["/a/", "/b/"]), _shown(["/a/", "/b/", "/c/", "/d/", "/e/"])
    ('/a/ or /b/', '/a/, /b/, /c/ or 2 others')
    """
    shown = list(patterns[:_MOST_TOLD])
    if more := len(patterns) - len(shown):
        shown.append(counted(more, "other"))
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _read(text: str) -> dict[str, Any]:
    """What is kept; ValueError if it is damaged."""
    kept = json.loads(text)
    if not isinstance(kept, dict):
        raise ValueError("it is no mapping")
    return kept


def _patterns(written: Sequence[str], option: str) -> tuple[Pattern, ...]:
    try:
        return compile_all(written)
    except ParseError as error:
        raise ConfigError(f"{option}: {error}", option=option) from error
