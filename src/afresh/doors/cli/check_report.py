"""What ``afresh check`` prints: JSON, JUnit, Markdown, or a table with the reasons for a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import click
import orjson

from afresh.base.records.link_status import Standing
from afresh.doors.cli.check_rows import Row
from afresh.doors.cli.output import clean, print_table
from afresh.links.documents.occurrences import listed

if TYPE_CHECKING:
    from afresh.base.records.links import Check, LinkRef, LinkState
    from afresh.links.find_moved import Candidate
    from afresh.links.verdicts.diff import Piece
    from afresh.links.verdicts.judge import Influence

_SIGNS = {"added": "+", "removed": "-", "kept": " "}  # of ``verdicts.diff.Change``
_SHOWN = 40  # pieces of a difference, for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Why a verdict: the measures that decided, what was removed and added, where the page may be now."""

    influences: tuple[Influence, ...] = ()
    difference: tuple[Piece, ...] = ()
    candidates: tuple[Candidate, ...] = ()


Reasons = Mapping[str, Explained]


def as_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Checks for programs, as every door shows them, and where each link stands in its file."""
    from afresh.doors.presenting.links import CheckView, view_check  # noqa: PLC0415 (people need no form of programs)

    names = [field.name for field in fields(CheckView)]
    told: list[dict[str, object]] = []
    for row in rows:
        view = view_check(row.check)
        at, link = row.at, row.at.link
        place = {"file": at.file or None, "line": link.line or None, "column": at.column or None, "text": link.title}
        shown = {**{name: getattr(view, name) for name in names}, **place}
        if (why := row.why) is not None:
            shown |= {"measures": why.influences, "difference": why.difference, "candidates": why.candidates}
        told.append(shown)
    return told


def print_checks(
    form: str | None, links: Sequence[LinkRef], checks: Sequence[Check], *, everything: bool, reasons: Reasons
) -> None:
    """Checks of links that stand in no file."""
    pairs = zip(links, checks, strict=True)
    print_rows(form, [Row(listed(link), check, reasons.get(link.url)) for link, check in pairs], everything=everything)


def print_rows(form: str | None, rows: Sequence[Row], *, everything: bool) -> None:
    if form == "json":
        click.echo(orjson.dumps(as_json(rows), option=orjson.OPT_INDENT_2))
        return
    if form == "junit":
        click.echo(_junit(rows))
        return
    shown = [row for row in rows if everything or row.check.standing is not Standing.OK]
    if form == "markdown":
        click.echo("| standing | status | link | what |\n|---|---|---|---|")
        for row in shown:
            click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in _cells(row)) + " |")
        return
    if shown:
        print_table(["standing", "status", "link", "what"], [_cells(row) for row in shown])
    for row in shown:
        if row.why is not None:
            print_reasons(row.at.url, row.why)
    counts = {standing: sum(row.check.standing is standing for row in rows) for standing in Standing}
    told = ", ".join(f"{count} {standing}" for standing, count in counts.items() if count)
    click.echo(f"{told} of {len(rows)} link{'s' if len(rows) != 1 else ''}" if rows else "no links")


def print_reasons(url: str, why: Explained) -> None:
    """The measures that decided, a readable difference, and candidates for a new address."""
    if not (why.influences or why.difference or why.candidates):
        return
    click.echo(f"\n{clean(url)}")
    for candidate in why.candidates:
        click.echo(f"  perhaps now at {clean(candidate.url)} ({candidate.because}, {candidate.probability:.0%} alike)")
    for item in why.influences:
        towards = "same page" if item.influence > 0 else "another page"
        click.echo(f"  {item.measure:<24} {item.value:5.2f}  {item.influence:+7.2f} towards {towards}")
    print_difference(why.difference)


def print_difference(pieces: Sequence[Piece], *, limit: int = _SHOWN) -> None:
    for piece in pieces[:limit]:
        click.echo(f"  {_SIGNS[piece.change]} {clean(piece.text)[:160]}")
    if len(pieces) > limit:
        click.echo(f"  … and {len(pieces) - limit} more pieces of text")


def what(found: Check | LinkState, *, http: int | None = None) -> str:
    """What was found, in one line."""
    parts = [
        str(found.turned or "").replace("_", " "),
        f"HTTP {http}" if http and http >= 300 else "",
        f"now at {found.new_url}" if found.new_url else "",
        found.detail,
    ]
    return clean("; ".join(part for part in parts if part))


def _cells(row: Row) -> tuple[str, str, str, str]:
    check = row.check
    return str(check.standing), str(check.status), _where(row), what(check, http=check.http)


def _where(row: Row) -> str:
    """The link, and where it stands."""
    at, line = row.at, row.at.link.line
    place = f"{at.file}:{line}:{at.column}" if at.column else f"{at.file}:{line}" if line else at.file
    return clean(f"{at.url} ({place})" if place else at.url)


def _junit(rows: Sequence[Row]) -> str:
    broken = sum(row.check.standing is Standing.BROKEN for row in rows)
    lines = [f'<testsuite name="afresh check" tests="{len(rows)}" failures="{broken}">']
    for row in rows:
        check, name = row.check, quoteattr(_where(row))
        if check.standing is Standing.BROKEN:
            message = quoteattr(what(check, http=check.http) or str(check.status))
            lines.append(
                f"  <testcase name={name}><failure message={message}>{escape(str(check.status))}</failure></testcase>"
            )
        else:
            lines.append(f"  <testcase name={name}/>")
    return "\n".join([*lines, "</testsuite>"])
