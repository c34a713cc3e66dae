"""``afresh check --fix``: addresses that have moved for good are replaced in their files; the change is shown first."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.errors import UsageError
from afresh.base.plain_numbers import counted
from afresh.base.records.links import CheckStatus
from afresh.doors.cli.check_rows import TAKEN
from afresh.doors.cli.output import clean
from afresh.links.answers import is_redirected
from afresh.links.documents.fixing import Fixed, fixed
from afresh.links.measures.url import is_front
from afresh.parse.url import with_part

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row


def new_addresses(rows: Sequence[Row]) -> dict[str, str]:
    """Old to new, of links with a permanent redirect to a page that is well, or whose new address was taken."""
    return {
        row.at.url: with_part(row.check.new_url, row.at.url)
        for row in rows
        if is_redirected(row.check) or (row.check.status is CheckStatus.MOVED and row.check.detail == TAKEN)
    }


def _leads_to_front(old: str, new: str) -> bool:
    """Whether a page was given up for a front page, of its site or another: no repair, the old address says more."""
    return is_front(new) and not is_front(old)


def fix(rows: Sequence[Row], *, yes: bool, beside: bool = False) -> None:
    """Shows what would change, asks, and writes; ``beside``: standard output has a report that programs read."""
    found = new_addresses(rows)
    moved = {old: new for old, new in found.items() if not _leads_to_front(old, new)}
    if given_up := len(found) - len(moved):
        told = f"{counted(given_up, 'address', 'addresses')} of pages that lead to a front page now"
        click.echo(f"left as they are: {told}", err=True)
    names = dict.fromkeys(row.at.file for row in rows if row.at.url in moved and row.at.file not in ("", "-"))
    changed = [made for name in names if (made := _fixed(name, moved)) is not None]
    unwritten = ", ".join(clean(name) for name in names if name not in {made.name for made in changed})
    why_not = f"what has moved for good cannot be replaced in {unwritten}"
    if not changed:
        click.echo(f"nothing to fix: {why_not if names else 'no link has moved for good'}", err=True)
        return
    if unwritten:
        click.echo(why_not, err=True)
    for made in changed:
        click.echo("".join(f"{clean(line)}\n" for line in made.diff().splitlines()), nl=False, err=beside)
    count = sum(made.changes for made in changed)
    what = f"{counted(count, 'address', 'addresses')} in {counted(len(changed), 'file')}"
    if yes or (sys.stdin.isatty() and click.confirm(f"Replace {what}?", err=True)):
        for made in changed:
            _write(made)
        click.echo(f"replaced {what}", err=True)
    else:
        click.echo(f"{what} would be replaced; nothing is written without --yes", err=True)


def _fixed(name: str, moved: dict[str, str]) -> Fixed | None:
    try:
        body = Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from error
    return fixed(body, name, lambda target: moved.get(target, ""))


def _write(made: Fixed) -> None:
    try:
        Path(made.name).write_bytes(made.body)
    except OSError as error:
        raise UsageError(f"cannot write {made.name}: {error.strerror}") from error
