"""What is promised of every command: it prints JSON, and shells complete it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from afresh.doors.cli.main import cli, run


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
            if not command.invoke_without_command:
                continue
        yield " ".join((*path, name)), command


ALL = dict(commands(cli))


def test_the_walk_finds_them() -> None:
    assert {"add", "poll", "link list", "lab trace describe", "notice add"} <= set(ALL)
    assert len(ALL) > 60


@pytest.mark.parametrize("name", ALL)
def test_every_command_prints_json(name: str) -> None:
    options = {option for parameter in ALL[name].params for option in parameter.opts}
    assert "--json" in options


@pytest.mark.parametrize("name", ALL)
def test_every_command_that_takes_a_duration_says_how_it_is_written(name: str) -> None:
    told = " ".join(ALL[name].get_help(click.Context(ALL[name])).split())
    assert (" DURATION " in told.partition("Options:")[2]) == ("a number alone is seconds" in told)


def test_completion_by_a_real_bash() -> None:
    bash = shutil.which("bash")
    assert bash is not None
    script = """
        eval "$("$AFRESH" completion bash)"
        COMPREPLY=()
        COMP_WORDS=(afresh po) COMP_CWORD=1
        _afresh_completion "$AFRESH"
        echo "${COMPREPLY[@]}"; COMPREPLY=()
        COMP_WORDS=(afresh lab rep) COMP_CWORD=2
        _afresh_completion "$AFRESH"
        echo "${COMPREPLY[@]}"; COMPREPLY=()
        COMP_WORDS=(afresh export --format o) COMP_CWORD=3
        _afresh_completion "$AFRESH"
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "AFRESH": str(Path(sys.executable).with_name("afresh"))}
    said = subprocess.run([bash, "-c", script], capture_output=True, text=True, timeout=120, env=environment)
    assert said.stdout.split("\n")[:3] == ["poll", "replay", "opml"], said.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_reads(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert f"_AFRESH_COMPLETE={shell}_complete" in capsys.readouterr().out
