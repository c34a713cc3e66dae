"""The experiments of the link checker's thesis: combinations, single measures, kernels; published beside measured."""

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np

from afresh.lab.experiments.model import Claim, Experiment, Options, Outcome, field_of
from afresh.lab.verdicts import published
from afresh.lab.verdicts.crossing import Crossed, balanced, cross
from afresh.lab.verdicts.figures import contingency
from afresh.lab.verdicts.thesis_sets import PairSet, set_1, set_2, set_3, set_real
from afresh.lab.verdicts.train import Examples, examples_of, grouped_folds, random_folds
from afresh.links.measures.catalogue import COMBINATIONS as MEMBERS
from afresh.links.measures.catalogue import MEASURES, THESIS
from afresh.links.verdicts.kernels import Kernel

_THREE = (Kernel.LINEAR, Kernel.POLYNOMIAL, Kernel.RADIAL)
_NOTES = (
    "S1 and S2 are generated in the shape of the thesis's archived sets, which are not public. The generator was "
    "calibrated "
    "against the published figures: a first version was separated perfectly by nearly every combination, and shared "
    "vocabulary and rewritten pages were added until single measures fell into the published range. Agreement with "
    "the "
    "published numbers therefore shows the calibration, not a replication. C and γ are tuned inside the folds, the "
    "thesis "
    "used fixed ones. --trace FOLDER runs the same protocol on real page versions, to which nothing was fitted."
)


def _sets(options: Options) -> list[PairSet]:
    if options.trace is not None:
        return [set_real(options.trace, options.seed, options.scale)]
    return [set_1(options.seed, options.scale), set_2(options.seed, options.scale)]


def _measured(options: Options, names: tuple[str, ...] = THESIS) -> Iterator[tuple[str, bool, Examples]]:
    """Each set, whole and balanced, with the values of the measures."""
    for pairs in _sets(options):
        options.progress(f"measuring {len(pairs.pairs)} pairs of {pairs.name}")
        examples = examples_of(pairs.pairs, names)
        yield pairs.name, False, examples
        yield pairs.name, True, balanced(examples, options.seed)


def _row(figures: Mapping[str, float]) -> dict[str, object]:
    return {name: round(value, 4) for name, value in figures.items()}


def _baselines(name: str, is_balanced: bool, examples: Examples) -> list[dict[str, object]]:
    """Random, Default (the larger class), byte equality, text equality.  [M03] Tables 5.3, 5.4."""
    columns = {name: examples.values[:, examples.names.index(name)] for name in ("simple_raw_text", "simple_text")}
    coin = np.random.default_rng(0).random(len(examples)) < 0.5
    answers = {
        "Random": coin,
        "Default": np.zeros(len(examples), bool),
        "byte equality": columns["simple_raw_text"] > 0.5,
        "text equality": columns["simple_text"] > 0.5,
    }
    rows = []
    for label, said in answers.items():
        figures = contingency(examples.same, said).as_dict()
        rows.append({"set": name, "balanced": is_balanced, "combination": label, "kernel": "", **_row(figures)})
    return rows


def _combinations(options: Options) -> Outcome:
    rows: list[dict[str, object]] = []
    best: dict[tuple[str, str], list[float]] = {}
    names = tuple(dict.fromkeys((*THESIS, *MEMBERS["MODERN"])))
    for name, is_balanced, examples in _measured(options, names):
        for combination, kernel in product(MEMBERS, Kernel):
            options.progress(f"{name}: {combination}, {kernel}")
            crossed = cross(examples, MEMBERS[combination], kernel, seed=options.seed)
            printed = published.COMBINATIONS.get((combination, name, is_balanced), {}).get(kernel)
            rows.append(
                {
                    "set": name,
                    "balanced": is_balanced,
                    "combination": combination,
                    "kernel": str(kernel),
                    **_row(crossed.figures.as_dict()),
                    "published_f": printed[0] if printed else None,
                    "published_accuracy": printed[1] if printed else None,
                }
            )
            if kernel in _THREE:
                best.setdefault((name, combination), []).append(crossed.figures.f)
        rows += _baselines(name, is_balanced, examples)
    return Outcome(rows=rows, claims=_combination_claims(rows, best), notes=_NOTES, data={"seed": options.seed})


def _combination_claims(rows: list[dict[str, object]], best: dict[tuple[str, str], list[float]]) -> list[Claim]:
    sets = sorted({name for name, _ in best})

    def mean(combination: str) -> float:
        return float(np.mean([f for name in sets for f in best[name, combination]]))

    precisions = [float(str(row["precision"])) for row in rows if row["combination"] in ("LINK", "TEXT", "NO-URL")]
    exact = [float(str(row["recall"])) for row in rows if row["combination"] == "byte equality"]
    no_url = max(max(best[name, "NO-URL"]) for name in sets)
    return [
        Claim(
            "Learning on pairs works: NO-URL reaches F ≥ 0.975 with its best kernel",
            no_url >= 0.975,
            f"best F {no_url:.3f}",
        ),
        Claim(
            "Text, links and structure together are better than structure alone",
            mean("NO-URL") > mean("STRUCTURE"),
            f"mean F {mean('NO-URL'):.3f} against {mean('STRUCTURE'):.3f}",
        ),
        Claim(
            "With C tuned, ALL (with the addresses) separates the sets perfectly",
            min(min(best[name, "ALL"]) for name in sets) >= 0.995,
            f"worst F {min(min(best[name, 'ALL']) for name in sets):.3f}; the thesis had 0.966 without tuning",
        ),
        Claim(
            "Exact comparison is useless: recall below 0.4", max(exact) < 0.4, f"byte equality finds {max(exact):.2f}"
        ),
        Claim(
            "Errors are false alarms: precision of LINK, TEXT and NO-URL stays above 0.95",
            min(precisions) > 0.95,
            f"lowest {min(precisions):.3f}",
        ),
    ]


