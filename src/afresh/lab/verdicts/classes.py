"""What is recognised, class by class and script by script: with a saved version, and at first sight.

Every template of a kind stands in place of real pages, alone or in their frame. At first sight nobody knows the page
that stood there; soft 404 pages are also judged with what the site answers for a page that cannot exist.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from afresh.base.records.links import Turned
from afresh.lab.verdicts.pairs import Histories
from afresh.lab.verdicts.replaced import HELD_OUT, stand_in
from afresh.lab.verdicts.templates import Replacement, Templates
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.comparison import judge_pages
from afresh.links.verdicts.model import VerdictModel
from afresh.links.verdicts.scripts import main_script
from afresh.links.verdicts.without_model import inspect_page
from afresh.parse.page import parse_page

ABROAD = Templates.read("abroad.toml")
_EACH = 4  # real pages that each template stands in for


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A page that stands where a real one stood, and what was seen in it."""

    kind: Turned
    script: str
    is_different: bool  # against the saved version
    is_named: bool  # then: as what it is
    is_seen: bool  # at first sight as something that is no page, whatever it was taken for
    is_seen_with_probe: bool  # the same, with the site's answer for a page that cannot exist


def judge_classes(histories: Histories, model: VerdictModel, *, seed: int = 0) -> dict[str, Any]:
    """Shares recognised by kind and by script, and false alarms at first sight on the real pages."""
    rng = random.Random(f"classes {seed}")
    cases = [
        _judge(histories, replacement, templates, model, rng)
        for templates in (HELD_OUT, ABROAD)
        for replacement in templates.replacements
        for _ in range(_EACH)
    ]
    alarms = [signal.kind for page in histories.pages if (signal := inspect_page(page)) is not None]
    return {
        "by_kind": _table(cases, lambda case: case.kind.value),
        "by_script": _table((case for case in cases if case.kind is Turned.SOFT_404), lambda case: case.script),
        "false_alarms": {"pages": len(histories.pages), "alarms": len(alarms)},
    }


def _judge(
    histories: Histories, replacement: Replacement, templates: Templates, model: VerdictModel, rng: random.Random
) -> Case:
    index, other = rng.randrange(len(histories.versions)), rng.randrange(len(histories.versions))
    version, old = histories.versions[index], histories.pages[index]
    kind = Turned(replacement.kind)
    new = Profile(parse_page(stand_in(version.body(), version.url, replacement, templates, rng), url=version.url))
    probe = None
    if kind is Turned.SOFT_404:  # the same page of the same site, at another address
        address = histories.versions[other].url
        body = stand_in(version.body(), version.url, replacement, templates, rng)
        probe = Profile(parse_page(body, url=address))
    verdict = judge_pages(old, new, model=model)
    return Case(
        kind=kind,
        script=main_script(new.page.title + new.page.main),
        is_different=not verdict.is_same,
        is_named=verdict.turned is not None and verdict.turned.kind is kind,
        is_seen=inspect_page(new) is not None,
        is_seen_with_probe=inspect_page(new, probe=probe) is not None,
    )


def _table(cases: Iterable[Case], key: Any) -> dict[str, Mapping[str, float]]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[key(case)].append(case)
    return {name: _shares(group) for name, group in sorted(groups.items())}


def _shares(cases: Sequence[Case]) -> Mapping[str, float]:
    def share(said: Iterable[bool]) -> float:
        return round(sum(said) / len(cases), 3)

    return {
        "pages": len(cases),
        "different": share(case.is_different for case in cases),
        "named": share(case.is_named for case in cases),
        "first_sight": share(case.is_seen for case in cases),
        "with_probe": share(case.is_seen_with_probe for case in cases),
    }
