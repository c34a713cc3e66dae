"""What ``afresh check`` prints: JSON, JUnit, Markdown, or a table with the reasons for a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import click
import orjson

from afresh.base.records.link_status import Standing
from afresh.doors.cli.output import clean, print_table

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


def as_rows(pairs: Sequence[tuple[LinkRef, Check]], reasons: Reasons) -> list[dict[str, object]]:
    """Checks for programs, as every door shows them, and where each link stands in its file."""
    from afresh.doors.presenting.links import CheckView, view_check  # noqa: PLC0415 (people need no form of programs)

    names = [field.name for field in fields(CheckView)]
    rows: list[dict[str, object]] = []
    for link, check in pairs:
        view = view_check(check)
        row = {**{name: getattr(view, name) for name in names}, "line": link.line or None}
        if (why := reasons.get(link.url)) is not None:
            row |= {"measures": why.influences, "difference": why.difference, "candidates": why.candidates}
        rows.append(row)
    return rows


def print_checks(
    form: str | None, links: Sequence[LinkRef], checks: Sequence[Check], *, everything: bool, reasons: Reasons
) -> None:
    pairs = list(zip(links, checks, strict=True))
    if form == "json":
        click.echo(orjson.dumps(as_rows(pairs, reasons), option=orjson.OPT_INDENT_2))
        return
    if form == "junit":
        click.echo(_junit(pairs))
        return
    shown = [(link, check) for link, check in pairs if everything or check.standing is not Standing.OK]
    rows_shown = [_row(link, check) for link, check in shown]
    if form == "markdown":
        click.echo("| standing | status | link | what |\n|---|---|---|---|")
        for row in rows_shown:
            click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        return
    if rows_shown:
        print_table(["standing", "status", "link", "what"], rows_shown)
    for link, _ in shown:
        if link.url in reasons:
            print_reasons(link.url, reasons[link.url])
    counts = {standing: sum(check.standing is standing for check in checks) for standing in Standing}
    click.echo(
        ", ".join(f"{count} {standing}" for standing, count in counts.items() if count)
        + f" of {len(checks)} link{'s' if len(checks) != 1 else ''}"
    )


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


def _row(link: LinkRef, check: Check) -> tuple[str, str, str, str]:
    where = f"{link.url} (line {link.line})" if link.line else link.url
    return str(check.standing), str(check.status), clean(where), what(check, http=check.http)


def _junit(pairs: Sequence[tuple[LinkRef, Check]]) -> str:
    broken = sum(check.standing is Standing.BROKEN for _, check in pairs)
    lines = [f'<testsuite name="afresh check" tests="{len(pairs)}" failures="{broken}">']
    for link, check in pairs:
        name = quoteattr(clean(link.url))
        if check.standing is Standing.BROKEN:
            message = quoteattr(what(check, http=check.http) or str(check.status))
            lines.append(
                f"  <testcase name={name}><failure message={message}>{escape(str(check.status))}</failure></testcase>"
            )
        else:
            lines.append(f"  <testcase name={name}/>")
    return "\n".join([*lines, "</testsuite>"])
