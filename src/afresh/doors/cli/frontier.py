"""``afresh frontier``: how a running frontier stands, and what its operator says, over its REST interface."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import click
import orjson

from afresh.base.clock import SystemClock
from afresh.base.durations import format_duration, parse_duration
from afresh.base.errors import AccessDenied, NotFound, ServiceAway, UsageError
from afresh.base.iso_times import from_iso
from afresh.base.plain_numbers import amount, counted
from afresh.base.records.frontier import PageResult, UrlStanding
from afresh.base.settings.frontier import FrontierSettings
from afresh.doors.cli.event_loop import run_async
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.main import EXIT_WRONG
from afresh.doors.cli.output import clean, json_option, moment, print_json, print_table, print_told
from afresh.doors.cli.seeding import seeds_named
from afresh.http.service import Call, HttpService, not_an_administrator

_PATIENCE = 5.0  # seconds
_FOR_GOOD = "9999-12-31T23:59:59Z"
_OVER_BUDGET = "over the budget of their site (hygiene.budget)"
_DEFAULT = "default"
_OWN_AMOUNTS = "--urls-per-site and --parallel"
_SETTINGS = tuple(field.name for field in fields(FrontierSettings))
_DURATIONS = ("default_delay", "lease_seconds", "revisit_after")


class Line:
    """Questions to one frontier."""

    def __init__(self, base: str, token: str) -> None:
        self._base, self._token = base, token

    def ask(self, method: str, path: str, body: object = None, **query: str | int) -> Any:
        return run_async(self._ask(Call(method, path, _read, body=body, query=query)))

    async def _ask(self, call: Call[Any]) -> Any:
        service = HttpService(self._base, token=self._token, patience=_PATIENCE)
        try:
            return await service.ask(call)
        except ServiceAway as error:
            raise ServiceAway(f"no frontier answers at {self._base} ({error}); --from URL says where it is") from error
        except AccessDenied as error:
            raise not_an_administrator(self._base, self._token) from error
        except NotFound as error:
            if call.path == "/active":
                words = (
                    f"{self._base} is a daemon (`afresh run`), not a frontier; --from URL says where `afresh serve` is"
                )
                raise UsageError(words) from error
            raise
        finally:
            await service.close()


def _read(content: bytes) -> Any:
    return orjson.loads(content) if content else None


def _line(command: Callable[..., int]) -> Callable[..., int]:
    """Where the frontier is, and how we are let in."""
    where = click.option(
        "--from",
        "base",
        default="http://127.0.0.1:8080",
        show_default=True,
        envvar="AFRESH_FRONTIER",
        metavar="URL",
        help="Its address, or AFRESH_FRONTIER in the environment.",
    )
    token = click.option(
        "--token", default="", envvar="AFRESH_TOKEN", help="An administrator's token, where there are tokens."
    )
    return where(token(json_option(command)))


@click.group("frontier", cls=PlainGroup)
def frontier_command() -> None:
    """A running frontier (`afresh serve`): how it stands, its sites and URLs, what failed; what its operator says."""


@frontier_command.command("status")
@_line
def status_command(base: str, token: str, as_json: bool) -> int:
    """Show totals, fetchers and what does not work; exit 1 if something does not."""
    line = Line(base, token)
    health, stats, active = (line.ask("GET", path) for path in ("/health", "/stats", "/active"))
    fetchers = line.ask("GET", "/fetchers")
    code = EXIT_WRONG if health["troubles"] else 0
    if as_json:
        told = [{name: value for name, value in one.items() if name != "fetcher_hashes"} for one in fetchers]
        print_json({"health": health, "stats": stats, **active, "fetchers": told})
        return code
    click.echo(f"{health['status']}, {'handing out lists' if active['active'] else 'paused: lists are empty'}")
    for trouble in health["troubles"]:
        click.echo(f"  {clean(trouble['what'])}: {clean(trouble['why'])}")
    standings = ", ".join(f"{stats[f'{name}_amount']:,} {name.replace('_', ' ')}" for name in UrlStanding)
    click.echo(f"{counted(stats['url_amount'], 'URL')} of {counted(stats['frontier_amount'], 'site')}: {standings}")
    for line in stats.get("scope", ()):
        click.echo(clean(line))
    if stats["backlog_amount"]:
        click.echo(f"{counted(stats['backlog_amount'], 'URL')} wait, {_OVER_BUDGET}")
    if stats.get("out_of_scope_amount"):
        click.echo(f"out of scope, since its start: {counted(stats['out_of_scope_amount'], 'link')}")
    if stats.get("links_left_out_amount"):
        many = counted(stats["links_left_out_amount"], "link")
        click.echo(f"left out of pages with more than `fetch.max_links` of their fetcher, since its start: {many}")
    click.echo(f"{stats['reserved_url_amount']:,} URLs of {counted(stats['reserved_fqdn_amount'], 'site')} are out")
    columns = ["fetcher", "contact", "last seen", "sites held #", "free by itself"]
    rows = [
        [one["name"], one["contact"], _when(one["last_seen"]), one["leased_sites"], _when(one["latest_return"])]
        for one in fetchers
    ]
    print_table(columns, rows) if rows else click.echo("no fetcher has registered yet")
    return code


@frontier_command.command("sites")
@click.argument("site", required=False)
@click.option("--after", default="", metavar="SITE", help="Go on after this one.")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="Most of them.")
@_line
def sites_command(site: str | None, after: str, limit: int, base: str, token: str, as_json: bool) -> int:
    """List sites by name, or show one."""
    query: Mapping[str, str | int] = {"fqdn": _host(site)} if site else {"after": after, "limit": limit}
    found = Line(base, token).ask("GET", "/sites", **query)
    if site and not found["items"]:
        raise _not_known(site)
    if as_json:
        return print_json(found)
    standings = [name.replace("_", " ") for name in UrlStanding]
    columns = ["site", "URLs #", *(f"{words} #" for words in standings), "pause", "next list", "what is the matter"]
    rows = [
        [
            one["fqdn"],
            one["url_count"],
            *(one[f"{name}_count"] for name in UrlStanding),
            "default" if one["crawl_delay"] is None else format_duration(one["crawl_delay"]),
            _next_list(one),
            one["why"],
        ]
        for one in found["items"]
    ]
    print_table(columns, rows)
    if over := [f"{clean(one['fqdn'])} {one['backlog_count']:,}" for one in found["items"] if one["backlog_count"]]:
        click.echo(f"{_OVER_BUDGET}: {', '.join(over)}")
    if found["next"]:
        click.echo(f"more: --after {clean(found['next'])}", err=True)
    return 0


def _not_known(site: str) -> UsageError:
    return UsageError(f"{clean(site)} is not known to this frontier")


def _need_known(line: Line, site: str) -> None:
    """A site of which there is nothing to tell is one thing, a name that is misspelt another."""
    if not line.ask("GET", "/sites", fqdn=_host(site))["items"]:
        raise _not_known(site)


def _next_list(site: Mapping[str, Any]) -> str:
    """When it may be handed out."""
    if site["leased_by"]:
        return f"held until {_when(site['leased_until'])}"
    if (from_iso(site["blocked_until"]) or 0.0) > SystemClock().now():
        return f"blocked until {_when(site['blocked_until'])}"
    return _when(site["ready"])


@frontier_command.command("failed")
@click.argument("site", required=False)
@click.option("--reason", default="", metavar="TEXT", help="Only those with this in their reason, like 404 or refused.")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="Most of them.")
@_line
def failed_command(site: str | None, reason: str, limit: int, base: str, token: str, as_json: bool) -> int:
    """List URLs of which nothing came at their last try, of all sites or of one, why, and when they are tried again."""
    line = Line(base, token)
    query = {name: text for name, text in (("fqdn", _host(site) if site else ""), ("reason", reason)) if text}
    found = line.ask("GET", "/failures", limit=limit, **query)
    if site and not found["items"]:
        _need_known(line, site)
    if as_json:
        return print_json(found)
    if counts := ", ".join(f"{clean(one['reason'])}: {one['urls']:,}" for one in found["reasons"]):
        click.echo(counts)
    failed = [one for one in found["items"] if reason or one["result"] != PageResult.EXCLUDED]
    rows = [[one["url"], one["why"], _when(one["at"]), _due(one["due"])] for one in failed]
    columns = ["URL", "why", "when", "next try"]
    if len(found["items"]) == limit:
        click.echo(f"the newest {limit:,}; --limit shows more, up to 1,000", err=True)
    none = "nothing failed for such a reason" if reason else "nothing failed"
    return print_table(columns, rows) if rows else print_told(None, none, as_json=False)


@frontier_command.command("urls")
@click.argument("site", required=False)
@click.option("--contains", default="", metavar="TEXT", help="Only those with this in them.")
@click.option("--after", default="", metavar="PLACE", help="Go on where an answer before ended.")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="Most of them.")
@_line
def urls_command(site: str | None, contains: str, after: str, limit: int, base: str, token: str, as_json: bool) -> int:
    """List URLs that are stored, of all sites or of one: how each stands, its last visit, its next."""
    query: Mapping[str, str | int] = {
        "fqdn": _host(site) if site else "",
        "contains": contains,
        "after": after,
        "limit": limit,
    }
    line = Line(base, token)
    found = line.ask("GET", "/urls", **query)
    if site and not found["items"]:
        _need_known(line, site)
    if as_json:
        return print_json(found)
    columns = ["URL", "standing", "last visit", "next visit"]
    rows = [
        [one["url"], one["standing"].replace("_", " "), _when(one["visited"]), _due(one["due"])]
        for one in found["items"]
    ]
    print_table(columns, rows) if rows else click.echo("none here")
    if found["next"]:
        click.echo(f"more: --after {found['next']}", err=True)
    return 0


@frontier_command.command("url")
@click.argument("url")
@_line
def url_command(url: str, base: str, token: str, as_json: bool) -> int:
    """Show how one URL stands: when it is due, its last visit, why it failed, who has it."""
    found = Line(base, token).ask("GET", "/urls", url=url)
    if as_json:
        return print_json(found)
    times = {"due", "discovered", "visited", "last_try", "leased_until"}
    if found["due"] and (from_iso(found["due"]) or 0.0) <= SystemClock().now():
        click.echo("due: now")
        del found["due"]
    if name_of := found.pop("leased_by_name", ""):
        found["leased_by"] = f"{name_of} ({found['leased_by']})"
    for name, value in found.items():
        if value not in ("", None, {}) and name != "change_rate":  # its old name, for programs
            value = amount(value) if isinstance(value, float) else value
            click.echo(f"{name.replace('_', ' ')}: {_when(value) if name in times else clean(str(value))}")
    return 0


@frontier_command.command("add")
@click.argument("named", nargs=-1, required=True, metavar="URL|FILE…")
@_line
def add_command(named: tuple[str, ...], base: str, token: str, as_json: bool) -> int:
    """Add URLs, as they are or in files with one a line; those known stay as they are. Exit 1 if one is refused."""
    found = Line(base, token).ask("POST", "/urls", {"urls": seeds_named(named)})
    told = f"{counted(found['urls'], 'URL')} new, {found['known']:,} known before, {found['refused']:,} refused"
    print_told(found, told, as_json=as_json)
    for one in found["refusals"]:
        click.echo(f"  {clean(one['url'])}: {clean(one['why'])}", err=True)
    return EXIT_WRONG if found["refused"] else 0


@frontier_command.command("pause")
@_line
def pause_command(base: str, token: str, as_json: bool) -> int:
    """Hand out nothing more until it is resumed; `afresh fetch` stops within seconds and gives back what it holds."""
    return print_told(_activate(base, token, active=False), "paused: lists are empty", as_json=as_json)


@frontier_command.command("resume")
@_line
def resume_command(base: str, token: str, as_json: bool) -> int:
    """Hand out lists again."""
    return print_told(_activate(base, token, active=True), "handing out lists", as_json=as_json)


def _activate(base: str, token: str, *, active: bool) -> Any:
    return Line(base, token).ask("PUT", "/active", {"active": active})


@frontier_command.command("block")
@click.argument("site")
@click.option("--for", "duration", metavar="DURATION", help="For how long (default: until it is unblocked).")
@_line
def block_command(site: str, duration: str | None, base: str, token: str, as_json: bool) -> int:
    """Leave a site alone: nothing of it is handed out, and `afresh fetch` stops within seconds."""
    seconds = parse_duration(duration) if duration else None
    if seconds is not None and seconds <= 0.0:
        raise UsageError(f"--for {duration}: that is no block; `afresh frontier unblock {site}` takes one back")
    site = _host(site)
    until = _FOR_GOOD if seconds is None else SystemClock().now() + seconds
    found = Line(base, token).ask("PATCH", "/sites", {"fqdn": site, "blocked_until": until})
    words = f"blocked until {_when(found['blocked_until'])}: {clean(site)}{_held(found)}"
    return print_told(found, words, as_json=as_json)


def _held(site: Mapping[str, Any]) -> str:
    """Who has a site now, and may be asking still."""
    if not site["leased_by"]:
        return ""
    who = clean(site.get("leased_by_name") or "a fetcher")
    end = _when(site["leased_until"])
    return f"; {who} has it: `afresh fetch` hears of it within seconds, another fetcher keeps it until {end} at most"


@frontier_command.command("unblock")
@click.argument("site")
@_line
def unblock_command(site: str, base: str, token: str, as_json: bool) -> int:
    """Take a block back."""
    site = _host(site)
    found = Line(base, token).ask("PATCH", "/sites", {"fqdn": site, "blocked_until": None})
    return print_told(found, f"not blocked any more: {clean(site)}", as_json=as_json)


@frontier_command.command("set")
@click.argument("site")
@click.option("--delay", metavar="DURATION", help="Between two requests to it; `default`: as sites that state none.")
@click.option(
    "--limit", type=click.IntRange(min=0), help="Hand out nothing more after so many completed URLs; 0: no limit."
)
@_line
def set_command(site: str, delay: str | None, limit: int | None, base: str, token: str, as_json: bool) -> int:
    """Say how a site is to be asked: its pause, its limit."""
    said: dict[str, object] = {} if limit is None else {"limit": limit}
    if delay is not None:
        said["crawl_delay"] = None if delay == _DEFAULT else parse_duration(delay)
    if not said:
        raise UsageError("say what to set: --delay or --limit")
    site = _host(site)
    found = Line(base, token).ask("PATCH", "/sites", {"fqdn": site, **said})
    pause = found["crawl_delay"]
    words = "the default pause" if pause is None else f"a pause of {format_duration(pause)}"
    most = f"; nothing more after {counted(found['limit'], 'completed URL')}" if found["limit"] else ""
    held = "" if delay is None else _held(found)
    return print_told(found, f"{clean(site)}: {words}{most}{held}", as_json=as_json)


@frontier_command.command("settings")
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]…")
@_line
def settings_command(changes: tuple[str, ...], base: str, token: str, as_json: bool) -> int:
    """Show the settings of lists and orders, or change those that are named; `default` takes one back."""
    line = Line(base, token)
    if changes:
        if any(change.startswith(("pages=", "sites=")) for change in changes):
            click.echo(f"`afresh fetch` asks for as much as it is told itself: {_OWN_AMOUNTS}", err=True)
        found = line.ask("PATCH", "/settings", dict(map(_change, changes)))
    else:
        found = line.ask("GET", "/settings")
    if as_json:
        return print_json(found)
    return print_table(["setting", "value"], [[name, _told(name, found[name])] for name in _SETTINGS if name in found])


def _change(said: str) -> tuple[str, object]:
    """The name of a setting and the value that it shall have.

    >>> _change("pages=10"), _change("default_delay=1m"), _change("page_order=pagerank"), _change("pages=default")
    (('pages', 10), ('default_delay', 60.0), ('page_order', 'pagerank'), ('pages', None))
    """
    name, is_change, value = said.partition("=")
    if not is_change:
        raise UsageError(f"{said}: say NAME=VALUE, like pages=10")
    if value == _DEFAULT:
        return name, None
    if name in _DURATIONS:
        return name, parse_duration(value)
    try:
        return name, orjson.loads(value)
    except orjson.JSONDecodeError:
        return name, value


def _told(name: str, value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "–" if value is None else str(value).lower()
    return format_duration(value) if name in _DURATIONS else clean(str(value))


@frontier_command.command("visit")
@click.argument("site")
@_line
def visit_command(site: str, base: str, token: str, as_json: bool) -> int:
    """Visit the known pages of a site again now, at its pace."""
    site = _host(site)
    found = Line(base, token).ask("POST", "/sites/visit", {"fqdn": site})
    return print_told(found, f"due now: {counted(found['urls'], 'page')} of {clean(site)}", as_json=as_json)


@frontier_command.command("free")
@click.argument("fetcher")
@_line
def free_command(fetcher: str, base: str, token: str, as_json: bool) -> int:
    """Free the sites of a fetcher that is gone, by its name or UUID; others get them after their pause."""
    line = Line(base, token)
    found = line.ask("POST", "/fetchers/restart", {"uuid": _uuid(line, fetcher)})
    return print_told(found, f"freed: {counted(found['given_back'], 'site')} of {clean(fetcher)}", as_json=as_json)


@frontier_command.command("forget")
@click.argument("fetcher")
@_line
def forget_command(fetcher: str, base: str, token: str, as_json: bool) -> int:
    """Forget a fetcher that will not come back, by its name or UUID; its sites are free after their pause."""
    line = Line(base, token)
    uuid = _uuid(line, fetcher)
    line.ask("DELETE", "/fetchers", {"uuid": uuid})
    return print_told({"forgotten": uuid}, f"forgotten: {clean(fetcher)}", as_json=as_json)


def _host(named: str) -> str:
    """The site that is meant by a URL, or by a host with its port.

    >>> _host("http://S06.example:9300/a"), _host("s06.example:9300"), _host("s06.example")
    ('s06.example', 's06.example', 's06.example')
    """
    rest = named.partition("://")[2] or named
    host = rest.partition("/")[0].rpartition("@")[2]
    name, _, port = host.rpartition(":")
    return (name if name and port.isdecimal() else host).lower()


def _uuid(line: Line, fetcher: str) -> str:
    """Of the fetcher that is meant."""
    known = [one for one in line.ask("GET", "/fetchers") if fetcher in (one["uuid"], one["name"])]
    if len(known) != 1:
        words = "several fetchers are called so; name one by its UUID" if known else "no fetcher is called so"
        raise UsageError(f"{clean(fetcher)}: {words} (`afresh frontier status` lists them)")
    return str(known[0]["uuid"])


def _due(time: str | None) -> str:
    """When a URL is asked for (again)."""
    if time is None:
        return "not asked for again"
    return "now" if (from_iso(time) or 0.0) <= SystemClock().now() else _when(time)


def _when(time: str | None) -> str:
    if time is None:
        return "–"
    return "it is unblocked" if time.startswith(_FOR_GOOD[:10]) else moment(time)
