"""``afresh lab trace``: record, import, make and describe histories."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.errors import UsageError
from afresh.base.extras import need
from afresh.doors.cli.context import with_store
from afresh.doors.cli.lab.options import Moment, history_output
from afresh.doors.cli.lazy import PlainGroup
from afresh.doors.cli.output import json_option, print_json, print_told
from afresh.lab.analysis import analyse
from afresh.lab.analysis import as_text as analysis_as_text
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import (
    as_text,
    describe,
    export_trace,
    import_tudcs6,
    merged_commits,
    page_trace_from_git,
    read_page_trace,
    read_trace,
    record_trace,
    sample_feeds,
    trace_from_git,
    write_documents,
    write_page_trace,
    write_stream,
)
from afresh.lab.traces.archive import DELIMITER
from afresh.lab.traces.describe_pages import describe_pages, pages_as_text
from afresh.lab.traces.from_results import page_trace_from_results
from afresh.lab.traces.parted import PART, cut, read_parted, write_parts
from afresh.lab.traces.plots import plot_description
from afresh.store.finding import find_one

if TYPE_CHECKING:
    from afresh.base.protocols import Store
    from afresh.lab.traces.pages import PageTrace


@click.group("trace", cls=PlainGroup)
def trace_command() -> None:
    """Record, import, make and describe histories."""


@trace_command.command("describe")
@click.argument("folder", type=click.Path())
@click.option("--start", type=Moment(), help="Only from then on.")
@click.option("--end", type=Moment(), help="Only until then.")
@click.option("--plot", type=click.Path(), help="Also draw it into this file (.svg, .png or .pdf).")
@json_option
def describe_command(folder: str, start: float | None, end: float | None, plot: str | None, as_json: bool) -> int:
    """Statistics, pattern classes, activity, daily shapes, attributes and quality of a history."""
    if plot:
        need("lab", "--plot")
    if (Path(folder) / "pages.csv").exists():
        pages = describe_pages(read_page_trace(folder))
        return print_told(pages.as_dict(), pages_as_text(pages), as_json=as_json)
    trace = read_trace(folder)
    description = describe(trace, start=start, end=end)
    if plot:
        plot_description(trace, description, plot)
    analysis = analyse(trace, start=start, end=end) if len(trace.times) else None
    if as_json:
        print_json({**description.as_dict(), "analysis": None if analysis is None else analysis.as_dict()})
    else:
        click.echo(as_text(description))
        if analysis is not None:
            click.echo(analysis_as_text(analysis))
    return 0


@trace_command.command("record")
@history_output
@click.option("--licence", default="", help="Licence to name in the README.")
@json_option
@with_store
def record_command(store: Store, output: str, licence: str, as_json: bool) -> int:
    """Write what this afresh has watched as a history for replay, with a README for reuse."""
    trace = record_trace(store)
    return _written(trace, output, source="recorded by afresh", licence=licence, as_json=as_json)


@trace_command.command("from-git")
@click.argument("repositories", nargs=-1, required=True, metavar="REPO…")
@history_output
@click.option("--pages", is_flag=True, help="File versions as page changes, instead of commits as feeds.")
@click.option("--path", "paths", multiple=True, help="With --pages: only files that match; may be repeated.")
@click.option("--all-commits", is_flag=True, help="Also the commits of merged branches, at the time they were made.")
@json_option
def from_git_command(
    repositories: tuple[str, ...], output: str, pages: bool, paths: tuple[str, ...], all_commits: bool, as_json: bool
) -> int:
    """Commit times as a feed with window 20 and tags as one with window 10; or file versions as page changes.

    Of the commits those on the first-parent line of HEAD: a merged branch is one entry, its merge.
    """
    if all_commits and pages:
        raise UsageError("--all-commits is for feeds of commits; with --pages a merge brings what it changed")
    if not pages:
        left_out = 0 if all_commits else merged_commits(repositories)
        line = "all commits of HEAD" if all_commits else "the commits of HEAD's first-parent line"
        without = f", without the {left_out:,} of merged branches (--all-commits takes them)" if left_out else ""
        source = f"git: {', '.join(repositories)}; {line}{without}, and tags."
        trace = trace_from_git(repositories, all_commits=all_commits)
        return _written(trace, output, source=source, as_json=as_json, left_out=left_out)
    versions = page_trace_from_git(repositories, paths=paths)
    return _written_pages(versions, output, source=f"git: {', '.join(repositories)}.", as_json=as_json)


@trace_command.command("from-results")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(exists=True, dir_okay=False))
@history_output
@json_option
def from_results_command(files: tuple[str, ...], output: str, as_json: bool) -> int:
    """What a crawl found, as page changes: files that the sink `ndjson:FOLDER` of a frontier has written.

    A page has a version at its first visit and at each that found it changed.
    """
    trace = page_trace_from_results(files)
    files_said = ", ".join(Path(file).name for file in files)
    return _written_pages(trace, output, source=f"Results of a frontier: {files_said}.", as_json=as_json)


def _written_pages(trace: PageTrace, output: str, *, source: str, as_json: bool) -> int:
    summary = {"folder": output, "pages": len(trace), "changes": len(trace.times) - len(trace)}
    readme = f"""# {trace.name}

