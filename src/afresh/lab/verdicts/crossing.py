"""The thesis's evaluation of one combination: balanced or not, folds at random or by site, micro-averaged."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from afresh.lab.verdicts.figures import Contingency, contingency
from afresh.lab.verdicts.train import Examples, Folds, fit, grid, random_folds, tune
from afresh.links.verdicts.kernels import Kernel

COSTS = (1.0, 30.0)
GAMMAS = (0.03, 0.3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossed:
    """Figures of a cross-validation and the seconds a training took, tuning left out."""

    figures: Contingency
    seconds: float


def balanced(examples: Examples, seed: int) -> Examples:
    """As many negatives as positives, the others left out.  [M03] §5.4 ("weighted"); spec §3.5."""
    rng = random.Random(f"balanced {seed}")
    yes, no = np.flatnonzero(examples.same).tolist(), np.flatnonzero(~examples.same).tolist()
    count = min(len(yes), len(no))
    return examples.take(np.array(sorted(rng.sample(yes, count) + rng.sample(no, count)), np.int64))


def cross(
    examples: Examples,
    names: Sequence[str],
    kernel: Kernel,
    *,
    seed: int,
    make: Folds = random_folds,
    folds: int = 5,
) -> Crossed:
    """Five folds; C and γ are chosen inside each training part."""
    chosen = examples.columns(names)
    # One measure needs no search for the width of the kernel.
    settings = grid(kernel, COSTS, GAMMAS if len(names) > 1 else GAMMAS[-1:], balanced=False)
    rng = random.Random(seed)
    total, spent, runs = Contingency(), 0.0, 0
    for train, test in make(chosen, folds, rng):
        part = chosen.take(train)
        if not len(test) or part.same.all() or not part.same.any():
            continue
        setting = tune(part, settings, rng=rng, make=make, folds=2)
        start = time.process_time()
        model = fit(part, setting)
        spent, runs = spent + time.process_time() - start, runs + 1
        total += contingency(chosen.same[test], model.decisions(chosen.values[test]) > 0.0)
    return Crossed(figures=total, seconds=spent / max(1, runs))
