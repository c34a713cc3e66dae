"""``afresh check --fix``: addresses that have moved for good are replaced in their files; the change is shown first."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.base.errors import UsageError
from afresh.base.plain_numbers import counted
from afresh.base.records.links import CheckStatus
from afresh.doors.cli.check_report import shown_url
from afresh.doors.cli.check_rows import TAKEN
from afresh.doors.cli.output import clean
from afresh.links.documents.fixing import Fixed, fixed
from afresh.links.repairs import why_no_repair
from afresh.parse.url import with_part

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row

_NAMED = 10  # addresses that are left as they are


def new_addresses(rows: Sequence[Row]) -> tuple[dict[str, str], dict[str, str]]:
    """Old to new, of links that have moved, or whose new address was taken; and why the others are left, by address."""
    moved: dict[str, str] = {}
    left: dict[str, str] = {}
    for row in rows:
        check, url = row.check, row.at.url
        if check.status is not CheckStatus.MOVED or not check.new_url:
            continue
        if check.detail != TAKEN and (why := why_no_repair(url, check)):
            left[url] = why
        else:
            moved[url] = with_part(check.new_url, url)
    return moved, left


def tell_left(left: Mapping[str, str]) -> None:
    """Says which addresses stay in a file though their links have moved, and why."""
    for why in dict.fromkeys(left.values()):
        urls = [url for url, reason in left.items() if reason == why]
        named = ", ".join(clean(shown_url(url)) for url in urls[:_NAMED])
        more = f" and {len(urls) - _NAMED:,} more" if len(urls) > _NAMED else ""
        told = f"{counted(len(urls), 'address', 'addresses')} of links that moved, because {why}: {named}{more}"
        click.echo(f"left as {'it is' if len(urls) == 1 else 'they are'}: {told}", err=True)


def fix(rows: Sequence[Row], *, yes: bool, beside: bool = False) -> None:
    """Shows what would change, asks, and writes; ``beside``: standard output has a report that programs read."""
    moved, left = new_addresses(rows)
    tell_left(left)
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
