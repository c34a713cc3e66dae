"""``afresh demo --web-only``: the small webs of the demos, watched by nobody, to try commands on."""

import asyncio

import click

from afresh.base.errors import ConfigError
from afresh.doors.cli.event_loop import ending_on_signals, run_async
from afresh.doors.cli.output import print_json
from afresh.lab.demo import DELAY
from afresh.lab.web import DemoWeb
from afresh.lab.web.links import LinkWeb


def demo_web(*, port: int, seed: int, day: float, seconds: float | None, as_json: bool) -> int:
    """Serves feeds and sites at ``port``, bookmarked pages at the next one; ends with the server's account."""
    account = run_async(_serve(DemoWeb(seed, day, polite_delay=DELAY), LinkWeb(seed), port, seconds, quiet=as_json))
    if as_json:
        print_json(account)
    else:
        click.echo(f"{account['requests']} requests were answered")
    return 0


async def _serve(web: DemoWeb, town: LinkWeb, port: int, seconds: float | None, *, quiet: bool) -> dict[str, object]:
    ended = asyncio.Event()
    try:
        await web.start(port=port)
        await town.start(port=port + 1 if port else 0)
        if seconds is not None:
            asyncio.get_running_loop().call_later(seconds, ended.set)
        with ending_on_signals(ended.set):
            if not quiet:
                _tell(web, town)
            await ended.wait()
        return web.summary()
    except OSError as error:
        raise ConfigError(
            f"ports {port} and {port + 1} cannot both be listened on ({error.strerror}): choose another --port"
        ) from error
    finally:
        await town.stop()
        await web.stop()


def _tell(web: DemoWeb, town: LinkWeb) -> None:
    click.echo(f"subscriptions   http://127.0.0.1:{web.port}/subscriptions.opml")
    click.echo(f"bookmarks       http://127.0.0.1:{town.port}/bookmarks.html")
    click.echo(f"some years pass http://127.0.0.1:{town.port}/years-pass")
    click.echo(f"where to begin  {web.sites[0]}")
    click.echo("Ctrl-C ends it. afresh visits addresses of this machine where you allow it: in another window first")
    click.echo("  export AFRESH_FETCH_ALLOWED_NETWORKS='127.0.0.0/8 ::1/128'")
