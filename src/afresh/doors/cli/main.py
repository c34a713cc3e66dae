"""The entry point: finds the command, loads only its module, turns errors into one line and an exit code.

Exit codes: 0 done; 1 done, and something is wrong (a dead feed, a broken link); 2 the command was not understood;
3 the settings, the store or the environment cannot be used; 130 interrupted.
"""

import gc
import os
import sys
from typing import Any

import click

from afresh import __version__
from afresh.base.errors import AfreshError, ConfigError, ServiceError, StoreError
from afresh.base.extras import extra_of, missing
from afresh.doors.cli.lazy import LazyGroup

EXIT_WRONG, EXIT_USAGE, EXIT_ENVIRONMENT, EXIT_INTERRUPTED = 1, 2, 3, 130

#: command: (module, line of help). The help stands here so that `afresh --help` imports nothing else.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("init", "Ask three questions, write afresh.toml, and begin to watch."),
    "add": ("add", "Watch feeds, pages or sitemaps, by URL."),
    "import": ("add", "Watch all that an OPML file, bookmarks, CSV, JSON or a list names."),
    "export": ("watch", "Write what is watched as OPML, bookmarks, CSV, JSON or a plain list."),
    "discover": ("discover", "Find the feeds that sites announce."),
    "parse": ("parse", "Show what afresh reads in a document, entry by entry, and what was repaired."),
    "list": ("watch", "List what is watched."),
    "show": ("watch", "Show everything known about a resource."),
    "set": ("set", "Change a resource, or many: pin an interval, choose a rule, pause."),
    "remove": ("set", "Stop watching, and forget."),
    "poll": ("poll", "Visit now instead of when it is due, at the pace each site wants."),
    "entries": ("watch", "Read new entries, at your own pace."),
    "why": ("why", "Explain when a resource is visited next, and why."),
    "status": ("status", "Totals: what is watched, what was found, what went wrong."),
    "refresh": ("refresh", "Set how feeds are visited and how fresh they shall be, or show what was set and reached."),
    "page": ("page", "Watched pages: their versions, what changed, and which parts are watched."),
    "feed": ("feed", "Query feeds: new feeds composed from old ones."),
    "notice": ("notice", "Notices: who is told of new entries, changed pages, failing feeds and pages, broken links."),
    "check": ("check", "Check links: dead, moved, parked, replaced? Exit 1 if one is broken."),
    "link": ("link", "Kept links: how they stand, their versions, what changed; accept or reject."),
    "learn": ("learn", "Teach the judge of links: rate versions side by side, train a model, use it or go back."),
    "run": ("run", "Run the daemon with its pages and its REST interface."),
    "serve": ("serve", "Run a frontier: hand out lists of URLs to fetchers, take their results."),
    "frontier": ("frontier", "A running frontier: how it stands, its sites, what failed; block, visit again, free."),
    "sink": ("sink", "Sinks: where entries and results are written to besides the store, and how far each is."),
    "fetch": ("fetch", "Run a fetcher for a frontier, here or on another machine."),
    "demo": ("demo", "Watch a small living web on this machine; works offline."),
    "lab": ("lab.group", "Replay rules on recorded histories; reproduce published results."),
    "store": ("store", "Check a store; move everything from SQLite to PostgreSQL."),
    "config": ("config", "Show every option, its value and where it came from."),
    "completion": ("completion", "Print the script by which a shell completes commands and options."),
    "doctor": ("doctor", "Check that everything needed is there and works."),
}


#: options that have had another name; the old one works until the next version
RENAMED_OPTIONS = {
    "--predictor": "--rule",
    "--alpha": "--shortest",
    "--beta": "--longest",
    "--eta": "--standard",
}

_OWN_STORE = frozenset(("check", "lab", "serve"))  # commands with a --store of their own


@click.group(
    cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(),
    metavar="FILE",
    help="Settings file (default: afresh.toml, if there is one).",
)
@click.option("--store", metavar="URL", help="Where everything is kept (default: afresh.db).")
@click.option(
    "--set", "assignments", multiple=True, metavar="NAME=VALUE", help="Override one setting; may be repeated."
)
@click.version_option(__version__, prog_name="afresh", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, config_file: str | None, store: str | None, assignments: tuple[str, ...]) -> None:
    """afresh: a fresh picture of the web for the fewest requests."""
    ctx.obj = {"config_file": config_file, "store": store, "assignments": assignments, "environment": dict(os.environ)}


def _in_front(arguments: list[str]) -> list[str]:
    """Options of the program before the command, wherever they stood; but ``--store`` of a command that has its own.

    >>> _in_front(["run", "--set", "loop.batch=9", "--port", "0"]), _in_front(["serve", "--store", "f.db"])
    (['--set', 'loop.batch=9', 'run', '--port', '0'], ['serve', '--store', 'f.db'])
    """
    ours = ("--set", "--config") if _OWN_STORE & set(arguments) else ("--set", "--config", "--store")
    front: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word in ours:
            if (value := next(words, None)) is None:
                return [word]  # click says that it lacks its value
            front += [word, value]
        elif word.startswith(tuple(f"{name}=" for name in ours)):
            front.append(word)
        else:
            rest.append(word)
    return front + rest


def _by_their_names(arguments: list[str]) -> list[str]:
    """The arguments with the names that options have now, and a hint to whoever used an older one.

    >>> _by_their_names(["lab", "replay", "--rule", "fix", "--", "--predictor"])
    ['lab', 'replay', '--rule', 'fix', '--', '--predictor']
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    words = []
    for word in arguments[:end]:
        old, equals, value = word.partition("=")
        if new := RENAMED_OPTIONS.get(old):
            click.echo(f"afresh: {old} is called {new} now; the old name works until the next version", err=True)
        words.append(f"{new or old}{equals}{value}")
    return words + arguments[end:]


def _leave_out_hidden(error: click.ClickException) -> None:
    """Whoever mistyped an option is not told of those that are for ourselves."""
    if isinstance(error, click.NoSuchOption) and error.possibilities and error.ctx is not None:
        hidden = {
            name for option in error.ctx.command.params if getattr(option, "hidden", False) for name in option.opts
        }
        error.possibilities[:] = [name for name in error.possibilities if name not in hidden]


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code; errors become one line on standard error."""
    given = _by_their_names(_in_front(sys.argv[1:] if arguments is None else arguments))
    try:
        result: Any = cli.main(args=given, prog_name="afresh", standalone_mode=False)
    except click.exceptions.Abort:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        _leave_out_hidden(error)
        error.show()
        return EXIT_USAGE
    except AfreshError as error:
        click.echo(f"afresh: {error}", err=True)
        return (
            EXIT_ENVIRONMENT
            if isinstance(error, (ConfigError, StoreError, ServiceError)) and not isinstance(error, LookupError)
            else EXIT_USAGE
        )
    except ModuleNotFoundError as error:  # a command whose modules need an extra says so before it does anything
        if (extra := extra_of(error.name or "")) is None:
            raise
        click.echo(f"afresh: {missing(extra, 'this command')}", err=True)
        return EXIT_ENVIRONMENT
    except BrokenPipeError:  # `afresh list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def main() -> None:
    code = run()
    gc.freeze()  # the process ends: to look for garbage once more takes a tenth of a short command's time
    sys.exit(code)
