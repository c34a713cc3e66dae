"""The group ``afresh lab``."""

import click

from afresh.doors.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "list": ("lab.catalogue", "List experiments and rules."),
    "run": ("lab.experiments", "Run an experiment by name: published numbers beside ours."),
    "replay": ("lab.replay", "Replay rules on a recorded history and compare them."),
    "refresh": ("lab.refresh", "Spend a budget of polls by refresh strategies on a recorded history."),
    "revisit": ("lab.revisit", "Replay online policies of visiting pages on recorded changes."),
    "crawl": ("lab.crawl", "Simulate fetchers on an example database, in virtual time or over HTTP."),
    "bench": ("lab.bench", "Measure a part at full size."),
    "recommend": ("lab.recommend", "Name the rule to use for a trace and what matters to you."),
    "generate": ("lab.generate", "Make synthetic histories."),
    "verdicts": ("lab.verdicts", "Judge the model of link verdicts on real pages, or train one."),
    "trace": ("lab.trace", "Record, import, make and describe histories."),
}


@click.group("lab", cls=LazyGroup, table=COMMANDS)
def lab_command() -> None:
    """Replay rules on recorded histories; reproduce published results."""
