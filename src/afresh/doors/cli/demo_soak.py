"""``afresh demo --kill-every 20s --faults``: the daemon in a process of its own, killed and ill-treated."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from afresh.base.settings import Loaded
from afresh.doors.cli.event_loop import ending_on_signals
from afresh.doors.cli.output import print_json, print_table
from afresh.lab.soak.faults import Server
from afresh.lab.soak.run import Hardship, Soak
from afresh.lab.web import DemoWeb

_GLOBAL = {"config": "config_file", "store": "store"}  # options of ``afresh`` itself, and their names in the context


def options_of(ctx: click.Context, overrides: Mapping[str, object]) -> list[str]:
    """The options that give another afresh the settings of this call."""
    given = ctx.obj
    words = [f"--{option}={value}" for option, name in _GLOBAL.items() if (value := given[name])]
    own = [f"--set={name}={_text(value)}" for name, value in overrides.items()]
    return [*words, *own, *(f"--set={text}" for text in given["assignments"])]


def _text(value: object) -> str:
    return ";".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


async def soak(
    loaded: Loaded,
    options: Sequence[str],
    web: DemoWeb,
    plan: Hardship,
    *,
    folder: Path,
    server: Server | None,
    as_json: bool,
) -> int:
    """Runs it and prints the server's accounts; exit code 1 where they are not as promised."""
    async with web:
        run = Soak(web, loaded.settings, options, plan, folder=folder, server=server)
        with ending_on_signals(run.stop):
            summary = await run.run()
    if as_json:
        print_json(asdict(summary))
    else:
        print_table(["", ""], [(name.replace("_", " "), value) for name, value in asdict(summary).items()])
    return 0 if summary.is_good else 1
