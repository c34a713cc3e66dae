"""Rows of a frontier that somebody has spoilt: set aside and shown, the others are handed out, a doctor mends them."""

import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from tests.faults.process import PATIENCE, SETTINGS, Process

_SITES = 4
_SITE = "(SELECT id FROM site WHERE name = 's{}.example.org')"
_SPOILT = {
    f"UPDATE page SET due = 'soon' WHERE site = {_SITE.format(0)}": (),
    f"UPDATE address SET etag = CAST(? AS TEXT) WHERE site = {_SITE.format(1)}": (b"caf\xe9",),
    f"UPDATE site SET delay = 'long' WHERE id = {_SITE.format(2)}": (),
}


def damaged_rows(folder: Path) -> Mapping[str, object]:
    """Three damaged rows of a running frontier with four sites."""
    file = folder / "frontier.db"
    words = [f"--set={name}={value}" for name, value in {**SETTINGS, "frontier.allow_private": True}.items()]
    running = Process([*words, "serve", "--store", str(file), "--port", "0"], folder / "serve.log")
    try:
        running.wait_for_door()
        account = running.ask("/api/v1/fetchers", {"contact": "a@example.org", "name": "one"}).json()
        urls = [f"http://s{number}.example.org/" for number in range(_SITES)]
        assert running.ask("/api/v1/urls", {"urls": urls}).status in (200, 201, 202)
        with closing(sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)) as connection:
            for statement, values in _SPOILT.items():
                connection.execute(statement, values)
        answer = running.ask("/api/v1/frontiers", {"fetcher_uuid": account["uuid"], "amount": 10})
        assert answer.status in (200, 201), answer.body
        given = [page["url"] for site in answer.json()["url_frontiers"] for page in site["url_list"]]
        assert given == [urls[-1]], given
        running.wait_for("degraded", words=f"{len(_SPOILT)} damaged rows are set aside")
        assert running.ask("/api/v1/stats").json()["set_aside_amount"] == len(_SPOILT)
        beside = _afresh(folder, "store", "check", str(file))
        assert beside.returncode == 1, beside  # beside a frontier that is served
        running.end()
    finally:
        running.kill()
    assert running.said.count("is set aside") == len(_SPOILT), running.said
    checked = _afresh(folder, "store", "check", str(file))
    assert (checked.returncode, "delay cannot be read" in checked.stdout) == (1, True), checked
    mended = _afresh(folder, f"--set=frontier.url={file}", "doctor", "--repair").stdout.count("mended: ")
    assert mended == len(_SPOILT)
    checked = _afresh(folder, "store", "check", str(file))
    assert checked.returncode == 0, checked
    return {"damaged": len(_SPOILT), "set_aside": len(_SPOILT), "mended": mended, "handed_out": len(given)}


def _afresh(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "afresh", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
