"""Copies of pages that are gone, as a Memento service knows them (RFC 7089)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from afresh.base.models import Failed, Fetched, Outcome, Rejected, Request
from afresh.base.plain_numbers import counted
from afresh.base.records.links import Standing
from afresh.doors.cli.check_report import shown_url
from afresh.doors.cli.output import clean
from afresh.links.documents.targets import WebPage, check_base

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row
    from afresh.doors.cli.check_run import CheckRun

_MOST = 200  # pages one check asks an archive about
_NO_COPY = (404, 410, 451)  # statuses by which an archive says that it has none to show
_ENOUGH = 1_024  # bytes of a copy: that it is there is what counts


async def with_copies(rows: Sequence[Row], run: CheckRun, service: str) -> list[Row]:
    """The rows, those of broken links with the address of a copy, if the service has one.

    It is asked for the page as it was when it was saved or accepted: a newer copy may be of what took its place.
    """
    service = check_base(service)
    copies: dict[str, str] = {}
    unasked: list[str] = []
    for row in rows:
        target = row.at.target
        if row.check.standing is not Standing.BROKEN or not isinstance(target, WebPage):
            continue
        if target.url not in copies and len(copies) < _MOST:
            address = _asked(service, target.url)
            known = row.at.link.saved or run.accepted(target.url)
            outcome = await run.fetch(Request(url=address, as_of=known, is_crawl=True, enough=_ENOUGH))
            copies[target.url] = _copy(outcome, address)
            unasked += filter(None, [_why_unasked(outcome)])
    run.keep_copies(copies)
    if unasked:
        pages = f"{len(unasked)} of {counted(len(copies), 'page')}"
        told = f"the archive {shown_url(service)} could not be asked about {pages}: {unasked[0]}"
        click.echo(f"afresh: {clean(told)}", err=True)
    return [
        replace(row, archived=copies.get(row.at.target.url, "")) if isinstance(row.at.target, WebPage) else row
        for row in rows
    ]


def _asked(service: str, url: str) -> str:
    return f"{service.rstrip('/')}/{url}"


def _copy(outcome: Outcome, asked: str) -> str:
    """Where the service has a copy; empty: nowhere."""
    if not isinstance(outcome, Fetched):
        return ""
    is_copy = "memento-datetime" in outcome.trip.headers or outcome.trip.final_url != asked
    return outcome.trip.final_url if is_copy else ""


def _why_unasked(outcome: Outcome) -> str:
    """Why the service did not say whether it has a copy; empty: it did."""
    if isinstance(outcome, Failed):
        return str(outcome)
    return f"HTTP {outcome.status}" if isinstance(outcome, Rejected) and outcome.status not in _NO_COPY else ""
