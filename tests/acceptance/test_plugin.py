"""The example package of ``examples/plugin``, installed by pip beside afresh: every command knows what it adds."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.wheels import make_wheel

ROOT = Path(__file__).parents[2]
FEED = "https://example.org/feed"


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed into it, without a network."""
    folder = tmp_path_factory.mktemp("plugin")
    wheel = make_wheel(ROOT / "examples/plugin", folder)
    options = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", "--target", str(folder / "site"))
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    return folder / "site"


def afresh(*arguments: str, cwd: Path, plugins: Path | None, code: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd), "PYTHONPATH": str(plugins or "")}
    answer = subprocess.run(
        [sys.executable, "-m", "afresh", *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert answer.returncode == code, answer.stderr
    return answer


def told(*arguments: str, cwd: Path, plugins: Path) -> Any:
    return json.loads(afresh(*arguments, "--json", cwd=cwd, plugins=plugins).stdout)


def test_a_rule_of_another_package_is_replayed(plugins: Path, tmp_path: Path) -> None:
    afresh("lab", "generate", "feeds", "--count", "20", "-o", "feeds", cwd=tmp_path, plugins=plugins)
    replay = ("lab", "replay", "--trace", "feeds", "--train", "7d", "--test", "10d", "--jobs", "1")
    [row] = told(*replay, "--rule", "last_gap:factor=1.5", cwd=tmp_path, plugins=plugins)
    assert (row["name"], row["params"]) == ("last_gap", {"factor": 1.5})
    assert row["found"] > 0
    listed = told("lab", "list", cwd=tmp_path, plugins=plugins)["rules"]
    assert {"name": "last_gap", "parameters": {"factor": 2.0}} in listed


def test_a_policy_of_another_package_is_replayed(plugins: Path, tmp_path: Path) -> None:
    afresh("lab", "generate", "pages", "--count", "20", "-o", "pages", cwd=tmp_path, plugins=plugins)
    asked = ("--budget", "1", "--policy", "square-root", "--policy", "uniform")
    root, uniform = told("lab", "revisit", "--trace", "pages", *asked, cwd=tmp_path, plugins=plugins)
    assert (root["policy"], root["violations"]) == ("square-root", 0)
    assert root["requests"] == pytest.approx(uniform["requests"], rel=0.05)


def test_a_rule_of_another_package_is_set_and_explained(plugins: Path, tmp_path: Path) -> None:
    afresh("add", FEED, cwd=tmp_path, plugins=plugins)
    afresh("set", FEED, "--rule", "last_gap:factor=3", cwd=tmp_path, plugins=plugins)
    assert told("why", FEED, cwd=tmp_path, plugins=plugins)["rule"] == "last_gap"
    unknown = afresh("set", FEED, "--rule", "last_gab", cwd=tmp_path, plugins=plugins, code=2)
    assert "did you mean last_gap?" in unknown.stderr
    without = afresh("set", FEED, "--rule", "last_gap", cwd=tmp_path, plugins=None, code=2)
    assert "unknown rule 'last_gap'" in without.stderr


_SIMULATED = """
import numpy as np
from afresh.lab.orders.timetable import TIMETABLES
from afresh.lab.allocation.pages import Pages
from afresh.lab.revisit.engine import simulate
assert "round_robin" in TIMETABLES.names()
pages = Pages.of([0.01] * 4)
wanted = np.array([0.03, 0.01, 0.01, 0.01])
fresh = {}
for order in ("round_robin", "golden"):
    tally = simulate(pages, wanted, order=order, delays=np.ones(1), horizon=5e4, seed=1)
    assert tally.violations == 0
    fresh[order] = tally.requests
print(fresh)
"""


def test_an_order_of_another_package_is_simulated(plugins: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(plugins)}
    answer = subprocess.run(
        [sys.executable, "-c", _SIMULATED],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    requests = ast.literal_eval(answer.stdout)
    assert requests["round_robin"] == 3_000  # one a tick, for as long as the sum of what is wanted
    assert abs(requests["golden"] - 3_000) <= 4


def test_a_file_format_and_a_target_of_another_package(plugins: Path, tmp_path: Path) -> None:
    (tmp_path / "feeds.pins").write_text(f"{FEED} | Example\n", "utf-8")
    afresh("import", "feeds.pins", cwd=tmp_path, plugins=plugins)
    assert [item["url"] for item in told("list", cwd=tmp_path, plugins=plugins)] == [FEED]
    journal = tmp_path / "news.txt"
    afresh("notice", "add", f"journal://{journal}", "--failing", cwd=tmp_path, plugins=plugins)
    afresh("notice", "test", "1", cwd=tmp_path, plugins=plugins)
    assert len(journal.read_text("utf-8").splitlines()) == 1
    nowhere = ("notice", "add", "journal:///no/news.txt", "--failing")
    refused = afresh(*nowhere, cwd=tmp_path, plugins=plugins, code=2)
    assert "/no is no folder" in refused.stderr


def test_a_broken_package_is_named(plugins: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('half written')\n", "utf-8")
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text("[afresh.rules]\nlate = broken:Late\nplain = json:dumps\n", "utf-8")
    afresh("add", FEED, cwd=tmp_path, plugins=tmp_path)
    answer = afresh("set", FEED, "--rule", "late", cwd=tmp_path, plugins=tmp_path, code=2)
    assert "rule 'late' of broken cannot be loaded: RuntimeError('half written')" in answer.stderr
    answer = afresh("set", FEED, "--rule", "plain", cwd=tmp_path, plugins=tmp_path, code=2)
    assert "rule 'plain' of broken must be a class derived from afresh.feeds.rules.rule.Rule" in answer.stderr
