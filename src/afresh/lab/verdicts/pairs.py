"""Pairs of page versions with labels, made from version histories.  [M03] §5.4; spec §9.4."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from afresh.lab.traces.errors import TraceError
from afresh.lab.verdicts.replaced import JUDGED, replace_page
from afresh.lab.verdicts.templates import Templates
from afresh.lab.verdicts.versions import Version, profiles
from afresh.links.measures.profile import Profile
from afresh.parse.page import parse_page

KINDS = ("other_site", "same_site", "one_title", "replaced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two versions, whether they are the same page, and where they come from."""

    old: Profile
    new: Profile
    same: bool
    kind: str  # "same", or one of KINDS
    groups: frozenset[str]  # sites a model must not have been trained on to judge the pair fairly


@dataclass(frozen=True, slots=True)
class Histories:
    """Versions with their profiles, by page and by site."""

    versions: Sequence[Version]
    pages: Sequence[Profile]

    def of_sites(self) -> dict[str, dict[str, list[int]]]:
        found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for index, version in enumerate(self.versions):
            found[version.site][version.page].append(index)
        return found

    def pair(self, a: int, b: int, kind: str) -> Pair:
        groups = frozenset((self.versions[a].group, self.versions[b].group))
        return Pair(old=self.pages[a], new=self.pages[b], same=kind == "same", kind=kind, groups=groups)


def read_histories(versions: Sequence[Version]) -> Histories:
    return Histories(versions, profiles(versions))


def positive_pairs(histories: Histories, *, apart: int = 1) -> list[Pair]:
    """Versions of one page that follow each other (``apart`` = 1), or lie further apart."""
    versions = histories.versions
    return [
        histories.pair(i, i + apart, "same")
        for i in range(len(versions) - apart)
        if versions[i].page == versions[i + apart].page
    ]


def other_site_pairs(histories: Histories, count: int, rng: random.Random) -> list[Pair]:
    """Random versions of pages of different sites."""
    versions = histories.versions
    if len({version.group for version in versions}) < 2:
        raise TraceError("pairs of different sites need pages of at least two sites")
    found: list[Pair] = []
    while len(found) < count:
        a, b = rng.randrange(len(versions)), rng.randrange(len(versions))
        if versions[a].group != versions[b].group and versions[a].site != versions[b].site:
            found.append(histories.pair(a, b, "other_site"))
    return found


def same_site_pairs(histories: Histories, count: int, rng: random.Random) -> list[Pair]:
    """Random versions of different pages of one site: they share navigation, wording and style."""
    sites = [pages for pages in histories.of_sites().values() if len(pages) > 1]
    if not sites:
        raise TraceError("pairs of one site need a site with at least two pages")
    weights = [sum(len(indices) for indices in pages.values()) for pages in sites]
    found = []
    for pages in rng.choices(sites, weights, k=count):
        one, other = rng.sample(sorted(pages), 2)
        found.append(histories.pair(rng.choice(pages[one]), rng.choice(pages[other]), "same_site"))
    return found


def one_title_pairs(histories: Histories, count: int, rng: random.Random) -> list[Pair]:
    """The same of sites that have one title for all their pages: what they are called is in their headings and text."""
    return [
        replace(pair, old=_titled(pair.old, pair.groups), new=_titled(pair.new, pair.groups), kind="one_title")
        for pair in same_site_pairs(histories, count, rng)
    ]


def _titled(page: Profile, groups: frozenset[str]) -> Profile:
    return Profile(replace(page.page, title=" ".join(sorted(groups))))


def replaced_pairs(
    histories: Histories,
    count: int,
    rng: random.Random,
    templates: Templates,
    kinds: Sequence[tuple[str, ...]] = JUDGED,
) -> list[Pair]:
    """Real pages whose address now shows a generated page; each kind as often as the others."""
    found = []
    for number in range(count):
        index = rng.randrange(len(histories.versions))
        version, page = histories.versions[index], histories.pages[index]
        body = replace_page(version.body(), version.url, kinds[number % len(kinds)], templates, rng)
        new = Profile(parse_page(body, url=version.url))
        found.append(Pair(old=page, new=new, same=False, kind="replaced", groups=frozenset((version.group,))))
    return found
