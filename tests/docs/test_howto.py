"""Guides keep their word: their commands have these options, their settings exist, the rule they write works."""

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest

from afresh.base.settings import OPTIONS
from afresh.doors.cli.main import cli
from afresh.feeds.rules import hints
from tests.laws.rules import LAWS

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = [
    DOCS / "quickstart.md",
    DOCS / "operations.md",
    DOCS / "troubleshooting.md",
    *sorted((DOCS / "tutorials").glob("*.md")),
    *sorted((DOCS / "howto").glob("*.md")),
]
_BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def commands() -> Iterator[tuple[str, str]]:
    """Guide and command, for each line that calls afresh; lines that go on are put together."""
    for guide in GUIDES:
        for language, block in _BLOCK.findall(guide.read_text(encoding="utf-8")):
            text = re.sub(r"\\\n\s*", " ", block) if language in ("", "console", "sh") else ""
            for line in re.findall(r"^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?afresh (.+)$", text, re.MULTILINE):
                yield guide.stem, re.sub(r"\s#\s.*|\s[>|]\s.*", "", line).strip()


@pytest.mark.parametrize(("guide", "line"), list(commands()), ids=lambda text: text[:60])
def test_every_command_of_a_guide_exists_with_its_options(guide: str, line: str) -> None:
    quotes = line.count("'") % 2  # a statement that goes on in the next line
    words = shlex.split(line + "'" * quotes)
    command: click.Command = cli
    known, anywhere = {name for option in cli.params for name in option.opts}, {"--set", "--config", "--help"}
    for word in words:
        if word.startswith("--"):
            assert word.partition("=")[0] in known | anywhere, f"{guide}: {line}"
        elif isinstance(command, click.Group) and (found := command.get_command(click.Context(command), word)):
            command = found
            known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    assert command is not cli, f"{guide}: {line}"
    assert not isinstance(command, click.Group), f"{guide}: {line}"


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_setting_of_a_guide_exists(guide: Path) -> None:
    groups = {name.partition(".")[0] for name in OPTIONS}
    text = guide.read_text(encoding="utf-8")
    named = re.findall(r"`([a-z]+)\.([a-z_]+)(?:`| = )", text)
    for group, option in named:
        assert group not in groups or f"{group}.{option}" in OPTIONS or option in ("db", "toml"), f"{group}.{option}"
    for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
        group = ""
        for line in block.splitlines():
            if heading := re.match(r"\[(\w+)\]", line):
                group = heading[1]
            elif setting := re.match(r"(\w+) *=", line):
                assert f"{group}.{setting[1]}" in OPTIONS, line


def test_the_rule_of_the_guide_is_that_of_the_example_and_obeys_the_laws() -> None:
    sources = re.findall(r"```python\n(.*?)```", (DOCS / "howto/write-a-rule.md").read_text("utf-8"), re.DOTALL)
    package = DOCS.parent / "examples/plugin/src/afresh_last_gap"
    path = package / "rule.py"
    assert sources == [path.read_text("utf-8"), (package / "policy.py").read_text("utf-8")]
    spec = importlib.util.spec_from_file_location("last_gap", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["last_gap"] = module
    try:
        spec.loader.exec_module(module)
        rule = module.LastGap(factor=1.5)
        window, now = np.array([0.0, 3600.0, 10_800.0]), 11_000.0
        due = rule.step(rule.params(), np.zeros(rule.state_size), now, window, 0, hints.row(), 0.0)
        assert due == now + 1.5 * 7_200.0
        said = rule.explain(np.zeros(rule.state_size), now, window, hints.row())
        assert said.numbers["interval"] == 1.5 * 7_200.0
        for law in LAWS:
            law(rule)
    finally:
        del sys.modules["last_gap"]


@pytest.mark.parametrize("guide", sorted((DOCS / "howto").glob("*.md")), ids=lambda path: path.stem)
def test_every_how_to_shows_what_one_will_see(guide: Path) -> None:
    pictures = re.findall(r"!\[[^]]+\]\((\S+)\)", guide.read_text(encoding="utf-8"))
    assert pictures, "make pictures draws them: tests/tour.py of pages, tests/screens.py of terminals"
    assert all((guide.parent / picture).is_file() for picture in pictures)
