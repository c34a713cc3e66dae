"""Training of verdict models: features, tuning inside the folds, calibration, plain arrays.  [M03] §3, §4.4."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.base.value_class import alike
from afresh.lab.verdicts.figures import Contingency, contingency
from afresh.lab.verdicts.pairs import Pair
from afresh.links.verdicts.comparison import pair_values
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import VerdictModel

Matrix = NDArray[np.float64]
Labels = NDArray[np.bool_]

#: What C and γ are chosen from; γ is per standardised measure.
COSTS = (0.03, 0.1, 0.3, 1.0)
GAMMAS = (0.01, 0.03)
_SKLEARN = {Kernel.LINEAR: "linear", Kernel.POLYNOMIAL: "poly", Kernel.RADIAL: "rbf", Kernel.SIGMOID: "sigmoid"}
DEGREE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Kernel and parameters of one training run."""

    kernel: Kernel = Kernel.RADIAL
    cost: float = 1.0
    gamma: float = 0.03
    coef0: float = 1.0
    degree: int = DEGREE
    balanced: bool = True  # an error on the rarer class costs more, as the classes' sizes demand


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Measure values with labels; ``groups`` are the sites each example comes from."""

    names: tuple[str, ...]
    values: Matrix
    same: Labels
    kinds: NDArray[np.str_]
    groups: tuple[frozenset[str], ...]

    def __len__(self) -> int:
        return len(self.same)

    def take(self, rows: NDArray[np.int64]) -> "Examples":
        groups = tuple(self.groups[i] for i in rows)
        return Examples(
            names=self.names, values=self.values[rows], same=self.same[rows], kinds=self.kinds[rows], groups=groups
        )

    def columns(self, names: Sequence[str]) -> "Examples":
        at = [self.names.index(name) for name in names]
        return Examples(
            names=tuple(names), values=self.values[:, at], same=self.same, kinds=self.kinds, groups=self.groups
        )


def examples_of(pairs: Sequence[Pair], names: Sequence[str]) -> Examples:
    """Measure the pairs."""
    return Examples(
        names=tuple(names),
        values=np.array([pair_values(pair.old, pair.new, tuple(names)) for pair in pairs]).reshape(-1, len(names)),
        same=np.array([pair.same for pair in pairs], bool),
        kinds=np.array([pair.kind for pair in pairs]),
        groups=tuple(pair.groups for pair in pairs),
    )


def grid(
    kernel: Kernel, costs: Sequence[float] = COSTS, gammas: Sequence[float] = GAMMAS, *, balanced: bool = True
) -> list[Setting]:
    """The settings tried for a kernel."""
    if kernel is Kernel.LINEAR:
        return [Setting(kernel=kernel, cost=cost, balanced=balanced) for cost in costs]
    # tanh(γ x·z + b) is a kernel only for b ≤ 0; the others keep the constant of [M03] eq. 3.19.
    constant = -1.0 if kernel is Kernel.SIGMOID else 1.0
    return [
        Setting(kernel=kernel, cost=c, gamma=g, coef0=constant, balanced=balanced) for c, g in product(costs, gammas)
    ]


def fit(
    examples: Examples,
    setting: Setting,
    *,
    about: Mapping[str, Any] | None = None,
    importance: NDArray[np.float64] | None = None,
) -> VerdictModel:
    """Train a machine; its probabilities are uncalibrated until ``calibrated`` has seen held-out decisions.

    ``importance`` says how much each example counts; None: all alike.
    """
    need("lab", "training")
    from sklearn.svm import SVC  # noqa: PLC0415 (extra: lab)

    centre = examples.values.mean(axis=0)
    spread = examples.values.std(axis=0)
    scale = np.where(spread > 1e-9, spread, 1.0)
    if examples.same.all() or not examples.same.any():
        raise UsageError("training needs examples of both classes")
    machine = SVC(
        kernel=_SKLEARN[setting.kernel],
        C=setting.cost,
        gamma=setting.gamma,
        coef0=setting.coef0,
        degree=setting.degree,
        class_weight="balanced" if setting.balanced else None,
        cache_size=200,
    )
    machine.fit((examples.values - centre) / scale, examples.same, sample_weight=importance)
    return alike(
        VerdictModel,
        setting,
        measures=examples.names,
        centre=centre,
        scale=scale,
        vectors=np.asarray(machine.support_vectors_, np.float64),
        weights=np.asarray(machine.dual_coef_[0], np.float64),
        intercept=float(machine.intercept_[0]),
        slope=-2.0,
        offset=0.0,
        about=dict(about or {}),
    )


def grouped_folds(
    examples: Examples, folds: int, rng: random.Random
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Training and test rows by site: the site that puts a pair into a test fold occurs in no training pair of it.

    The second site of a pair of two sites may lie in another fold, and then other pairs of it are trained with.
    """
    names = sorted(set().union(*examples.groups))
    rng.shuffle(names)
    sizes = dict.fromkeys(range(folds), 0)
    fold_of: dict[str, int] = {}
    weight = {name: sum(name in groups for groups in examples.groups) for name in names}
    for name in sorted(names, key=lambda name: -weight[name]):  # the largest first, into the emptiest fold
        fold_of[name] = min(sizes, key=lambda fold: sizes[fold])
        sizes[fold_of[name]] += weight[name]
    # A pair of two sites is tested in the fold of one and trained with where neither is tested.
    where = [frozenset(fold_of[name] for name in groups) for groups in examples.groups]
    home = [min(folds_of) for folds_of in where]
    return [
        (
            np.array([i for i, at in enumerate(where) if fold not in at], np.int64),
            np.array([i for i, at in enumerate(home) if at == fold], np.int64),
        )
        for fold in range(folds)
    ]


