"""Options of all commands may stand before the command or behind it; a mistyped command is answered with others."""

import json
from pathlib import Path

import pytest

from afresh.doors.cli.main import EXIT_USAGE, run


@pytest.mark.parametrize(
    "words",
    [
        ["--set", "loop.batch=9", "config", "show", "--json"],
        ["config", "show", "--set", "loop.batch=9", "--json"],
        ["config", "show", "--json", "--set=loop.batch=9"],
        ["config", "--config", "mine.toml", "show", "--json"],
    ],
    ids=" ".join,
)
def test_settings_are_given_on_either_side(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text("[loop]\nbatch = 9\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(words) == 0
    shown = {item["name"]: item["value"] for item in json.loads(capsys.readouterr().out)}
    assert shown["loop.batch"] == 9


def test_what_stands_behind_two_dashes_stays_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show", "--", "--set", "loop.batch=9"]) == EXIT_USAGE
    assert run(["config", "show", "--set"]) == EXIT_USAGE
    assert "requires an argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"), [(["chekc"], "`afresh check`"), (["lab", "replya"], "`afresh lab replay`")], ids=["top", "lab"]
)
def test_a_mistyped_command_is_answered_with_those_like_it(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == EXIT_USAGE
    assert f"No such command '{words[-1]}'. Did you mean {meant}" in capsys.readouterr().err