{source} {summary["pages"]:,} pages, {summary["changes"]:,} changes.

- `pages.csv`: a page a line ({", ".join(("page_id", *trace.columns))}); times are seconds since 1970 (UTC).
- `changes.csv.gz`: a version a line, with the time at which it was there first; the first of a page is no change.

`afresh lab trace describe FOLDER` tells more, `afresh lab revisit --trace FOLDER` replays policies on it.
"""
    _guarded(lambda: write_page_trace(trace, output, readme=readme), output)
    _tell(summary, as_json=as_json)
    return 0


@trace_command.command("import")
@click.argument("folder", type=click.Path())
@history_output
@json_option
def import_command(folder: str, output: str, as_json: bool) -> int:
    """The published layout of TUDCS6: one CSV a feed with publication, poll, window and MISS lines."""
    return _written(import_tudcs6(folder), output, source=f"imported from {Path(folder).name}", as_json=as_json)


@trace_command.command("convert")
@click.argument("folder", type=click.Path())
@history_output
@click.option("--feeds", type=click.IntRange(1), default=PART, show_default=True, help="Feeds of a part.")
@json_option
def convert_command(folder: str, output: str, feeds: int, as_json: bool) -> int:
    """A history as Parquet in parts, which workers of Dask read one by one; every command reads it as well."""
    trace = read_trace(folder)
    _guarded(lambda: write_parts(cut(trace, feeds), output, name=trace.name), output)
    parts = len(read_parted(output).parts)
    _tell({"folder": output, "feeds": len(trace), "entries": len(trace.times), "parts": parts}, as_json=as_json)
    return 0


@trace_command.command("sample")
@click.argument("folder", type=click.Path())
@click.option("--count", type=click.IntRange(1), required=True, help="Number of feeds.")
@click.option("--seed", type=int, default=0, show_default=True)
@history_output
@json_option
def sample_command(folder: str, count: int, seed: int, output: str, as_json: bool) -> int:
    """A random sample of the feeds of a history."""
    trace = sample_feeds(read_trace(folder), count, seed=seed)
    return _written(trace, output, source=f"{count} feeds of {Path(folder).name}, seed {seed}", as_json=as_json)


@trace_command.command("stream")
@click.argument("key", metavar="URL|NUMBER")
@click.option("--documents", type=click.Path(), help="Also write kept documents with news into this folder.")
@json_option
@with_store
def stream_command(store: Store, key: str, documents: str | None, as_json: bool) -> int:
    """The stream of a watched feed as CSV: times, identity, title, link, window size, and Miss lines."""
    resource = find_one(store, key)
    rows = io.StringIO()
    write_stream(store, resource, rows if as_json else sys.stdout)
    if documents:
        count = write_documents(store, documents, resource=resource)
        click.echo(f"{count} documents written to {documents}", err=True)
    return print_json(list(csv.DictReader(rows.getvalue().splitlines(), delimiter=DELIMITER))) if as_json else 0


def _written(
    trace: Trace, output: str, *, source: str, as_json: bool, licence: str = "", left_out: int | None = None
) -> int:
    """``left_out``: commits of merged branches, where there could be some."""
    _guarded(lambda: export_trace(trace, output, source=source, licence=licence), output)
    summary: dict[str, object] = {"folder": output, "feeds": len(trace), "entries": len(trace.times)}
    _tell(summary if left_out is None else summary | {"left_out": left_out}, as_json=as_json)
    if left_out and not as_json:
        click.echo("left out: commits of merged branches; --all-commits takes them")
    return 0


def _guarded(write: Callable[[], object], output: str) -> None:
    try:
        write()
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error


def _tell(summary: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(summary)
    else:
        click.echo(", ".join(f"{name} {value}" for name, value in summary.items()))
