"""The group ``afresh lab``."""

import click

from afresh.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "list": ("lab.catalogue", "List experiments and rules."),
    "run": ("lab.experiments", "Run an experiment by name: published numbers beside ours."),
    "replay": ("lab.replay", "Replay rules on a recorded history and compare them."),
    "recommend": ("lab.recommend", "Name the rule to use for a trace and what matters to you."),
    "generate": ("lab.generate", "Make synthetic histories."),
    "trace": ("lab.trace", "Record, import, make and describe histories."),
}


@click.group("lab", cls=LazyGroup, table=COMMANDS)
def lab_command() -> None:
    """Replay rules on recorded histories; reproduce published results."""
