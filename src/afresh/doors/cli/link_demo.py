"""``afresh link demo``: links of a small web on this machine, saved, turned, and checked again; works offline."""

import tempfile
from pathlib import Path

import click

from afresh.base.records.link_status import Standing
from afresh.base.settings import Settings
from afresh.doors.cli.check_kept import KeptLinks
from afresh.doors.cli.check_report import Explained, Reasons, print_results
from afresh.doors.cli.check_run import CheckRun
from afresh.doors.cli.context import settings_of
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.main import EXIT_WRONG
from afresh.lab.web.links import BOOKMARKS, LinkWeb
from afresh.links.judge import CheckResult
from afresh.parse.links import LinkRef


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
        links, results, reasons = _play(settings, LinkWeb(seed), explain=explain)
    if form is None:
        click.echo(
            f"{len(links)} links were saved, then their web changed. Every one of these answers 200, or did once:\n"
        )
    print_results(form, links, results, everything=True, reasons=reasons)
    return EXIT_WRONG if any(result.standing is Standing.BROKEN for result in results) else 0


def _play(settings: Settings, town: LinkWeb, *, explain: bool) -> tuple[list[LinkRef], list[CheckResult], Reasons]:
    """Saves, turns, and checks against what was saved."""
    links: list[LinkRef] = []
    results: list[CheckResult] = []
    reasons: dict[str, Explained] = {}

    async def go() -> int:
        async with town:
            links.extend(LinkRef(url=town.url(saved), title=saved.title) for saved in BOOKMARKS)
            for is_first in (True, False):
                with KeptLinks(settings, usage=None, save=is_first, watch=False, explain=explain) as kept:
                    run = CheckRun(settings, parallel=16, usage=None, probe=True)
                    run.kept, run.find_moved = kept, not is_first
                    results[:] = await run.gather(links)
                reasons.update(kept.reasons)
                town.turn()
        return 0

    run_async(go())
    return links, results, reasons