def _single(options: Options) -> Outcome:
    rows: list[dict[str, object]] = []
    scores: dict[str, list[float]] = {}
    all_names = tuple(measure.name for measure in MEASURES)
    for name, is_balanced, examples in _measured(options, all_names):
        for measure in MEASURES:
            options.progress(f"{name}: {measure.name}")
            crossed = [cross(examples, (measure.name,), kernel, seed=options.seed) for kernel in _THREE[1:]]
            f = float(np.mean([0.0 if c.figures.f != c.figures.f else c.figures.f for c in crossed]))
            printed = _printed(measure.name, name, is_balanced)
            rows.append(
                {
                    "set": name,
                    "balanced": is_balanced,
                    "number": measure.number,
                    "measure": measure.name,
                    "family": str(measure.family),
                    "accuracy": round(float(np.mean([c.figures.accuracy for c in crossed])), 4),
                    "f": round(f, 4),
                    "published_accuracy": printed[0],
                    "published_f": printed[1],
                }
            )
            scores.setdefault(measure.name, []).append(f)
    means = {name: float(np.mean(values)) for name, values in scores.items()}
    content = {name: f for name, f in means.items() if name in THESIS and not name.startswith(("url", "simple"))}
    best = max(content, key=lambda name: content[name])
    claims = [
        Claim(
            "WordBag is the best single measure, or within 0.02 of it",
            means["word_bag"] >= content[best] - 0.02,
            f"WordBag {means['word_bag']:.3f}, best {best} {content[best]:.3f}; {field_of(content.values())}",
        ),
        Claim(
            "Exact comparison and the Euclidean distance of counts are the worst measures of content",
            max(means["simple_raw_text"], means["simple_text"], means["euclid"])
            < min(content[n] for n in ("word_bag", "cosine", "levenshtein_text")),
            f"{means['simple_raw_text']:.3f}, {means['simple_text']:.3f}, {means['euclid']:.3f}",
        ),
    ]
    return Outcome(rows=rows, claims=claims, notes=_NOTES, data={"seed": options.seed})


def _printed(measure: str, name: str, is_balanced: bool) -> tuple[float | None, float | None]:
    known = published.MEASURES.get(measure)
    if known is None or name not in ("S1", "S2"):
        return None, None
    return known[2 * (name == "S2") + is_balanced]


def _kernels(options: Options) -> Outcome:
    """Four kernels, folds at random and by site, on the easy sets and on the hard one with both label sets."""
    sets = [*_sets(options), set_3(options.seed, options.scale), set_3(options.seed, options.scale, attributive=True)]
    rows: list[dict[str, object]] = []
    found: dict[tuple[str, Kernel, str], Crossed] = {}
    names = tuple(dict.fromkeys((*THESIS, *MEMBERS["MODERN"])))
    for pairs in sets:
        options.progress(f"measuring {len(pairs.pairs)} pairs of {pairs.name}")
        examples = examples_of(pairs.pairs, names)
        for combination, kernel, make in product(("NO-URL", "MODERN", "ALL"), Kernel, (random_folds, grouped_folds)):
            options.progress(f"{pairs.name}: {combination}, {kernel}")
            split = "by site" if make is grouped_folds else "random"
            crossed = cross(examples, MEMBERS[combination], kernel, seed=options.seed, make=make)
            if combination == "NO-URL":
                found[pairs.name, kernel, split] = crossed
            rows.append(
                {
                    "set": pairs.name,
                    "combination": combination,
                    "kernel": str(kernel),
                    "folds": split,
                    **_row(crossed.figures.as_dict()),
                    "training_s": round(crossed.seconds, 3),
                }
            )
    return Outcome(
        rows=rows,
        claims=_kernel_claims(rows, found),
        notes=_NOTES,
        data={"seed": options.seed},
        timed=("training_s",),
    )


def _kernel_claims(rows: list[dict[str, object]], found: Mapping[tuple[str, Kernel, str], Crossed]) -> list[Claim]:
    gaps = [
        abs(found[name, Kernel.POLYNOMIAL, split].figures.f - found[name, Kernel.RADIAL, split].figures.f)
        for name, kernel, split in found
        if kernel is Kernel.RADIAL
    ]
    slowest = max(float(str(row["training_s"])) for row in rows if row["kernel"] != "sigmoid")
    hard = [float(str(row["f"])) for row in rows if row["combination"] == "ALL" and str(row["set"]).startswith("S3")]
    return [
        Claim(
            "Polynomial and radial kernels are equally good (F within 0.03)",
            max(gaps) <= 0.03,
            f"largest difference {max(gaps):.3f}; {field_of(one.figures.f for one in found.values())}",
        ),
        Claim(
            "The linear kernel often did not finish in 300 s",
            False,
            f"with today's solver no training took longer than {slowest:.2f} s",
        ),
        Claim(
            "Addresses decide: with them the sets are separated perfectly",
            max(hard) >= 0.999,
            f"not where the address stays and the content goes: best F {max(hard):.3f} on S3",
        ),
    ]


COMBINATIONS = Experiment(
    "masloch-combinations", "Combinations of measures, by kernel", "[M03] App. B, Table 5.6", _combinations
)
SINGLE = Experiment("masloch-measures", "Each measure alone", "[M03] App. B, §5.5.3", _single)
KERNELS = Experiment(
    "masloch-kernels",
    "Kernels, folds at random and by site, easy and hard sets",
    "[M03] §5.5.2; hard set: ours",
    _kernels,
)
