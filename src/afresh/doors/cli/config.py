"""``afresh config``: every option, its value and where it came from."""

import click

from afresh.base.errors import UsageError
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.output import json_option, print_json, print_table, print_told


@click.group("config", cls=PlainGroup)
def config_command() -> None:
    """Look at the settings."""


@config_command.command("show")
@click.argument("words", nargs=-1, metavar="[WORD…]")
@json_option
@click.pass_context
def show_command(ctx: click.Context, words: tuple[str, ...], as_json: bool) -> int:
    """Show every option, its value and where it came from; with WORDs, those that have one of them in their names.

    Secrets are hidden.
    """
    origins = [item for item in settings_of(ctx).origins if not words or any(word in item.name for word in words)]
    if not origins:
        raise UsageError(f"no option has {' or '.join(words)} in its name; `afresh config show` lists them all")
    if as_json:
        return print_json(
            [
                {
                    "name": item.name,
                    "value": item.safe_value,
                    "source": item.source,
                    "help": item.option.help,
                    "example": item.option.example,
                }
                for item in origins
            ]
        )
    return print_table(
        ["option", "value", "from", "meaning"],
        [(item.name, item.shown or "-", item.source, item.option.help) for item in origins],
    )


@config_command.command("password")
@click.argument("name")
@json_option
def password_command(name: str, as_json: bool) -> int:
    """Print an entry for service.passwords: NAME with a password that is asked for, twice and without echo."""
    from afresh.doors.rest.passwords import make_entry  # noqa: PLC0415 (the other commands need no service)

    given = click.prompt("Password", hide_input=True, confirmation_prompt="The same again", err=True)
    entry = make_entry(name, given)
    return print_told({"entry": entry}, entry, as_json=as_json)
