"""``afresh check`` against a server with every status, and pages that turned into something else behind a 200."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.doors.cli.main import run
from tests.fakes.every_status import FIRST, EveryStatus, answering

SETTINGS = {"fetch.allowed_networks": "127.0.0.0/8;::1/128", "politeness.delay": "0s", "fetch.read_timeout": "500ms"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(EveryStatus().answer) as address:
        yield address


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run(
        [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")] + ["check", *arguments]
    )
    return code, capsys.readouterr().out


def test_every_status_is_told(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = ["mailto:a@b.example", "http://[bad", "http://nobody.invalid/"]
    lines = [server + path for path in FIRST] + others
    (tmp_path / "links.txt").write_text("\n".join(lines))
    code, out = check(capsys, "--json", str(tmp_path / "links.txt"))
    assert code == 1
    found = {row["url"]: row for row in json.loads(out)}
    for path, (standing, status, turned) in FIRST.items():
        row = found[server + path]
        assert (row["standing"], row["status"], row["turned"]) == (standing, status, turned), row
    assert found[server + "/moved"]["new_url"] == server + "/good"
    assert found["mailto:a@b.example"]["status"] == "protocol_unsupported"
    assert found["http://[bad"]["status"] == "syntax_url"
    assert found["http://nobody.invalid/"]["standing"] != "ok"


def test_exit_code_and_reports(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, server + "/good")[0] == 0
    code, out = check(capsys, "--junit", server + "/good", server + "/gone")
    assert (code, 'failures="1"' in out) == (1, True)
    code, out = check(capsys, "--markdown", server + "/soft")
    assert "soft 404" in out
    (tmp_path / "empty.md").write_text("nothing here")
    assert check(capsys, str(tmp_path / "empty.md")) == (0, "no links\n")
    assert check(capsys, str(tmp_path / "missing.html"))[0] == 2
