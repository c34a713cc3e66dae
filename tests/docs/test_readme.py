"""The README keeps its word: its commands exist, its links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[list[str]]:
    """Every ``afresh`` command line of the README, without comments."""
    found = re.findall(r"^\$ (?:\.venv/bin/)?afresh ([^#\n]+)", README, re.MULTILINE)
    return [line.split() for line in found]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_of_the_readme_exists_with_its_options(words: list[str]) -> None:
    groups = {"lab": 2, "config": 2, "feed": 2, "frontier": 2, "link": 2, "notice": 2, "page": 2}
    depth = groups.get(words[0], 1)
    if words[:2] in (["lab", "trace"], ["lab", "generate"]):
        depth = 3
    answer = subprocess.run([sys.executable, "-m", "afresh", *words[:depth], "--help"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    for option in (word for word in words[depth:] if word.startswith("-")):
        assert option in answer.stdout, f"{option} is not an option of {words[:depth]}"


@pytest.mark.parametrize(
    "document",
    sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")),
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_local_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_make_targets_named_in_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\$ make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "$ make test" in README
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
