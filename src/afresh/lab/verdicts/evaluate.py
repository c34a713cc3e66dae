"""How well does a model tell pages apart that it has never seen?"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from afresh.lab.verdicts.classes import judge_classes
from afresh.lab.verdicts.figures import contingency
from afresh.lab.verdicts.pairs import (
    KINDS,
    Pair,
    one_title_pairs,
    other_site_pairs,
    positive_pairs,
    read_histories,
    replaced_pairs,
    same_site_pairs,
)
from afresh.lab.verdicts.replaced import HELD_OUT
from afresh.lab.verdicts.versions import Version, read_versions
from afresh.links.measures.profile import Profile
from afresh.links.verdicts.comparison import judge_pages
from afresh.links.verdicts.model import VerdictModel
from afresh.parse.page import parse_page

_TIMED = 300  # pairs whose comparison is timed from scratch


def evaluate(folder: Path, model: VerdictModel, *, seed: int = 0) -> dict[str, Any]:
    """Judge pairs of a folder's pages with a model as it is: figures by kind of negative, classes, baselines, speed."""
    versions = read_versions(folder)
    histories = read_histories(versions)
    rng = random.Random(seed)
    positives = positive_pairs(histories)
    negatives = {
        "other_site": other_site_pairs(histories, len(positives), rng),
        "same_site": same_site_pairs(histories, len(positives), rng),
        "one_title": one_title_pairs(histories, len(positives), rng),
        "replaced": replaced_pairs(histories, len(positives), rng, HELD_OUT),
    }
    rules: Mapping[str, Callable[[Pair], bool]] = {
        "model": lambda pair: judge_pages(pair.old, pair.new, model=model).is_same,
        "byte_equality": lambda pair: pair.old.page.raw == pair.new.page.raw,
        "text_equality": lambda pair: pair.old.page.text == pair.new.page.text,
        "random": lambda _: rng.random() < 0.5,
        "default": lambda _: False,  # the larger class of the thesis's sets; here both are equally large
    }
    tables = {name: _by_kind(rule, positives, negatives) for name, rule in rules.items()}
    return {
        "pairs": {"same": len(positives), **{kind: len(pairs) for kind, pairs in negatives.items()}},
        "pages": len({version.page for version in versions}),
        "sites": len({version.site for version in versions}),
        "seed": seed,
        "kinds": tables.pop("model"),
        "classes": judge_classes(histories, model, seed=seed),
        "baselines": tables,
        **_speed(versions, positives + negatives["same_site"], model, rng),
    }


def _by_kind(
    rule: Callable[[Pair], bool], positives: Sequence[Pair], negatives: Mapping[str, Sequence[Pair]]
) -> dict[str, dict[str, float]]:
    yes = [rule(pair) for pair in positives]
    table = {}
    for kind in KINDS:
        said = [rule(pair) for pair in negatives[kind]]
        truth = [True] * len(yes) + [False] * len(said)
        table[kind] = contingency(truth, yes + said).as_dict()
    return table


def _speed(
    versions: Sequence[Version], pairs: Sequence[Pair], model: VerdictModel, rng: random.Random
) -> dict[str, float]:
    """CPU milliseconds of a comparison with nothing prepared but the parsed pages, and of reading a page."""
    chosen = rng.sample(pairs, min(_TIMED, len(pairs)))
    fresh = [(Profile(pair.old.page), Profile(pair.new.page)) for pair in chosen]
    start = time.thread_time()
    for old, new in fresh:
        judge_pages(old, new, model=model)
    compared = time.thread_time() - start
    bodies = [version.body() for version in rng.sample(versions, min(_TIMED, len(versions)))]
    start = time.thread_time()
    for body in bodies:
        parse_page(body)
    read = time.thread_time() - start
    return {
        "ms_per_pair": float(np.round(1e3 * compared / len(chosen), 3)),
        "ms_per_page_read": float(np.round(1e3 * read / len(bodies), 3)),
    }
