"""What `afresh store distribute`, `move` and `doctor` say where there is one server; a cluster is tried by hand."""

from pathlib import Path

import pytest

from afresh.doors.cli.main import EXIT_ENVIRONMENT, EXIT_USAGE, run
from afresh.store.distributing import standing
from afresh.store.frontier import open_frontier
from tests.fakes.postgres import postgres

__all__ = ["postgres"]


@pytest.mark.parametrize("command", ["distribute", "move"])
def test_one_server_is_told_apart(command: str, postgres: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", command, postgres]) == EXIT_ENVIRONMENT
    assert "no extension `citus`" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["distribute", "move"])
def test_a_file_is_refused(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", command, str(tmp_path / "frontier.db")]) == EXIT_USAGE
    assert "postgresql://" in capsys.readouterr().err


def test_the_doctor_knows(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFRESH_FRONTIER_URL", postgres)
    open_frontier(postgres).close()
    assert standing(postgres, "frontier") == ("one server", [])
    run(["doctor"])
    assert "frontier servers   one server" in capsys.readouterr().out
