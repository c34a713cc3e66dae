"""Tutorials keep their word: each is run from its first to its last line, and shows what it says.

All lines of a page go to one shell, as a reader types them; ports are exchanged for free ones. What a page shows below
a command has to stand in its output, line by line; ``…`` stands for whatever is there.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.tools import quiet_port

TUTORIALS = sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("*.md"))
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MARK = "@@@tutorial@@@"
_PATIENCE = 240.0  # seconds for a page


@dataclass(slots=True)
class Typed:
    """A command with the lines that go on with it, and what the page shows of its output."""

    lines: list[str]
    shown: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def typed(page: str) -> list[Typed]:
    """What a reader types, in order."""
    commands: list[Typed] = []
    for block in _BLOCK.findall(page):
        until = ""  # the word that ends a document in the command
        for line in block.splitlines():
            if until:
                commands[-1].lines.append(line)
                until = "" if line == until else until
            elif line.startswith("$ "):
                commands.append(Typed([line[2:]]))
                document = re.search(r"<<'(\w+)'", line)
                until = document[1] if document else ""
            else:
                commands[-1].shown.append(line)
    return commands


def _with_free_ports(text: str) -> str:
    web = quiet_port()
    for port, free in ((8100, web), (8101, web + 1), (8080, quiet_port()), (8081, quiet_port())):
        text = text.replace(str(port), str(free))
    return text


def _pattern(shown: list[str]) -> str:
    return r"\s*".join(".*".join(map(re.escape, line.split("…"))) for line in shown)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_does_what_it_says_from_its_first_to_its_last_line(path: Path, tmp_path: Path) -> None:
    if shutil.which("curl") is None:
        pytest.fail("the tutorials need curl; on Debian: apt-get install curl")
    commands = typed(_with_free_ports(path.read_text(encoding="utf-8")))
    assert len(commands) > 10
    # Jobs are told apart as at a prompt, and what they say goes where the page sends it.
    script = "set -m\n" + "\n".join(f"{one.text}\necho; echo {_MARK}" for one in commands)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    said = _played(script, tmp_path, environment).split(_MARK)
    for command, output in zip(commands, said, strict=False):
        expected = _pattern(command.shown)
        assert re.search(expected, output, re.DOTALL), f"{path.stem}: $ {command.text}\nsaid:\n{output}"
    assert len(said) == len(commands) + 1


def _played(script: str, folder: Path, environment: dict[str, str]) -> str:
    """What it said on both lines; whatever it left running is ended."""
    shell = subprocess.Popen(
        ["bash", "-c", script], cwd=folder, env=environment, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        return shell.communicate(timeout=_PATIENCE)[0]
    finally:
        for process in psutil.process_iter():
            with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
                if os.getsid(process.pid) == shell.pid:
                    process.kill()
        shell.wait(20)
