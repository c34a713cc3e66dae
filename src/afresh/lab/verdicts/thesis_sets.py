"""Sets S1, S2 (the thesis's protocol) and S3 (hard) of generated pages, and the same protocol on real versions."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from afresh.lab.verdicts.pairs import Pair, other_site_pairs, positive_pairs, read_histories
from afresh.lab.verdicts.replaced import HELD_OUT, JUDGED, TRAINING, replace_page
from afresh.lab.verdicts.sites import (
    GREY,
    MIX_1,
    MIX_2,
    VERSIONS_1,
    VERSIONS_2,
    Timeline,
    evolve,
    make_page,
    make_site,
    make_timelines,
)
from afresh.lab.verdicts.versions import read_versions
from afresh.links.measures.profile import Profile
from afresh.parse.page import parse_page

NEGATIVES_1, NEGATIVES_2 = 837, 570


@dataclass(frozen=True, slots=True)
class PairSet:
    """A named set of labelled pairs."""

    name: str
    pairs: Sequence[Pair]


def set_1(seed: int, scale: float = 1.0) -> PairSet:
    """Academic pages: 31 addresses, 199 versions, 168 + 837 pairs at full scale.  [M03] Table 5.2."""
    rng = random.Random(f"S1 {seed}")
    lines = make_timelines(rng, _scaled(VERSIONS_1, scale), MIX_1, mixed=False)
    return PairSet("S1", thesis_pairs(lines, round(NEGATIVES_1 * scale), rng))


def set_2(seed: int, scale: float = 1.0) -> PairSet:
    """Mixed pages: 20 addresses, 249 versions; all 229 consecutive pairs (the thesis used 226) + 570."""
    rng = random.Random(f"S2 {seed}")
    lines = make_timelines(rng, _scaled(VERSIONS_2, scale), MIX_2, mixed=True)
    return PairSet("S2", thesis_pairs(lines, round(NEGATIVES_2 * scale), rng))


def set_real(folder: Path, seed: int, scale: float = 1.0) -> PairSet:
    """The thesis's protocol on real versions: consecutive ones against three times as many of different sites."""
    histories = read_histories(read_versions(folder))
    rng = random.Random(f"real {seed}")
    positives = positive_pairs(histories)
    if scale < 1.0:
        positives = rng.sample(positives, max(10, round(len(positives) * scale)))
    return PairSet("real", [*positives, *other_site_pairs(histories, 3 * len(positives), rng)])


def thesis_pairs(lines: Sequence[Timeline], negatives: int, rng: random.Random) -> list[Pair]:
    """Consecutive versions of an address, and random versions of different ones.  [M03] §5.4."""
    pages = [[Profile(parse_page(body, url=line.url)) for body in line.bodies] for line in lines]
    found = [
        Pair(old=a, new=b, same=True, kind="same", groups=frozenset((line.site,)))
        for line, versions in zip(lines, pages, strict=True)
        for a, b in pairwise(versions)
    ]
    for _ in range(negatives):
        one, other = rng.sample(range(len(lines)), 2)
        groups = frozenset((lines[one].site, lines[other].site))
        old, new = rng.choice(pages[one]), rng.choice(pages[other])
        found.append(Pair(old=old, new=new, same=False, kind="other_site", groups=groups))
    return found


def set_3(seed: int, scale: float = 1.0, *, attributive: bool = False) -> PairSet:
    """The hard set: the address stays and the content goes, sister pages share a template, moved pages keep content.

    Two label sets: to a referential reader a refreshed or rewritten page is the same, to an attributive one not.
    """
    rng = random.Random(f"S3 {seed}")
    found: list[Pair] = []
    for number in range(max(4, round(30 * scale))):
        site = make_site(rng, number)
        style = rng.choice(("tables", "divs", "semantic", "plain"))
        pages = [make_page(rng, site, f"/{word}.html", style, rng.randint(2, 6)) for word in site.words[2:5]]
        lines = [evolve(page, 5, MIX_1 if number % 2 else MIX_2, rng) for page in pages]
        found += _hard_pairs(lines, rng, attributive=attributive)
    return PairSet("S3 attributive" if attributive else "S3 referential", found)


def _hard_pairs(lines: Sequence[Timeline], rng: random.Random, *, attributive: bool) -> list[Pair]:
    found = []
    group = frozenset((lines[0].site,))
    templates = (TRAINING, HELD_OUT)[rng.randrange(2)]
    profiles = [[Profile(parse_page(body, url=line.url)) for body in line.bodies] for line in lines]
    for line, pages in zip(lines, profiles, strict=True):
        for at, step in enumerate(line.steps):
            same = not (attributive and step in GREY)
            kind = "same" if same else "grey"
            found.append(Pair(old=pages[at], new=pages[at + 1], same=same, kind=kind, groups=group))
        for at in range(3):
            body = replace_page(line.bodies[at], line.url, rng.choice(JUDGED), templates, rng)
            new = Profile(parse_page(body, url=line.url))
            found.append(Pair(old=pages[at], new=new, same=False, kind="replaced", groups=group))
        elsewhere = Profile(parse_page(line.bodies[1], url=f"http://new.{line.site}/moved.html"))
        found.append(Pair(old=pages[0], new=elsewhere, same=True, kind="same", groups=group))
    for one, other in ((0, 1), (1, 2), (2, 0)):
        old, new = rng.choice(profiles[one]), rng.choice(profiles[other])
        found.append(Pair(old=old, new=new, same=False, kind="same_site", groups=group))
    return found


def _scaled(versions: tuple[int, ...], scale: float) -> tuple[int, ...]:
    return versions[: max(5, round(len(versions) * min(1.0, scale)))]
