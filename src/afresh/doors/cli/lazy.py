"""Groups of commands: with their help, or by name, importing a command's module only when it is called."""

import gc
import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
from click.shell_completion import CompletionItem

from afresh.base.durations import WRITTEN

_DURATION = "DURATION"


@contextmanager
def keeping_everything() -> Iterator[None]:
    """Around imports, and the reading of large files: nothing is garbage before the end, and to look for some takes a
    tenth of their time, or a sixth.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def told_durations(command: click.Command | None) -> click.Command | None:
    """The same command; one that takes a duration ends its help with how these are written."""
    if command is not None and any(_DURATION in (param.metavar, param.type.name.upper()) for param in command.params):
        command.epilog = f"{_DURATION} is written {WRITTEN}."
    return command


class PlainGroup(click.Group):
    """A group whose help shows the first sentence of each command whole, however narrow the terminal is."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return told_durations(super().get_command(ctx, cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            known = ((name, self.commands[name]) for name in sorted(self.commands))
            formatter.write_dl([(name, command.get_short_help_str(limit=1_000)) for name, command in known])


class LazyGroup(click.Group):
    """A group over a table of command: (module below ``afresh.doors.cli``, line of help).

    The help stands in the table, so that showing it imports nothing else (decision 0004).
    """

    def __init__(self, *args: object, table: Mapping[str, tuple[str, str]], **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]  # click's own options, passed through
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        if cmd_name not in self.table:
            return None
        with keeping_everything():
            module = importlib.import_module(f"afresh.doors.cli.{self.table[cmd_name][0]}")
        return told_durations(getattr(module, f"{cmd_name.replace('-', '_')}_command"))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """With a suggestion where a name was mistyped: click looks for one among commands that are loaded already."""
        name = args[0]
        if name not in self.table and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches  # noqa: PLC0415 (somebody mistyped)

            near = ", ".join(f"`{ctx.command_path} {found}`" for found in get_close_matches(name, self.table))
            ctx.fail(f"No such command {name!r}.{f' Did you mean {near}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands by the table, so that a key pressed in a shell loads none of them; options as click does."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=text) for name, (_, text) in self.table.items() if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.table.items()])
