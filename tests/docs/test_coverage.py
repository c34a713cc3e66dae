"""What the documentation names is there: modules, tests, experiments, options, commands; decisions without a gap."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from afresh.base.settings import OPTIONS
from afresh.doors.cli.main import cli
from afresh.lab.experiments import experiment_names

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "coverage.md"
#: Files of the repository outside of the package are named from its root.
PLACES = (ROOT / "src" / "afresh", ROOT / "tests", ROOT)
FILE = re.compile(r"[\w./-]+\.(?:py|sql)|(?:[\w-]+/)+[\w.-]*")
#: What both services serve, by their OpenAPI documents, which tests keep equal to them.
PATHS: dict[str, dict[str, object]] = {
    path: operations
    for name in ("openapi.json", "frontier-openapi.json")
    for path, operations in json.loads((ROOT / "docs/reference" / name).read_text("utf-8"))["paths"].items()
}
SECTIONS = {name.partition(".")[0] for name in OPTIONS}


class Row(NamedTuple):
    number: str
    place: str  # daemon, lab or left out
    where: str
    shown_by: str


def rows() -> list[Row]:
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    return [
        Row(one[0], one[2], one[3], one[4])
        for one in cells
        if one[0] not in ("Id", "Part") and not one[0].startswith("---")
    ]


def spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def missing_files(text: str) -> Iterator[str]:
    """Files that are nowhere; a bare name stands in the folder of the one before it."""
    folder = Path()
    for span in spans(text):
        if not FILE.fullmatch(span):
            continue
        found = [place / path for path in (span, folder / span) for place in PLACES if (place / path).exists()]
        if not found:
            yield span
        elif "/" in span:
            folder = Path(span).parent


def is_command(words: list[str]) -> bool:
    """Whether the words up to the first argument are a command with the options that follow."""
    command: click.Command = cli
    context = click.Context(cli, help_option_names=["-h", "--help"])
    while words and isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        if found is None:
            return False
        command, words = found, words[1:]
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    return all(word in known for word in words if word.startswith("--"))


def test_every_row_has_five_columns_and_says_how_it_is_shown() -> None:
    assert len(rows()) > 200
    silent = [row.number for row in rows() if not row.where or not row.shown_by]
    assert not silent


def opened(row: Row, *, of_the_lab: bool) -> list[str]:
    """The files, commands, settings and endpoints that a row names and that are there, of the lab or of all else."""
    found = []
    for span in spans(row.where):
        is_lab = span.startswith(("lab/", "experiments/", "afresh lab")) or span in experiment_names()
        if is_lab is of_the_lab and (is_there(span) or span in experiment_names()):
            found.append(span)
    return found


def is_there(span: str) -> bool:
    if span.startswith("afresh "):
        return is_command(span.split()[1:])
    return span in OPTIONS or is_endpoint(span) or (bool(FILE.fullmatch(span)) and not list(missing_files(f"`{span}`")))


def is_endpoint(span: str) -> bool:
    """Whether "GET /api/v1/queries/{name}" is served; a name or number may stand where the document has a parameter."""
    method, _, path = span.rpartition(" ")
    asked = path.partition("?")[0].removeprefix("/api/v1").strip("/").split("/")
    for known, operations in PATHS.items():
        parts = known.removeprefix("/api/v1").strip("/").split("/")
        fits = len(parts) == len(asked) and all(
            one == two or one.startswith("{") for one, two in zip(parts, asked, strict=True)
        )
        if fits and (not method or method.lower() in operations):
            return True
    return False


def test_every_row_says_in_what_it_can_be_had_and_names_it() -> None:
    """In the daemon, in the lab, or left out because of something; what is named is opened."""
    lost = []
    for row in rows():
        if row.place == "left out":
            is_said = row.where.startswith("left out because ")
        else:
            is_said = row.place in ("daemon", "lab") and bool(opened(row, of_the_lab=row.place == "lab"))
        if not is_said:
            lost.append(f"{row.number}: {row.place}: {row.where[:80]}")
    assert not lost, "\n".join(lost)


def test_endpoints_exist() -> None:
    named = {
        (row.number, span)
        for row in rows()
        for span in spans(f"{row.where} {row.shown_by}")
        if re.fullmatch(r"(?:(?:GET|POST|PUT|PATCH|DELETE) )?/api/v1/\S+", span)
    }
    assert len(named) > 8
    assert not {one for one in named if not is_endpoint(one[1])}
    assert not is_endpoint("GET /api/v1/nothing")
    assert not is_endpoint("DELETE /api/v1/refresh")


@pytest.mark.parametrize("column", ["where", "shown_by"])
def test_files_exist(column: str) -> None:
    lost = [f"{row.number}: {path}" for row in rows() for path in missing_files(getattr(row, column))]
    assert not lost


def test_experiments_exist() -> None:
    known = set(experiment_names())
    prefixes = tuple({name.partition("-")[0] + "-" for name in known if "-" in name})
    named = {
        (row.number, span)
        for row in rows()
        for span in spans(f"{row.where} {row.shown_by}")
        if re.fullmatch(r"[a-z]+(?:-[a-z0-9]+)+", span) and span.startswith(prefixes)
    }
    assert len(named) > 20
    assert not {one for one in named if one[1] not in known}


def test_options_exist() -> None:
    named = {
        (row.number, span)
        for row in rows()
        for span in spans(row.where)
        if re.fullmatch(r"[a-z]+\.[a-z_]+", span) and span.partition(".")[0] in SECTIONS and not span.endswith(".py")
    }
    assert len(named) > 8
    assert not {one for one in named if one[1] not in OPTIONS}


def test_commands_exist() -> None:
    named = {
        (row.number, span)
        for row in rows()
        for span in spans(f"{row.where} {row.shown_by}")
        if span.startswith("afresh ")
    }
    assert len(named) > 20
    assert not {one for one in named if not is_command(one[1].split()[1:])}


def test_the_architecture_names_files_that_exist() -> None:
    lines = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("|") for line in lines) > 20
    assert not [path for line in lines if line.startswith("|") for path in missing_files(line)]


def test_decisions_are_numbered_without_a_gap_and_say_what_would_change_our_mind() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in records] == list(range(1, len(records) + 1))
    for path in records:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {path.name[:4]} "), path.name
        assert "change our mind" in text, path.name


def test_the_glossary_is_in_order_and_has_each_word_once() -> None:
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    words = [line.split("|")[1].strip().lower() for line in lines if line.startswith("|")][2:]
    assert words == sorted(set(words))