def random_folds(
    examples: Examples, folds: int, rng: random.Random
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Training and test rows at random, both classes split alike, as the thesis did.  [M03] §5.5."""
    fold_of = np.empty(len(examples), np.int64)
    for label in (True, False):
        rows = np.flatnonzero(examples.same == label).tolist()
        rng.shuffle(rows)
        for position, row in enumerate(rows):
            fold_of[row] = position % folds
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(folds)]


Folds = Callable[[Examples, int, random.Random], list[tuple[NDArray[np.int64], NDArray[np.int64]]]]


def tune(
    examples: Examples, settings: Sequence[Setting], *, rng: random.Random, make: Folds, folds: int = 3
) -> Setting:
    """The setting with the best F over the folds of these examples; the first of equals, the simplest."""
    if len(settings) == 1:
        return settings[0]
    split = make(examples, folds, rng)
    scores = []
    for setting in settings:
        total = Contingency()
        for train, test in split:
            part = examples.take(train)
            if part.same.all() or not part.same.any() or not len(test):
                continue
            said = fit(part, setting).decisions(examples.values[test]) > 0.0
            total += contingency(examples.same[test], said)
        scores.append(total.f if total.f == total.f else 0.0)
    return settings[int(np.argmax(scores))]


def cross_decisions(
    examples: Examples, settings: Sequence[Setting], *, seed: int, make: Folds, folds: int = 5
) -> tuple[NDArray[np.float64], list[Setting]]:
    """Decisions on every example by a machine that saw nothing of its fold, tuned inside the training part."""
    rng = random.Random(seed)
    decisions = np.zeros(len(examples))
    chosen = []
    for train, test in make(examples, folds, rng):
        part = examples.take(train)
        setting = tune(part, settings, rng=rng, make=make)
        chosen.append(setting)
        decisions[test] = fit(part, setting).decisions(examples.values[test])
    return decisions, chosen


def calibrate(decisions: NDArray[np.float64], same: Labels) -> tuple[float, float]:
    """Slope and offset of Platt's sigmoid, by Newton's method on held-out decisions.

    Both classes weigh the same, so a probability speaks of a reader to whom neither is likelier beforehand.
    """
    weight = np.where(same, 0.5 / max(1, same.sum()), 0.5 / max(1, (~same).sum()))
    # Platt's targets keep the fit finite where the classes are separable.
    target = np.where(same, (same.sum() + 1.0) / (same.sum() + 2.0), 1.0 / ((~same).sum() + 2.0))
    slope, offset = -1.0, 0.0
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(np.clip(slope * decisions + offset, -500, 500)))
        error = weight * (target - p)
        gradient = np.array([(error * decisions).sum(), error.sum()])
        curve = weight * p * (1.0 - p)
        hessian = np.array(
            [[(curve * decisions**2).sum(), (curve * decisions).sum()], [(curve * decisions).sum(), curve.sum()]]
        )
        step = np.linalg.solve(hessian + 1e-9 * np.eye(2), gradient)
        slope, offset = slope - float(step[0]), offset - float(step[1])
        if float(np.abs(step).max()) < 1e-8:
            break
    return slope, offset
