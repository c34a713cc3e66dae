"""Training: folds, calibration, the same decisions from plain arrays, the command end to end."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.svm import SVC

from afresh.base.errors import ModelError, UsageError
from afresh.doors.cli.lab.verdicts import verdicts_command
from afresh.lab.experiments import Options, experiment, masloch
from afresh.lab.traces.errors import TraceError
from afresh.lab.verdicts.figures import Contingency, contingency
from afresh.lab.verdicts.thesis_sets import set_1
from afresh.lab.verdicts.train import (
    Examples,
    Setting,
    calibrate,
    examples_of,
    fit,
    grid,
    grouped_folds,
    random_folds,
    tune,
)
from afresh.links.measures.catalogue import COMBINATIONS, THESIS, measure
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import default_model, load_model
from tests.unit.lab.verdicts.test_pairs import generated

#: What a door does with errors is not asked here.
PLAIN: Any = {"catch_exceptions": False, "standalone_mode": False}


def made(count: int = 200, seed: int = 1) -> Examples:
    rng = np.random.default_rng(seed)
    same = rng.random(count) < 0.5
    values = np.clip(rng.normal(np.where(same, 0.8, 0.3)[:, None], 0.15, (count, 3)), 0.0, 1.0)
    groups = tuple(frozenset({f"s{rng.integers(10)}", f"s{rng.integers(10)}"}) for _ in range(count))
    return Examples(
        names=("word_bag", "title", "shingle"),
        values=values,
        same=same,
        kinds=np.where(same, "same", "other_site"),
        groups=groups,
    )


@pytest.mark.parametrize("kernel", Kernel)
def test_plain_arrays_decide_as_the_library_does(kernel: Kernel) -> None:
    examples, setting = made(), grid(kernel)[-1]
    model = fit(examples, setting)
    x = (examples.values - model.centre) / model.scale
    names = {"linear": "linear", "polynomial": "poly", "radial": "rbf", "sigmoid": "sigmoid"}
    machine = SVC(
        kernel=names[kernel.value], C=setting.cost, gamma=setting.gamma, coef0=setting.coef0, degree=setting.degree,
        class_weight="balanced",
    ).fit(x, examples.same)  # fmt: skip
    assert np.allclose(model.decisions(examples.values), machine.decision_function(x), atol=1e-6)


def test_no_site_is_on_both_sides_of_a_grouped_fold() -> None:
    examples = made()
    tested = []
    for train, test in grouped_folds(examples, 4, random.Random(1)):
        seen = set().union(*(examples.groups[i] for i in train))
        home = [examples.groups[i] for i in test]
        assert all(groups - seen for groups in home)  # at least the site that put the pair into this fold
        tested += test.tolist()
    assert sorted(tested) == list(range(len(examples)))


def test_random_folds_keep_the_classes_in_proportion() -> None:
    examples = made()
    for _, test in random_folds(examples, 5, random.Random(1)):
        assert abs(examples.same[test].mean() - examples.same.mean()) < 0.05


def test_calibrated_probabilities_match_frequencies() -> None:
    rng = np.random.default_rng(3)
    decisions = rng.normal(0.0, 2.0, 20_000)
    same = rng.random(20_000) < 1.0 / (1.0 + np.exp(-1.5 * decisions))
    slope, offset = calibrate(decisions, same)
    assert slope == pytest.approx(-1.5, abs=0.1)
    assert offset == pytest.approx(0.0, abs=0.1)


def test_tuning_finds_the_better_setting() -> None:
    bad = Setting(kernel=Kernel.RADIAL, cost=1.0, gamma=1e6)
    good = Setting(kernel=Kernel.RADIAL, cost=1.0, gamma=0.1)
    assert tune(made(), [bad, good], rng=random.Random(1), make=random_folds) == good


def test_one_class_cannot_be_learnt() -> None:
    examples = made()
    with pytest.raises(UsageError, match="both classes"):
        fit(examples.take(np.flatnonzero(examples.same)), Setting())


def test_figures_by_hand() -> None:
    counted = contingency([True, True, True, False, False], [True, True, False, True, False])
    assert counted == Contingency(2, 1, 1, 1)
    assert (counted.accuracy, counted.precision, counted.recall, counted.f) == (0.6, 2 / 3, 2 / 3, 2 / 3)
    nothing = contingency([True, False], [False, False])
    assert nothing.precision != nothing.precision  # n/a
    assert (Contingency(1, 2, 3, 4) + Contingency(1, 1, 1, 1)) == Contingency(2, 3, 4, 5)


def test_pair_learning_beats_every_baseline() -> None:
    examples = examples_of(set_1(2, 0.3).pairs, THESIS).columns(("word_bag", "text_link_bag", "levenshtein_structure"))
    train, test = random_folds(examples, 2, random.Random(1))[0]
    said = fit(examples.take(train), Setting()).decisions(examples.values[test]) > 0.0
    assert contingency(examples.same[test], said).f > 0.85


def test_train_and_judge_by_command(tmp_path: Path) -> None:
    folder, output = generated(tmp_path / "pages", sites=8, versions=5), tmp_path / "model.json"
    run = CliRunner().invoke
    trained = run(
        verdicts_command,
        ["--train", str(folder), "--output", str(output), "--kernel", "linear", "--json"],
        catch_exceptions=False,
        standalone_mode=False,
    )
    assert json.loads(trained.stdout)["pairs"]["same"] == 63
    model = load_model(output.read_text())
    assert model.kernel is Kernel.LINEAR
    judged = run(
        verdicts_command,
        ["--pages", str(folder), "--model", str(output), "--json"],
        catch_exceptions=False,
        standalone_mode=False,
    )
    result = json.loads(judged.stdout)
    assert set(result["kinds"]) == {"other_site", "same_site", "one_title", "replaced"}
    assert set(result["kinds"]["replaced"]) == {"accuracy", "precision", "recall", "f"}
    assert result["kinds"]["other_site"]["f"] > 0.9
    assert set(result["baselines"]) >= {"byte_equality", "text_equality", "random", "default"}
    assert result["ms_per_pair"] > 0


def test_the_shipped_model_judges_pages_it_has_never_seen(tmp_path: Path) -> None:
    folder = generated(tmp_path, sites=6)
    told = CliRunner().invoke(verdicts_command, ["--pages", str(folder)], **PLAIN)
    assert "ms a comparison" in told.output
    assert default_model().about["pairs"]["same"] > 1000


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], UsageError),
        (["--pages", "a", "--train", "b"], UsageError),
        (["--train", "b"], UsageError),
        (["--pages", "/nowhere"], TraceError),
        (["--pages", ".", "--model", "/nowhere"], UsageError),
        (["--pages", ".", "--model", __file__], ModelError),
    ],
)
def test_mistakes_are_named(arguments: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        CliRunner().invoke(verdicts_command, arguments, **PLAIN)


def test_experiments_print_published_beside_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masloch, "MEASURES", [measure(name) for name in COMBINATIONS["TEXT"]])
    outcome = experiment("masloch-measures").run(Options(scale=0.1))
    row = next(row for row in outcome.rows if row["measure"] == "word_bag" and row["set"] == "S1")
    assert row["published_f"] == 0.976
    assert 0.0 <= float(str(row["f"])) <= 1.0
    assert {str(row["measure"]) for row in outcome.rows} == set(COMBINATIONS["TEXT"])
