"""A model moved gently by what people say: its own decision stays, and ratings add a small correction to it.

The correction is a function of the model's own kernel, held small everywhere and near nothing at what the machine
remembers of its many examples, its support vectors. Each rating pulls only as far as it is worth against that (kernel
logistic regression with the old log-odds as offset; a Gaussian process would say: conditioned on the memory). Without
ratings it is nothing at all, two of them shade a verdict, and some twenty that agree turn one the model was sure of.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from afresh.lab.verdicts.train import Examples
from afresh.links.verdicts.kernels import Matrix, kernel_matrix
from afresh.links.verdicts.model import VerdictModel

#: How dear a correction is, and how strictly what the machine remembers is left alone (smaller: more strictly). Set so
#: that two ratings against P = 0.999 leave it above 0.9, and twenty rewritten pages called the same turn their kind.
PRIOR = 0.2
_SLACK = 1.0
_STEPS = 100


def correct(used: VerdictModel, rated: Examples, importance: NDArray[np.float64]) -> VerdictModel:
    """The model in use with the correction that the ratings call for; the ratings become vectors of it.

    Minimises Σ w log(1 + exp(-y (z + g))) + PRIOR/2 ‖g‖², z being the log-odds of the model in use and g the
    correction. K being the kernel without what the memory takes back, a rating moves its own pair's log-odds by at
    most w K(x, x) / PRIOR.
    """
    values = rated.columns(used.measures).values
    x = (values - used.centre) / used.scale
    among, across, inside = (_kernel(used, a, b) for a, b in ((x, x), (used.vectors, x), (used.vectors, used.vectors)))
    # What the memory takes back of a pull somewhere else, so that it stays where it was.
    back = np.linalg.solve(inside + _SLACK * np.eye(len(inside)), across)
    before = -(used.slope * used.decisions(values) + used.offset)
    pulls = _fit(among - across.T @ back, before, np.where(rated.same, 1.0, -1.0), importance) / -used.slope
    weights = np.concatenate([used.weights - back @ pulls, pulls])
    return replace(used, vectors=np.vstack([used.vectors, x]), weights=weights)


def remembered(model: VerdictModel, names: tuple[str, ...]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What a machine remembers of its examples, its support vectors: values of these measures, and labels."""
    at = [model.measures.index(name) for name in names]
    return (model.vectors * model.scale + model.centre)[:, at], model.weights > 0.0


def _kernel(model: VerdictModel, x: Matrix, z: Matrix) -> Matrix:
    return kernel_matrix(model.kernel, x, z, gamma=model.gamma, degree=model.degree, coef0=model.coef0)


def _fit(
    gram: Matrix, before: NDArray[np.float64], sign: NDArray[np.float64], importance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How much each rating pulls, by Newton's method; steps are halved until they lead downhill."""

    def loss(pulls: NDArray[np.float64]) -> float:
        moved = gram @ pulls
        return float(importance @ np.logaddexp(0.0, -sign * (before + moved)) + 0.5 * PRIOR * pulls @ moved)

    pulls = np.zeros(len(sign))
    for _ in range(_STEPS):
        wrong = 1.0 / (1.0 + np.exp(np.clip(sign * (before + gram @ pulls), -500, 500)))
        curve = importance * wrong * (1.0 - wrong)
        gradient = PRIOR * pulls - importance * sign * wrong
        step = np.linalg.solve(PRIOR * np.eye(len(sign)) + curve[:, None] * gram, gradient)
        size = 1.0
        while size > 1e-6 and loss(pulls - size * step) > loss(pulls):
            size /= 2.0
        pulls = pulls - size * step
        if size * float(np.abs(step).max()) < 1e-9:
            break
    return pulls
