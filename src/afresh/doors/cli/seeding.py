"""``afresh serve --seed``: where a crawl begins, named when the frontier is started."""

from collections.abc import Iterable

import click

from afresh.base.records.frontier import Seed
from afresh.doors.cli.files import read_file
from afresh.doors.cli.output import clean
from afresh.frontier.scheduling import Frontier
from afresh.frontier.seed_lines import seed_lines

_MOST_TOLD = 5  # refusals, with their reasons
_PATHS = ("/", ".", "~")  # how a name begins that nobody means as a host


def seeds_named(named: Iterable[str]) -> list[str]:
    """URLs as they stand, and those of files."""
    return [url for name in named for url in ([name] if "://" in name else _lines(name))]


def _lines(name: str) -> list[str]:
    advice = "" if name.startswith(_PATHS) else f"; a URL begins with its scheme: http://{name}"
    return seed_lines(read_file(name, advice=advice).decode("utf-8-sig", "replace").splitlines())


async def add_seeds(frontier: Frontier, urls: Iterable[str]) -> None:
    """Adds them, and says what became of them; those known stay as they are, or are tried again if refused."""
    read = [(url, frontier.urls.read(url)) for url in urls]
    done = await frontier.add([Seed(*found) for _, found in read if found is not None])
    refused = [url for url, found in read if found is None]
    known = f"{done.known:,} known before" + (f" ({done.revived:,} tried again)" if done.revived else "")
    click.echo(f"seeds: {done.urls:,} new, {known}, {len(refused):,} refused", err=True)
    for url in refused[:_MOST_TOLD]:
        click.echo(f"  {clean(url)}: {frontier.urls.why_refused(url)}", err=True)
    if len(refused) > _MOST_TOLD:
        click.echo(f"  … and {len(refused) - _MOST_TOLD:,} more", err=True)
