"""The options of ``afresh check``, by what they are about."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from afresh.base.errors import UsageError
from afresh.base.records.links import Standing, Usage

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("terminal", "json", "junit", "markdown", "csv", "html", "github")
_FAILING = (Standing.BROKEN, Standing.UNKNOWN, Standing.MOVED)
_ENDINGS = {
    ".json": "json", ".xml": "junit", ".md": "markdown", ".csv": "csv", ".html": "html", ".txt": "terminal"
}  # fmt: skip


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one, in this order."""

    def apply(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return apply


inputs = _together(
    click.option("--files-from", metavar="FILE", help="Also the files (or URLs) named there, one a line; - for input."),
    click.option("--links-of", multiple=True, metavar="URL", help="Also the links of this page."),
    click.option("--recursive", is_flag=True, help="With --links-of: of all pages of its site that it leads to."),
    click.option(
        "--max-pages", type=click.IntRange(1), default=500, show_default=True, help="Pages that --recursive reads."
    ),
    click.option("--sitemap", multiple=True, metavar="URL", help="Also the pages that a sitemap names."),
    click.option("--no-ignore", is_flag=True, help="In folders also what .gitignore names."),
    click.option("--hidden", is_flag=True, help="In folders also what begins with a dot."),
    click.option("--exclude-path", multiple=True, metavar="PATTERN", help="Files to leave out of folders."),
    click.option("--base-url", metavar="URL", default="", help="Relative links are pages of this site, not files."),
    click.option("--root-dir", metavar="DIR", help='What "/" at the beginning means (default: the repository).'),
    click.option(
        "--fallback-extensions", metavar="LIST", default="", help="Endings to try behind a name: html,md for `page`."
    ),
)
choosing = _together(
    click.option("--include", multiple=True, metavar="PATTERN", help="Only these links, or in spite of --exclude."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Not these links; a regular expression."),
    click.option("--scheme", multiple=True, metavar="NAME", help="Only links of this scheme: https, http, file."),
    click.option("--examples", is_flag=True, help="Also example and private addresses of documents."),
    click.option("--mail", is_flag=True, help="Also list mailto: and tel: links, which nobody is asked about."),
    click.option(
        "--remap", nargs=2, multiple=True, metavar="PATTERN REPLACEMENT", help="Check another address instead."
    ),
    click.option("--offline", is_flag=True, help="Ask nobody: look only at links to files."),
    click.option("--dump", is_flag=True, help="Only list the links that would be checked."),
)
judging = _together(
    click.option("--status-only", is_flag=True, help="Look at the status of an answer alone: no verdicts, quicker."),
    click.option("--accept", metavar="LIST", help="Statuses that are good: 200..299,403."),
    click.option("--fragments/--no-fragments", default=True, help="Look for the part of a page behind #."),
    click.option(
        "--retries", type=click.IntRange(0, 10), default=1, show_default=True, help="After a trouble that may pass."
    ),
    click.option("--timeout", metavar="DURATION", help="How long a request may take (default: 20s of silence)."),
    click.option("--delay", metavar="DURATION", help="Pause between two requests to a site (default: the settings')."),
    click.option("--parallel", type=click.IntRange(1), default=64, show_default=True, help="Sites asked side by side."),
    click.option(
        "--profile",
        "--usage",
        "usage",
        type=click.Choice([str(usage) for usage in Usage]),
        help="What the links mean: a place (referential, the default), this very content (attributive), or pages that"
        " change by nature, of which only the end is told (changing).",
    ),
    click.option(
        "--probe/--no-probe",
        default=True,
        help="Where a page has little of its own, compare it with what the site shows for an address that cannot exist,"
        " and with its front page.",
    ),
)
letting_in = _together(
    click.option(
        "--header", nargs=2, multiple=True, metavar="HOST 'NAME: VALUE'", help="Sent to this host alone; * for all."
    ),
    click.option(
        "--basic-auth", nargs=2, multiple=True, metavar="HOST NAME:PASSWORD", help="env:NAME takes it from there."
    ),
    click.option("--token", nargs=2, multiple=True, metavar="HOST TOKEN", help="A bearer token; env:NAME, too."),
    click.option(
        "--github-token",
        metavar="TOKEN",
        envvar="GITHUB_TOKEN",
        help="Asks GitHub's API where its pages refuse (default: $GITHUB_TOKEN).",
    ),
    click.option("--cookie-jar", type=click.Path(dir_okay=False), metavar="FILE", help="Cookies, read and kept."),
    click.option("--insecure", is_flag=True, help="Take any certificate."),
)
keeping = _together(
    click.option("--store", metavar="URL", help="Compare with the versions stored there."),
    click.option("--save", is_flag=True, help="Keep what is seen: the first version of a link is its reference."),
    click.option("--watch", is_flag=True, help="With --save: let the daemon go on watching these links."),
    click.option("--owner", default="", help="Judge by this person's trained model; empty: everybody's."),
    click.option(
        "--resume", type=click.Path(dir_okay=False), metavar="FILE", help="Keep results there; go on from them."
    ),
    click.option("--max-age", metavar="DURATION", default="1d", show_default=True, help="Of results from --resume."),
)
telling = _together(
    click.option("--format", "form", type=click.Choice(FORMATS), help="Of the report (default: by --output's ending)."),
    click.option("--json", "form", flag_value="json", help="Print JSON."),
    click.option("--junit", "form", flag_value="junit", help="Print a JUnit report."),
    click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table."),
    click.option("--output", "-o", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report there."),
    click.option(
        "--all",
        "everything",
        is_flag=True,
        help="Also list the links that are well, which JSON, CSV, HTML and JUnit always have.",
    ),
    click.option(
        "--fail-on",
        metavar="LIST",
        default="broken",
        show_default=True,
        help="Exit with 1 if a link is one of these: broken, unknown, moved; none: never for a link.",
    ),
    click.option(
        "--explain",
        is_flag=True,
        help="Say what was seen and why a link stands so; of saved pages the measures, and what changed.",
    ),
    click.option("--find-moved", is_flag=True, help="Look on the site for pages that are gone; asks its home page."),
    click.option("--archive", metavar="URL", help="Ask this Memento service for copies of pages that are gone."),
    click.option("--fix", is_flag=True, help="Replace addresses that have moved for good, after showing the change."),
    click.option("--yes", is_flag=True, help="With --fix: do not ask."),
)


def form_of(form: str | None, output: str | None) -> str:
    """The format of the report: as said, or by the ending of its file; UsageError where that says nothing.

    >>> form_of(None, "report.HTML"), form_of(None, "report"), form_of("csv", "report.xlsx")
    ('html', 'terminal', 'csv')
    """
    ending = Path(output).suffix.lower() if output else ""
    if form is not None or not ending:
        return form or "terminal"
    if ending not in _ENDINGS:
        known = ", ".join(_ENDINGS)
        raise UsageError(f"no report ends with {ending}; choose one of {known}, or say which with --format")
    return _ENDINGS[ending]


def standings(text: str) -> frozenset[Standing]:
    """What makes a check fail, as it is written; raises UsageError.

    >>> sorted(standings("broken, unknown")), standings("none")
    ([<Standing.BROKEN: 'broken'>, <Standing.UNKNOWN: 'unknown'>], frozenset())
    """
    named = [name.strip() for name in text.split(",")]
    if named == ["none"]:
        return frozenset()
    if not set(named) <= set(_FAILING):
        raise UsageError(f"not what a link can be: {text!r}; write some of {', '.join(_FAILING)}, or none")
    return frozenset(map(Standing, named))


def secret(value: str) -> str:
    """A secret, or what the environment keeps under a name: on a command line everybody can read it."""
    if not value.startswith("env:"):
        return value
    name = value.removeprefix("env:")
    if not (kept := os.environ.get(name, "")):
        raise UsageError(f"there is nothing in the environment called {name}")
    return kept
