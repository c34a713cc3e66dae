"""A trained classifier as plain numbers: written and read as JSON with a version and a checksum, never unpickled."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.base.errors import ModelError
from afresh.links.measures.catalogue import measure
from afresh.links.verdicts.kernels import Kernel, Matrix, kernel_matrix

FORMAT = "afresh-verdict-model"
VERSION = 1
MAX_VECTORS = 20_000
MAX_CHARACTERS = 50_000_000
#: Inputs of a model that are not measures of the catalogue.
EXTRA = ("unturned",)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VerdictModel:
    """A support vector machine over measure values, with calibrated probabilities.  [M03] §3.3, §4.4.

    ``measures`` are the names at the fixed positions of the vector; a value is centred and scaled before the kernel
    sees it. P(same) = 1 / (1 + exp(slope · decision + offset)), Platt's calibration.
    """

    measures: tuple[str, ...]
    kernel: Kernel
    gamma: float
    degree: int
    coef0: float
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    vectors: Matrix
    weights: NDArray[np.float64]  # α_i y_i
    intercept: float
    slope: float
    offset: float
    threshold: float = 0.5  # P(same) from which on two versions are the same page
    equal_from: float = 0.99  # P(same) from which on they count as equal ([M03] §4.4 step 3)
    about: Mapping[str, Any] = field(default_factory=dict)  # how it was trained, for people

    def decisions(self, values: Matrix) -> NDArray[np.float64]:
        """The real-valued decision of each row of measure values; above 0: same.  [M03] eq. 3.15."""
        x = (np.atleast_2d(values) - self.centre) / self.scale
        k = kernel_matrix(self.kernel, x, self.vectors, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        return np.asarray(k @ self.weights + self.intercept, np.float64)

    def probabilities(self, values: Matrix) -> NDArray[np.float64]:
        """P(same page) of each row of measure values."""
        z = np.clip(self.slope * self.decisions(values) + self.offset, -500.0, 500.0)
        return np.asarray(1.0 / (1.0 + np.exp(z)), np.float64)

    def influences(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much each measure moved the decision of one pair: its value against the typical one, others kept."""
        changed = np.repeat(values[None, :], len(values), axis=0)
        np.fill_diagonal(changed, self.centre)
        influence: NDArray[np.float64] = self.decisions(values[None, :])[0] - self.decisions(changed)
        return influence


def dump_model(model: VerdictModel) -> str:
    """The model as JSON text, six significant digits, with its checksum."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "measures": list(model.measures),
        "kernel": str(model.kernel),
        "gamma": model.gamma,
        "degree": model.degree,
        "coef0": model.coef0,
        "centre": _rounded(model.centre),
        "scale": _rounded(model.scale),
        "vectors": [_rounded(row) for row in model.vectors],
        "weights": _rounded(model.weights),
        "intercept": model.intercept,
        "slope": model.slope,
        "offset": model.offset,
        "threshold": model.threshold,
        "equal_from": model.equal_from,
        "about": dict(model.about),
    }
    content["checksum"] = _checksum(content)
    # One line a field: the arrays stay compact and differences readable.
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in content.items())
    return "{\n" + lines + "\n}\n"


def load_model(text: str) -> VerdictModel:
    """Read a model; ModelError says what is wrong with it."""
    if len(text) > MAX_CHARACTERS:
        raise ModelError(f"the model is longer than {MAX_CHARACTERS:,} characters")
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the model is not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelError(f"not a verdict model: format is not {FORMAT!r}")
    if content.get("version") != VERSION:
        raise ModelError(
            f"the model has version {content.get('version')!r}, this program reads {VERSION}: train it again"
        )
    if content.pop("checksum", None) != _checksum(content):
        raise ModelError("the model's checksum does not fit its content: it was changed or cut after it was trained")
    try:
        return _from(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"the model lacks or has an unusable field: {error}") from error


@lru_cache(maxsize=1)
def default_model() -> VerdictModel:
    """The model that ships with the package."""
    folder = files("afresh.links.verdicts").joinpath("models")
    return load_model(folder.joinpath("default.json").read_text(encoding="utf-8"))


def _from(content: Mapping[str, Any]) -> VerdictModel:
    names = tuple(str(name) for name in content["measures"])
    for name in names:
        if name not in EXTRA:
            measure(name)
    if not names or len(set(names)) != len(names):
        raise ModelError("the model has no measures, or one twice")
    vectors = _array(content, "vectors", 2)
    model = VerdictModel(
        measures=names,
        kernel=Kernel(content["kernel"]),
        gamma=_number(content, "gamma"),
        degree=int(_number(content, "degree")),
        coef0=_number(content, "coef0"),
        centre=_array(content, "centre", 1),
        scale=_array(content, "scale", 1),
        vectors=vectors,
        weights=_array(content, "weights", 1),
        intercept=_number(content, "intercept"),
        slope=_number(content, "slope"),
        offset=_number(content, "offset"),
        threshold=_number(content, "threshold"),
        equal_from=_number(content, "equal_from"),
        about=dict(content["about"]),
    )
    _check(model)
    return model


def _check(model: VerdictModel) -> None:
    width = len(model.measures)
    count = len(model.weights)
    if not 0 < count <= MAX_VECTORS:
        raise ModelError(f"a model has 1 to {MAX_VECTORS:,} support vectors, not {count:,}")
    if model.vectors.shape != (count, width) or len(model.centre) != width or len(model.scale) != width:
        raise ModelError("the model's arrays do not fit its list of measures")
    if (model.scale <= 0.0).any():
        raise ModelError("a scale of the model is not above 0")
    if not (0.0 <= model.threshold <= 1.0 and 0.0 <= model.equal_from <= 1.0 and 1 <= model.degree <= 10):
        raise ModelError("a threshold of the model is not between 0 and 1, or its degree not between 1 and 10")


def _number(content: Mapping[str, Any], key: str) -> float:
    value = content[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelError(f"{key} of the model is not a number")
    return float(value)


def _array(content: Mapping[str, Any], key: str, dimensions: int) -> NDArray[np.float64]:
    array = np.array(content[key], dtype=np.float64)
    if array.ndim != dimensions or not np.isfinite(array).all():
        raise ModelError(f"{key} of the model is not a table of numbers")
    return array


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]


def _checksum(content: Mapping[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
