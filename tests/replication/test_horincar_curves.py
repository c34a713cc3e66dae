"""The figures of [H12] Ch. 4 and §7.3.3 on some draws: enough for what they say, not for their error bars."""

from itertools import pairwise

import pytest

from afresh.lab.experiments import Options, Outcome, experiment
from afresh.lab.experiments.horincar import draws


def run_with(count: int, name: str, *, seed: int) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draws, "FEWEST", count)
        patch.setattr(draws, "DRAWS", count)
        return experiment(name).run(Options(seed=seed, jobs=2))


@pytest.fixture(scope="module")
def quality() -> Outcome:
    return run_with(12, "horincar-quality-cost", seed=1)


def test_what_the_curves_of_quality_say_holds(quality: Outcome) -> None:
    for claim in quality.claims:
        if not claim.text.startswith("mixed"):  # a gap of half a percent at b = 25 needs all the draws
            assert claim.holds, claim
    complete = {(row["strategy"], row["b"]): float(str(row["completeness"])) for row in quality.rows}
    for b in (30, 40):
        assert complete["two_steps", b] > complete["only_sat", b] + 0.02
    assert all(series.y for figure in quality.figures for series in figure.series)


@pytest.mark.parametrize("name", ["two_steps", "only_tau", "uniform"])
@pytest.mark.parametrize("measure", ["completeness", "freshness"])
def test_quality_rises_with_the_budget(quality: Outcome, name: str, measure: str) -> None:
    rows = sorted((row for row in quality.rows if row["strategy"] == name), key=lambda row: float(str(row["b"])))
    values = [float(str(row[measure])) for row in rows]
    assert len(values) == 9
    assert all(later >= earlier - 0.01 for earlier, later in pairwise(values)), values


def test_the_threshold_reaches_one_limit_from_any_start() -> None:
    outcome = run_with(6, "horincar-threshold", seed=3)
    assert all(claim.holds for claim in outcome.claims), outcome.claims
    [figure] = outcome.figures
    ends = [series.y[-1] for series in figure.series]
    assert max(ends) < 1.5 * min(ends)


def test_two_steps_does_as_well_on_learnt_models_where_requests_are_many() -> None:
    outcome = run_with(3, "horincar-online", seed=2)
    most = max(float(str(row["requests_per_entry"])) for row in outcome.rows)
    by_model = {
        (row["shape"], row["model"]): float(str(row["completeness"]))
        for row in outcome.rows
        if row["requests_per_entry"] == most
    }
    for (shape, model), value in by_model.items():
        assert value > by_model[shape, "known"] - 0.05, (shape, model)
