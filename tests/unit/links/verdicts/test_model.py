"""Models as plain numbers: scoring, writing, reading, refusing."""

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.links.verdicts.kernels import Kernel, kernel_matrix
from afresh.links.verdicts.model import VerdictModel, _checksum, default_model, dump_model, load_model


def small(kernel: Kernel = Kernel.LINEAR) -> VerdictModel:
    return VerdictModel(
        measures=("word_bag", "title"),
        kernel=kernel,
        gamma=0.5,
        degree=2,
        coef0=1.0,
        centre=np.array([0.5, 0.0]),
        scale=np.array([0.5, 1.0]),
        vectors=np.array([[1.0, 0.0], [0.0, 1.0]]),
        weights=np.array([2.0, -1.0]),
        intercept=0.25,
        slope=-1.0,
        offset=0.0,
        about={"seed": 1},
    )


def test_decision_by_hand() -> None:
    # (1.0, 0.5) becomes (1, 0.5); linear: 2·1 − 1·0.5 + 0.25
    assert small().decisions(np.array([[1.0, 0.5]]))[0] == pytest.approx(1.75)
    assert small().probabilities(np.array([[1.0, 0.5]]))[0] == pytest.approx(1 / (1 + np.exp(-1.75)))


def test_kernels_by_hand() -> None:
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]])
    assert kernel_matrix(Kernel.LINEAR, x, z)[0, 0] == 5.0
    assert kernel_matrix(Kernel.POLYNOMIAL, x, z, gamma=1.0, degree=3, coef0=1.0)[0, 0] == 216.0
    assert kernel_matrix(Kernel.RADIAL, x, z, gamma=0.1)[0, 0] == pytest.approx(np.exp(-0.5))
    assert kernel_matrix(Kernel.SIGMOID, x, z, gamma=0.1, coef0=-1.0)[0, 0] == pytest.approx(np.tanh(-0.5))


@pytest.mark.parametrize("kernel", Kernel)
def test_round_trip(kernel: Kernel) -> None:
    model = small(kernel)
    values = np.random.default_rng(1).random((5, 2))
    again = load_model(dump_model(model))
    assert np.allclose(again.probabilities(values), model.probabilities(values), atol=1e-5)
    assert again.about == {"seed": 1}


def test_influence_is_against_the_typical_value() -> None:
    influence = small().influences(np.array([1.0, 0.5]))
    assert influence.tolist() == pytest.approx([2.0, -0.5])


def changed(**fields: Any) -> str:
    """A model with other content and a checksum that fits it."""
    content = json.loads(dump_model(small()))
    content.pop("checksum")
    content.update(fields)
    for key in [key for key, value in content.items() if value is ...]:
        del content[key]
    content["checksum"] = _checksum(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a verdict model"),
        ('{"format": "other"}', "not a verdict model"),
        (changed(version=2), "version 2"),
        (changed(measures=["word_bag", "no_such"]), "unknown measure"),
        (changed(measures=["word_bag", "word_bag"]), "twice"),
        (changed(measures=[]), "no measures"),
        (changed(kernel="quantum"), "quantum"),
        (changed(weights=[1.0]), "do not fit"),
        (changed(vectors=[[1.0], [2.0]]), "do not fit"),
        (changed(vectors=[["a", "b"], ["c", "d"]]), "unusable"),
        (changed(vectors=[[1.0], [1.0, 2.0]]), "unusable"),
        (changed(weights=[]), "support vectors"),
        (changed(scale=[0.0, 1.0]), "not above 0"),
        (changed(gamma="0.5"), "gamma"),
        (changed(gamma=True), "gamma"),
        (changed(intercept=10**400), "unusable"),
        (changed(threshold=2.0), "threshold"),
        (changed(degree=99), "degree"),
        (changed(centre=...), "centre"),
        (changed(about=5), "unusable"),
        (dump_model(small()).replace('"intercept": 0.25', '"intercept": 0.26'), "checksum"),
        (dump_model(small()).replace('"intercept": 0.25', '"intercept": NaN'), "not JSON"),
    ],
)
def test_bad_models_are_refused(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_model(text)


def test_a_model_cut_anywhere_is_refused() -> None:
    text = dump_model(small())
    rng = random.Random(1)
    for at in [rng.randrange(len(text) - 2) for _ in range(50)]:
        with pytest.raises(ModelError):
            load_model(text[:at])


def test_the_shipped_model_is_whole_and_compares_no_addresses() -> None:
    model = default_model()
    assert not {"url", "url_query", "url_query_only", "canonical"} & set(model.measures)
    assert "unturned" in model.measures
    figures = model.about["cross_validated_by_site"]
    assert figures["other_site"]["f"] >= 0.97
    assert figures["same_site"]["f"] >= 0.90
    assert figures["replaced"]["f"] >= 0.95
    assert replace(model, threshold=0.5).threshold == 0.5
