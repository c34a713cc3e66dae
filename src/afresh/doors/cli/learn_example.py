"""``afresh learn example``: two pages somebody names, each an address, a stored version or a file."""

import time

import click

from afresh.base.executor import InPlace
from afresh.base.protocols import Store
from afresh.base.records.labels import Label, Rating
from afresh.base.records.links import NewVersion, Origin
from afresh.base.settings import Settings
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.files import read_file
from afresh.doors.cli.output import json_option, print_told
from afresh.doors.cli.polite_gate import WAITS, polite_gate
from afresh.engine.link_examples import ExamplePages, Wanted, keep_example, read_sides
from afresh.links.checker import Checker
from afresh.links.judge import LinkJudge
from afresh.links.models import ActiveModel
from afresh.parse.documents import mark_of, read_document
from afresh.store import opened_store


@click.command("example")
@click.argument("old")
@click.argument("new")
@click.argument("verdict", type=click.Choice(["equal", "different"]))
@click.option("--url", default="https://example.invalid/", help="The address that files stand for.")
@click.option("--rater", default="", help="Who says so; empty: the operator.")
@click.option("--note", default="", help="What you want to remember about it.")
@json_option
@click.pass_context
def example_command(
    ctx: click.Context, old: str, new: str, verdict: str, url: str, rater: str, note: str, as_json: bool
) -> int:
    """Keep two pages as an example: the same page, or not.

    Each is an address (asked now, politely), the number of a stored version, or a file.
    """
    settings = settings_of(ctx).settings
    sides = _side(old, url), _side(new, url)
    with opened_store(settings, makes=True) as store:
        label = run_async(_make(settings, store, sides, Rating(verdict), rater=rater, note=note))
    return print_told(
        {"id": label.id, "old": label.old, "new": label.new, "verdict": label.verdict.value},
        f"rating {label.id}: versions {label.old} and {label.new} are {label.verdict.value}",
        as_json=as_json,
    )


async def _make(
    settings: Settings, store: Store, sides: tuple[Wanted, Wanted], verdict: Rating, *, rater: str, note: str
) -> Label:
    async with polite_gate(settings, store=store, patience=WAITS) as gate:
        judge = LinkJudge(store.links, settings.links, model=ActiveModel(store.learning))
        pages = ExamplePages(Checker(gate.fetch, judge, now=time.time))
        read = await read_sides(
            sides, known=lambda number: InPlace().read(store.links.version, number), fetch=pages.fetch
        )
        return keep_example(store, read, verdict, now=time.time(), rater=rater, note=note)


def _side(text: str, url: str) -> Wanted:
    if text.startswith(("http://", "https://")) or text.isdecimal():
        return text
    body = read_file(text, advice="; an address must start with http:// or https://")
    page = read_document(body, url=url, content_type="text/html")
    return NewVersion(
        at=time.time(),
        url=url,
        mark=mark_of(page, body),
        body=body,
        content_type="text/html",
        title=page.title,
        origin=Origin.EXAMPLE,
    )
