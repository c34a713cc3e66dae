"""``afresh link demo``: links of a small web on this machine, saved, turned, and checked again; works offline."""

import tempfile
from pathlib import Path

import click

from afresh.base.records.links import Check, LinkRef, Standing
from afresh.base.settings import Settings
from afresh.doors.cli.check_report import Explained, Reasons, print_checks
from afresh.doors.cli.check_run import CheckRun, Wish
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.main import EXIT_WRONG
from afresh.lab.web.links import BOOKMARKS, LinkWeb
from afresh.store import opened_store


@click.command("demo")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other texts.")
@click.option("--explain", is_flag=True, help="Show the measures that decided, and what changed.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.pass_context
def demo_command(ctx: click.Context, seed: int, explain: bool, form: str | None) -> int:
    """Save nine links of a small web on this machine, let some years pass there, check them again; works offline."""
    with tempfile.TemporaryDirectory(prefix="afresh-links-") as folder:
        settings = settings_of(
            ctx,
            store__url=str(Path(folder) / "links.db"),
            fetch__allowed_networks="127.0.0.0/8;::1/128",
            politeness__delay="0s",
        ).settings
        links, checks, reasons = _play(settings, LinkWeb(seed), explain=explain)
    if form is None:
        click.echo(
            f"{len(links)} links were saved, then their web changed. Every one of these answers 200, or did once:\n"
        )
    print_checks(form, links, checks, everything=True, reasons=reasons)
    return EXIT_WRONG if any(check.standing is Standing.BROKEN for check in checks) else 0


def _play(settings: Settings, town: LinkWeb, *, explain: bool) -> tuple[list[LinkRef], list[Check], Reasons]:
    """Saves, turns, and checks against what was saved."""
    links: list[LinkRef] = []
    checks: list[Check] = []
    reasons: dict[str, Explained] = {}

    async def go() -> None:
        async with town:
            links.extend(LinkRef(url=town.url(saved), title=saved.title) for saved in BOOKMARKS)
            for is_first in (True, False):
                with opened_store(settings, makes=True) as store:
                    wish = Wish(parallel=16, save=is_first, explain=explain, find_moved=not is_first)
                    run = CheckRun(settings, wish, store=store)
                    checks[:] = await run.gather(links)
                reasons.update(run.reasons)
                town.turn()

    run_async(go())
    return links, checks, reasons
