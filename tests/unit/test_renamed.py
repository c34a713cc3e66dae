"""Names that were changed work under the old ones until the next version, with a hint."""

from pathlib import Path

import pytest

from afresh.base.models import Bounds
from afresh.base.settings import load_settings
from afresh.doors.cli.main import run
from afresh.feeds.rules import load


def test_settings_have_their_old_names_too(tmp_path: Path) -> None:
    file = tmp_path / "afresh.toml"
    file.write_text('[predict]\nalpha = "2m"\nbeta = "2d"\nlongest = "3d"\n')
    loaded = load_settings(file=file, environment={"AFRESH_PREDICT_ETA": "2h"})
    assert loaded.settings.predict.bounds == Bounds(shortest=120.0, longest=3 * 86_400.0, standard=7_200.0)
    assert loaded.hints == (
        f"predict.alpha ({file}) is called predict.shortest now; the old name works until the next version",
        f"predict.beta ({file}) is called predict.longest now; the old name works until the next version",
        "predict.eta (environment AFRESH_PREDICT_ETA) is called predict.standard now; "
        "the old name works until the next version",
    )
    assert load_settings().hints == ()


def test_a_later_source_wins_under_the_old_name_as_well(tmp_path: Path) -> None:
    file = tmp_path / "afresh.toml"
    file.write_text('[predict]\nlongest = "3d"\n')
    assert load_settings(file=file, overrides={"predict.beta": "2d"}).settings.predict.longest == 2 * 86_400.0


def test_rules_that_stores_keep_under_old_names_load() -> None:
    assert load("fix:alpha=2m,beta=2d,eta=2h").bounds == load("fix:shortest=2m,longest=2d,standard=2h").bounds
    assert load("recorder:longest=3h,beta=2h").bounds.longest == 7_200.0  # its own parameter goes first


def test_options_have_their_old_names_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["add", "https://example.org/feed"]) == 0
    capsys.readouterr()
    assert run(["set", "https://example.org/feed", "--alpha", "2m", "--beta=2d"]) == 0
    told = capsys.readouterr().err
    assert "--alpha is called --shortest now" in told
    assert "--beta is called --longest now" in told
    assert run(["--set", "predict.eta=2h", "list"]) == 0
    assert "predict.eta (command line) is called predict.standard now" in capsys.readouterr().err
