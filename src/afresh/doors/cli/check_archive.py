"""Copies of pages that are gone, as a Memento service knows them (RFC 7089)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.models import Fetched, Request
from afresh.base.records.links import Standing
from afresh.links.documents.targets import WebPage, check_base

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row
    from afresh.doors.cli.check_run import CheckRun

_MOST = 200  # pages one check asks an archive about
_ENOUGH = 1_024  # bytes of a copy: that it is there is what counts


async def with_copies(rows: Sequence[Row], run: CheckRun, service: str) -> list[Row]:
    """The rows, those of broken links with the address of a copy, if the service has one."""
    service = check_base(service)
    copies: dict[str, str] = {}
    for row in rows:
        target = row.at.target
        if row.check.standing is not Standing.BROKEN or not isinstance(target, WebPage):
            continue
        if target.url not in copies and len(copies) < _MOST:
            copies[target.url] = await _copy(run, service, target.url)
    return [
        replace(row, archived=copies.get(row.at.target.url, "")) if isinstance(row.at.target, WebPage) else row
        for row in rows
    ]


async def _copy(run: CheckRun, service: str, url: str) -> str:
    """Where the service has a copy; empty: nowhere."""
    asked = f"{service.rstrip('/')}/{url}"
    outcome = await run.fetch(Request(url=asked, is_crawl=True, enough=_ENOUGH))
    if not isinstance(outcome, Fetched):
        return ""
    is_copy = "memento-datetime" in outcome.trip.headers or outcome.trip.final_url != asked
    return outcome.trip.final_url if is_copy else ""
