"""What ``afresh check`` prints: JSON, JUnit, Markdown, or a table with the reasons for a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import click
import orjson

from afresh.base.records.link_status import Standing
from afresh.doors.cli.output import clean, print_table
from afresh.links.find_moved import Candidate
from afresh.links.judge import CheckResult
from afresh.links.verdicts import Change, Influence, Piece
from afresh.parse.links import LinkRef

_SIGNS = {Change.ADDED: "+", Change.REMOVED: "-", Change.KEPT: " "}
_SHOWN = 40  # pieces of a difference, for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Why a verdict: the measures that decided, what was removed and added, where the page may be now."""

    influences: tuple[Influence, ...] = ()
    difference: tuple[Piece, ...] = ()
    candidates: tuple[Candidate, ...] = ()


Reasons = Mapping[str, Explained]


def as_dict(link: LinkRef, result: CheckResult, reasons: Reasons | None = None) -> dict[str, object]:
    """A result for programs."""
    verdict = result.verdict
    row: dict[str, object] = {
        "url": link.url,
        "line": link.line or None,
        "title": link.title or result.title,
        "standing": result.standing,
        "status": result.status,
        "code": result.status.code,
        "http": result.http,
        "final_url": result.final_url or None,
        "new_url": result.new_url or None,
        "turned": result.turned,
        "probability": None if verdict is None else verdict.probability,
        "detail": result.detail,
    }
    if reasons is not None and (why := reasons.get(link.url)) is not None:
        row["measures"] = [
            {"measure": item.measure, "value": item.value, "influence": item.influence} for item in why.influences
        ]
        row["difference"] = [{"change": piece.change, "text": piece.text} for piece in why.difference]
        row["candidates"] = [
            {"url": item.url, "because": item.because, "probability": item.probability} for item in why.candidates
        ]
    return row


def print_results(
    form: str | None,
    links: Sequence[LinkRef],
    results: Sequence[CheckResult],
    *,
    everything: bool,
    reasons: Reasons | None = None,
) -> None:
    pairs = list(zip(links, results, strict=True))
    if form == "json":
        rows = [as_dict(link, result, reasons) for link, result in pairs]
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        return
    if form == "junit":
        click.echo(_junit(pairs))
        return
    shown = [(link, result) for link, result in pairs if everything or result.standing is not Standing.OK]
    rows_shown = [_row(link, result) for link, result in shown]
    if form == "markdown":
        click.echo("| standing | status | link | what |\n|---|---|---|---|")
        for row in rows_shown:
            click.echo("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        return
    if rows_shown:
        print_table(["standing", "status", "link", "what"], rows_shown)
    for link, _ in shown:
        if reasons is not None and link.url in reasons:
            print_reasons(link.url, reasons[link.url])
    counts = {standing: sum(result.standing is standing for result in results) for standing in Standing}
    click.echo(
        ", ".join(f"{count} {standing}" for standing, count in counts.items() if count)
        + f" of {len(results)} link{'s' if len(results) != 1 else ''}"
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


def _row(link: LinkRef, result: CheckResult) -> tuple[str, str, str, str]:
    parts = [
        str(result.turned or "").replace("_", " "),
        f"HTTP {result.http}" if result.http and result.http >= 300 else "",
        f"now at {result.new_url}" if result.new_url else "",
        result.detail,
    ]
    where = f"{link.url} (line {link.line})" if link.line else link.url
    return str(result.standing), str(result.status), clean(where), clean("; ".join(part for part in parts if part))


def _junit(pairs: Sequence[tuple[LinkRef, CheckResult]]) -> str:
    broken = sum(result.standing is Standing.BROKEN for _, result in pairs)
    lines = [f'<testsuite name="afresh check" tests="{len(pairs)}" failures="{broken}">']
    for link, result in pairs:
        name = quoteattr(clean(link.url))
        if result.standing is Standing.BROKEN:
            message = quoteattr(clean(_row(link, result)[3] or str(result.status)))
            lines.append(
                f"  <testcase name={name}><failure message={message}>{escape(str(result.status))}</failure></testcase>"
            )
        else:
            lines.append(f"  <testcase name={name}/>")
    return "\n".join([*lines, "</testsuite>"])
