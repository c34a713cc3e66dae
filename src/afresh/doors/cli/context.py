"""What every command starts from: the settings of this call, and the store they name."""

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import Any

import click

from afresh.base.settings import Loaded, Settings, load_settings, parse_override

DEFAULT_FILE = Path("afresh.toml")


def settings_of(ctx: click.Context, **overrides: object) -> Loaded:
    """Settings from file, environment and command line; ``overrides`` are a command's own options, None: not given."""
    given: dict[str, Any] = ctx.obj
    file = settings_file(ctx)
    assigned: dict[str, object] = dict(parse_override(text) for text in given["assignments"])
    if given["store"]:
        assigned["store.url"] = given["store"]
    assigned.update({name.replace("__", "."): value for name, value in overrides.items() if value is not None})
    loaded = load_settings(file=file, environment=given["environment"], overrides=assigned)
    for hint in loaded.hints:
        click.echo(f"afresh: {hint}", err=True)
    return loaded


def settings_file(ctx: click.Context) -> Path | None:
    """The file that settings are read from; None: there is none."""
    named = ctx.obj["config_file"]
    return Path(named) if named else DEFAULT_FILE if DEFAULT_FILE.exists() else None


def frontier_settings_of(ctx: click.Context, **overrides: object) -> Settings:
    """The same for a command that is about a frontier: the store that is named is the frontier's."""
    return settings_of(ctx, **{"frontier__url": ctx.obj["store"], **overrides}).settings


def with_store(command: Callable[..., int]) -> Callable[..., int]:
    """Gives a command the store of its settings as the first argument, open while it runs."""

    @click.pass_context
    def start(ctx: click.Context, /, *args: Any, **options: Any) -> int:
        from afresh.store import opened_store  # noqa: PLC0415 (settings are shown without a store)

        with opened_store(settings_of(ctx).settings) as store:
            return command(store, *args, **options)

    return update_wrapper(start, command)
