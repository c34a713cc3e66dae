"""Bad input: one clear line saying what, where and what to try; an exit code; nothing lost."""

import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest


def afresh(*arguments: str, cwd: Path, stdin: str = "", most: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs the program, with at most so many megabytes of memory (0: as much as it wants)."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd)}
    limit = ["sh", "-c", f'ulimit -v {most * 1024} && exec "$@"', "sh"] if most else []
    return subprocess.run(
        [*limit, sys.executable, "-m", "afresh", *arguments],
        cwd=cwd, env=environment, input=stdin, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def one_line(answer: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    lines = answer.stderr.strip().splitlines()
    assert answer.returncode == code, answer
    assert len(lines) == 1, answer.stderr
    for word in words:
        assert word in lines[0], lines[0]


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "ftp://example.org/a",
        "javascript:alert(1)",
        "http://[::1",
        "https://user:pw@example.org/",
        "x" * 9000,
    ],
)
def test_a_url_that_cannot_be_watched(tmp_path: Path, url: str) -> None:
    one_line(afresh("add", url, cwd=tmp_path), 1, "refused")


def test_files_that_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "broken.opml").write_text("<opml><body><outline")
    one_line(afresh("import", "missing.opml", cwd=tmp_path), 2, "missing.opml", "No such file")
    one_line(afresh("import", ".", cwd=tmp_path), 2, "cannot read")
    one_line(afresh("import", "broken.opml", cwd=tmp_path), 2, "broken.opml", "line 1")


@pytest.mark.parametrize("command", [("import",), ("check",), ("link", "add")])
def test_files_without_end_are_read_up_to_a_limit(tmp_path: Path, command: tuple[str, ...]) -> None:
    with (tmp_path / "huge.txt").open("wb") as huge:
        huge.truncate(500_000_000)  # a sparse file: takes no room on the disk
    for file in ("/dev/zero", "huge.txt"):
        one_line(afresh(*command, file, cwd=tmp_path, most=2_500), 2, file, "more than 64,000,000 bytes")


def test_databases_that_are_not_ours(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello\n" * 100)
    one_line(afresh("--store", "text.db", "list", cwd=tmp_path), 3, "text.db")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE cookies (id)")
    other.close()
    one_line(afresh("--store", "other.db", "list", cwd=tmp_path), 3, "other.db")
    assert afresh("add", "https://example.org/feed", cwd=tmp_path).returncode == 0
    newer = sqlite3.connect(tmp_path / "afresh.db")
    newer.execute("PRAGMA user_version = 9999")
    newer.close()
    one_line(afresh("list", cwd=tmp_path), 3, "afresh.db", "newer")
    one_line(afresh("--store", "no/such/folder/x.db", "list", cwd=tmp_path), 3, "no/such/folder")


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        one_line(afresh("run", "--port", port, cwd=tmp_path), 3, port, "--port 0")


def test_an_open_address_without_a_token(tmp_path: Path) -> None:
    one_line(afresh("run", "--host", "0.0.0.0", "--port", "0", cwd=tmp_path), 3, "token")


def test_two_daemons_on_one_database(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-m", "afresh", "run", "--port", "0"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    try:
        assert first.stderr is not None
        assert "watches" in first.stderr.readline()
        one_line(afresh("run", "--port", "0", cwd=tmp_path), 3, "afresh.db", str(first.pid))
        beside = afresh("add", "http://127.0.0.1:2/feed", "--set", "fetch.allowed_networks=127.0.0.0/8", cwd=tmp_path)
        assert beside.returncode == 0, "commands work beside a daemon"
    finally:
        first.terminate()
        assert first.wait(timeout=20) == 0
        first.stderr.close()


def test_a_full_disk(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk: the same write fails, at the same place."""
    assert afresh("add", "https://example.org/feed", cwd=tmp_path).returncode == 0
    (tmp_path / "many.txt").write_text("".join(f"https://example.org/{n}/{'x' * 200}\n" for n in range(20_000)))
    size = (tmp_path / "afresh.db").stat().st_size
    command = f"ulimit -f {size // 1024 + 600}; exec {sys.executable} -m afresh import many.txt"
    answer = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    one_line(answer, 3, "afresh.db")
    assert "https://example.org/feed" in afresh("list", cwd=tmp_path).stdout, "what was there is still there"


def test_settings_and_names_that_do_not_exist(tmp_path: Path) -> None:
    one_line(afresh("--set", "predict.rule=oracle", "run", "--port", "0", cwd=tmp_path), 2, "oracle")
    one_line(afresh("--config", "none.toml", "list", cwd=tmp_path), 3, "none.toml")
    one_line(afresh("show", "https://example.org/", cwd=tmp_path), 2, "not watched")
    one_line(afresh("set", "1", "--pin", "soon", cwd=tmp_path), 2, "not a duration")
    one_line(afresh("discover", cwd=tmp_path), 2, "--query")
