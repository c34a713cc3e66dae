"""The reference pages are made from the code; ``AFRESH_UPDATE=1`` writes them anew."""

import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from afresh.base.durations import WRITTEN
from afresh.base.settings import OPTIONS, load_settings
from afresh.doors.cli.main import cli
from afresh.feeds.rules import RULES, names, parameters

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
#: As the program itself has it.
HELP = ["-h", "--help"]
UPDATING = os.environ.get("AFRESH_UPDATE") == "1"  # read before the environment is scrubbed


def options_page() -> str:
    lines = [
        "# Options",
        "",
        "From `afresh.toml`, the environment (`AFRESH_SECTION_NAME`) or `--set section.name=value`.",
        "`afresh config show` says which value came from where.",
        f"Lengths of time are written {WRITTEN}.",
        "",
        "| Option | Default | Meaning | Example |",
        "|---|---|---|---|",
    ]
    shown = {item.name: item.shown for item in load_settings().origins}
    lines += [
        f"| `{name}` | `{shown[name] or '(none)'}` | {option.help} | `{option.example}` |"
        for name, option in OPTIONS.items()
    ]
    return "\n".join(lines) + "\n"


def commands(group: click.Group, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group, help_option_names=HELP)
    found: list[tuple[tuple[str, ...], click.Command]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        found.append(((*path, name), command))
        if isinstance(command, click.Group):
            found += commands(command, (*path, name))
    return found


def cli_page() -> str:
    lines = [
        "# Commands",
        "",
        "Exit codes: 0 done; 1 done, and something is wrong; 2 not understood; 3 settings, store or service unusable; "
        "130 interrupted.",
        "",
    ]
    for path, command in commands(cli, ("afresh",)):
        context = click.Context(
            command, info_name=" ".join(path), max_content_width=100, terminal_width=100, help_option_names=HELP
        )
        lines += [f"## {' '.join(path)}", "", "```", command.get_help(context), "```", ""]
    return "\n".join(lines)


def cli_page_of_a_new_process() -> str:
    """click keeps the first help option a command was asked for, whoever asked: only a new process has asked nobody."""
    code = "from tests.docs.test_reference import cli_page; print(cli_page(), end='')"
    root = Path(__file__).parents[2]
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout


def rules_page() -> str:
    lines = [
        "# Rules",
        "",
        "Rules for feeds: `predict.rule`, `afresh set URL --rule NAME:key=value`, `afresh lab replay --rule …`.",
        "",
    ]
    lines += ["| Rule | Parameters | What it does |", "|---|---|---|"]
    for name in names():
        values = ", ".join(
            f"`{key}={value:g}`" if isinstance(value, float) else f"`{key}={value}`"
            for key, value in parameters(name).items()
        )
        doc = (RULES.find(name).__doc__ or "").strip().splitlines()[0]
        lines.append(f"| `{name}` | {values or '–'} | {doc} |")
    return "\n".join(lines) + "\n"


def rest_page() -> str:
    """From the kept OpenAPI document, which another test keeps equal to the app."""
    document = json.loads((REFERENCE / "openapi.json").read_text(encoding="utf-8"))
    lines = [
        "# REST",
        "",
        "Under `/api/v1`. Fields and examples are in [openapi.json](openapi.json), also at `/api/v1/openapi.json`.",
        "Errors are problem documents (RFC 9457). Lists are paged by key.",
        "",
        "| Request | What it does | Answers |",
        "|---|---|---|",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            words = " ".join(operation.get("description", operation.get("summary", "")).split()).replace("|", "\\|")
            answers = ", ".join(sorted(operation["responses"]))
            lines.append(f"| `{method.upper()} {path}` | {words} | {answers} |")
    return "\n".join(lines) + "\n"


#: What somebody who adds a rule, a store or a check builds on.
PUBLIC = (
    "afresh.doors.python.opening",
    "afresh.doors.python.frontier",
    "afresh.client",
    "afresh.doors.python.remote.clients",
    "afresh.doors.python.remote.grpc_clients",
    "afresh.lab.columns",
    "afresh.scrapy",
    "afresh.base.protocols",
    "afresh.base.models",
    "afresh.base.registry",
    "afresh.feeds.rules.rule",
    "afresh.base.records.frontier_store",
    "afresh.base.records.frontier",
    "tests.laws.rules",
    "tests.laws.estimators",
    "tests.laws.policies",
    "tests.laws.store",
    "tests.laws.store_queue",
    "tests.laws.store_reports",
    "tests.laws.store_entries",
    "tests.laws.frontier",
    "tests.laws.frontier_adding",
    "tests.laws.frontier_leasing",
    "tests.laws.frontier_reporting",
    "afresh.base.errors",
)


def python_page() -> str:
    lines = [
        "# Python",
        "",
        "The modules others build on; everything else may change without notice. `examples/` shows them in use.",
        "",
    ]
    for name in PUBLIC:
        module = importlib.import_module(name)
        lines += [f"## `{name}`", "", _first_line(module.__doc__), ""]
        for title, thing in vars(module).items():
            is_own = getattr(thing, "__module__", None) == name and not title.startswith("_")
            if is_own and (inspect.isclass(thing) or inspect.isfunction(thing)):
                lines.append(f"- `{title}{_signature(thing)}`: {_first_line(thing.__doc__)}")
        lines.append("")
    return "\n".join(lines)


def _signature(thing: object) -> str:
    if inspect.isfunction(thing):
        return "(" + ", ".join(inspect.signature(thing).parameters) + ")"
    fields = getattr(thing, "__dataclass_fields__", {})
    return "(" + ", ".join(fields) + ")" if fields else ""


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0] or "–"


@pytest.mark.parametrize(
    ("file", "made"),
    [
        ("options.md", options_page),
        ("cli.md", cli_page_of_a_new_process),
        ("rules.md", rules_page),
        ("rest.md", rest_page),
        ("python.md", python_page),
    ],
)
def test_reference_pages_are_up_to_date(file: str, made: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    text = made() if callable(made) else ""
    if UPDATING:
        (REFERENCE / file).write_text(text, encoding="utf-8")
    assert (REFERENCE / file).read_text(encoding="utf-8") == text, (
        "run: AFRESH_UPDATE=1 pytest tests/docs/test_reference.py"
    )
