"""The report of ``afresh check``, byte for byte: whatever is made quicker, it says the same.

Kept as it is in ``check_report.json`` and ``check_report_status_only.json``, but for what differs from run to run: the
port of the server, the time, the length of its headers, the folder of the file.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.doors.cli.main import run
from tests.fakes.every_status import FIRST, EveryStatus, answering

KEPT = Path(__file__).parent
SETTINGS = {"fetch.allowed_networks": "127.0.0.0/8;::1/128", "politeness.delay": "0s"}
#: what takes its time, and tells how much
TIMED = ("/slow", "/busy")
OTHERS = (
    "mailto:a@b.example", "http://[bad", "http://192.168.0.1/", "HTTP://Links.LOCALHOST:{port}/good#part",
    "http://links.localhost:{port}/a b", "http://user:word@links.localhost:{port}/good", "ftp://a.example/x",
)  # fmt: skip
VARIES = (
    (re.compile(r'"at": "[^"]*"'), '"at": "…"'),
    (re.compile(r'"size": [1-9]\d*'), '"size": 1'),
    (re.compile(r'"file": "[^"]*"'), '"file": "links.txt"'),
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(EveryStatus().answer) as address:
        yield address


def report(capfd: pytest.CaptureFixture[str], server: str, folder: Path, *options: str) -> str:
    port = server.rpartition(":")[2]
    lines = [server + path for path in FIRST if path not in TIMED] + [line.format(port=port) for line in OTHERS]
    (folder / "links.txt").write_text("\n".join(lines) + "\n")
    told = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    assert run([*told, "check", "--json", *options, str(folder / "links.txt")]) == 1
    text = capfd.readouterr().out.replace(f":{port}", ":PORT")
    for pattern, plain in VARIES:
        text = pattern.sub(plain, text)
    return text


@pytest.mark.parametrize(
    ("name", "options"),
    [("check_report", ()), ("check_report_status_only", ("--status-only",))],
    ids=["verdicts", "status"],
)
def test_the_report_stays_as_it_is(
    name: str, options: tuple[str, ...], server: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert report(capfd, server, tmp_path, *options) == (KEPT / f"{name}.json").read_text()
