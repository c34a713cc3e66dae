"""Feed URLs that lead to the same entries: exact duplicates, session ids, the same feed in two formats.

Reichert §3.4.4, Listings 3.2 and 3.3. Unrelated URLs with the same content are not found.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from afresh.parse.url import strip_session_ids

# Longest first, so that no alternative hides a later one; letters and digits around it make another word of it.
_FORMAT = re.compile(
    r"(?<![a-zA-Z0-9])(?:(atom1\.0|atom_1\.0|atom_10|atom10|atom)"
    r"|(?:rss_2\.0|rss_200|rss_20|rss2\.0|rss200|rss20|rss2|rss))(?![a-zA-Z0-9])",
    re.IGNORECASE,
)
# A shorter URL is the same feed only where the rest merely names a format; otherwise /news would be a duplicate of
# /news/sport/rss.
_BEFORE_FORMAT = re.compile(r"[/?&;._-]{0,2}(?:[A-Za-z_]{1,16}=)?\Z")
_AFTER_FORMAT = re.compile(r"(?:\.[a-z]{2,5})?/?\Z")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A URL that is not kept, and why."""

    url: str
    reason: str  # "exact", "session", "format", or of feeds that were read "same entries"
    kept: str  # the URL that stands for it


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The URLs worth watching, in their first order, and the others."""

    kept: tuple[str, ...]
    dropped: tuple[Dropped, ...]


def deduplicate(urls: Iterable[str]) -> Deduplicated:
    """Keep one URL of each feed, Atom preferred. URLs should be canonical.

    >>> deduplicate(["https://a.example/?feed=rss2", "https://a.example/?feed=atom"]).kept
    ('https://a.example/?feed=atom',)
    """
    kept, dropped = _exact(urls)
    hosts: dict[str, list[str]] = {}
    for url in kept:
        hosts.setdefault(_host(url), []).append(url)
    replaced: dict[str, str] = {}
    for group in hosts.values():
        if len(group) > 1:
            replaced |= _same_format(group)
            replaced |= _prefixes([url for url in group if url not in replaced])
    dropped += [Dropped(url, "format", _final(url, replaced)) for url in kept if url in replaced]
    return Deduplicated(tuple(url for url in kept if url not in replaced), tuple(dropped))


def _exact(urls: Iterable[str]) -> tuple[list[str], list[Dropped]]:
    kept: dict[str, None] = {}
    dropped: list[Dropped] = []
    for url in urls:
        stripped = strip_session_ids(url)
        if stripped != url:
            dropped.append(Dropped(url, "session", stripped))
        elif url in kept:
            dropped.append(Dropped(url, "exact", url))
        kept.setdefault(stripped)
    return list(kept), dropped


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]


def _same_format(group: list[str]) -> dict[str, str]:
    """URL to the one that replaces it, where two differ only in the name of the format."""
    alike: dict[str, list[str]] = {}
    for url in group:
        neutral, count = _FORMAT.subn("\0", url)
        if count:
            alike.setdefault(neutral, []).append(url)
    replaced: dict[str, str] = {}
    for urls in alike.values():
        best = next((url for url in urls if _is_atom(url)), urls[0])
        replaced |= {url: best for url in urls if url != best}
    return replaced


def _is_atom(url: str) -> bool:
    match = _FORMAT.search(url)
    return match is not None and match[1] is not None


def _prefixes(group: list[str]) -> dict[str, str]:
    """The shorter of two URLs one of which continues the other with a format: its own format is unknown."""
    replaced: dict[str, str] = {}
    known = set(group)
    for url in group:
        for match in _FORMAT.finditer(url):
            before = _BEFORE_FORMAT.search(url, 0, match.start())
            if before is None or not _AFTER_FORMAT.match(url, match.end()):
                continue
            for cut in range(before.start(), match.start() + 1):
                if url[:cut] in known:
                    replaced.setdefault(url[:cut], url)
    return replaced


def _final(url: str, replaced: dict[str, str]) -> str:
    seen = set()
    while url in replaced and url not in seen:
        seen.add(url)
        url = replaced[url]
    return url
