"""``afresh refresh``: what was said is kept, shown, taken back; what nobody can mean is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Kind, NewResource
from afresh.base.settings.sections import BudgetSettings
from afresh.doors.cli.main import run
from afresh.engine.budget import Budget
from afresh.engine.budget_report import TargetReport, keep_budget, kept_price, kept_report
from afresh.store import open_store

URL = "https://a.example/feed"


@pytest.fixture
def path(tmp_path: Path) -> str:
    store = open_store(str(tmp_path / "s.db"))
    store.add(
        [
            NewResource(url=URL, site="a.example", kind=Kind.FEED, folder="news"),
            NewResource(url="https://a.example/page", site="a.example", kind=Kind.PAGE),
        ],
        now=0.0,
    )
    store.close()
    return str(tmp_path / "s.db")


def refresh(path: str, *words: str) -> int:
    return run(["--store", path, "refresh", *words])


def test_what_is_said_is_shown_and_taken_back(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refresh(path) == 0
    assert "no choice was made" in capsys.readouterr().out
    assert refresh(path, "--folder", "news", "--mean-delay", "20m", "--completeness", "0.99") == 0
    assert refresh(path, "--tag", "x", "--strategy", "2steps", "--estimator", "periodic") == 0
    assert run(["--store", path, "set", URL, "--estimator", "smoothed"]) == 0
    capsys.readouterr()
    assert refresh(path) == 0
    assert capsys.readouterr().out.splitlines() == [
        "chosen    feed:1: estimator smoothed",
        "chosen    folder:news: a mean delay of 20m at most, completeness 0.99 at least",
        "chosen    tag:x: strategy 2steps, estimator periodic",
    ]
    for name in ("--mean-delay", "--completeness"):
        assert refresh(path, "--folder", "news", name, "none") == 0
    assert run(["--store", path, "set", URL, "--estimator", "none"]) == 0
    capsys.readouterr()
    assert refresh(path, "--json") == 0
    [left] = json.loads(capsys.readouterr().out)["choices"]
    assert (left["scope"], left["strategy"], left["estimator"]) == ("tag:x", "2steps", "periodic")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--tag", "x", "--strategy", "2stepz"), "`priced` leaves it to rules and prices"),
        (("--tag", "x", "--strategy", "2steps:increse=2"), "increse"),
        (("--tag", "x", "--estimator", "perodic"), "did you mean periodic"),
        (("--tag", "x", "--estimator", "single:alpha=7"), "alpha must lie"),
        (("--tag", "x", "--mean-delay", "0s"), "mean delay"),
        (("--tag", "x", "--completeness", "1.5"), "0.5 to 0.9999"),
        (("--tag", "x", "--completeness", "much"), "a share like 0.99"),
        (("--tag", "x", "--strategy", "uniform", "--completeness", "0.9"), "priced"),
        (("--query", "solar", "--strategy", "2steps"), "no query feed is called solar"),
        (("2", "--strategy", "2steps"), "this is none"),
        (("--folder", "/", "--strategy", "2steps"), "a folder has a name"),
        (("--folder", "a", "--tag", "b", "--strategy", "2steps"), "name one feed"),
        (("--folder", "a"), "say what holds"),
        (("--strategy", "2steps"), "name one feed"),
    ],
)
def test_what_nobody_can_mean_is_refused(
    path: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    assert refresh(path, *words) == 2
    assert complaint in capsys.readouterr().err
    assert refresh(path) == 0
    assert "no choice was made" in capsys.readouterr().out


def test_a_target_that_cannot_be_met_is_told_by_status_refresh_and_why(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refresh(path, "--folder", "news", "--mean-delay", "20m") == 0
    target = TargetReport(
        scope="folder:news", target_delay=1_200.0, target_completeness=None, mean_delay=1_800.0, completeness=None,
        price=70.0, feeds=1, requests_per_hour=12.0, is_met=False, trouble="all targets together would take too many",
    )  # fmt: skip
    store = open_store(path)
    Budget(BudgetSettings(requests_per_hour=600.0)).keep(store)
    price, report = kept_price(store), kept_report(store)
    assert price is not None
    assert report is not None
    keep_budget(store, price=replace(price, targets={"folder:news": 70.0}), report=replace(report, targets=(target,)))
    store.close()
    capsys.readouterr()
    said = "folder news: a mean delay of 20m is wanted, 30m lately; 12 requests an hour; cannot be met: all targets"
    for command in (["status"], ["refresh"], ["why", URL]):
        assert run(["--store", path, *command]) == 0
        out = capsys.readouterr().out
        assert said in out, command
    assert "a visit must save 70 s of waiting, says the controller of a mean delay of 20m for folder news" in out
