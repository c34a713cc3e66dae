"""The report of ``afresh check`` for programs, and as one page: JUnit, Markdown, CSV, HTML, GitHub's notes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from typing import TYPE_CHECKING

from afresh.base.records.links import Standing
from afresh.doors.cli.check_report import FAILING, cells_of, place_of, shown_url, table_of, what_of
from afresh.doors.cli.output import clean
from afresh.doors.presenting.link_reports import table_as_csv, table_as_html

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row

_COLUMNS = (
    "standing", "status", "http", "url", "file", "line", "column", "text", "folder", "tags", "new_url", "what"
)  # fmt: skip
_PAGE = ("standing", "status", "url", "text", "folder", "tags", "what", "new_url", "where")
_NOTES = dict.fromkeys((Standing.BROKEN, Standing.MOVED, Standing.SUSPECT), "warning")  # of what does not fail


def as_junit(rows: Sequence[Row], failing: Collection[Standing] = FAILING) -> str:
    failures = sum(row.check.standing in failing for row in rows)
    unknown = sum(row.check.standing is Standing.UNKNOWN and row.check.standing not in failing for row in rows)
    lines = [f'<testsuite name="afresh check" tests="{len(rows)}" failures="{failures}" skipped="{unknown}">']
    for row in rows:
        _, status, where, found = cells_of(row)
        name = f"name={_quoted(where)} classname={_quoted(row.at.file or 'links')}"
        if row.check.standing in failing:
            failure = f"<failure message={_quoted(found or status)}>{escape(status)}</failure>"
            lines.append(f"  <testcase {name}>{failure}</testcase>")
        elif row.check.standing is Standing.UNKNOWN:
            lines.append(f"  <testcase {name}><skipped message={_quoted(found or status)}/></testcase>")
        else:
            lines.append(f"  <testcase {name}/>")
    return "\n".join([*lines, "</testsuite>"])


def as_markdown(rows: Sequence[Row]) -> str:
    """A table."""
    table = table_of(rows)
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in table]
    return "\n".join([lines[0], "|---" * len(table[0]) + "|", *lines[1:]])


def as_csv(rows: Sequence[Row]) -> str:
    return table_as_csv(_COLUMNS, [_cells(row) for row in rows])


def as_github(rows: Sequence[Row], failing: Collection[Standing] = FAILING) -> str:
    """Notes beside the lines of a pull request, as GitHub's runners read them."""
    lines = []
    for row in rows:
        level = "error" if row.check.standing in failing else _NOTES.get(row.check.standing)
        if level is None:
            continue
        at = row.at
        place = {"file": at.file, "line": at.link.line, "col": at.column, "title": f"link {row.check.standing}"}
        properties = ",".join(f"{name}={_property(str(value))}" for name, value in place.items() if value)
        message = f"{shown_url(at.url)}: {what_of(row) or row.check.status}"
        lines.append(f"::{level} {properties}::{_message(clean(message))}")
    return "\n".join(lines)


def as_html(rows: Sequence[Row], summary: str) -> str:
    ended = max((row.check.at for row in rows), default=None)
    return table_as_html(_PAGE, [_shown(row) for row in rows], summary, checked=ended)


def _cells(row: Row) -> tuple[object, ...]:
    check, at = row.check, row.at
    return (
        check.standing,
        check.status,
        check.http or "",
        clean(shown_url(at.url)),
        at.file,
        at.link.line or "",
        at.column or "",
        clean(at.link.title),
        clean(at.link.folder),
        clean(", ".join(at.link.tags)),
        clean(shown_url(check.new_url)),
        what_of(row),
    )


def _shown(row: Row) -> tuple[object, ...]:
    """The same for people: the place in one piece, and nothing twice."""
    check, link = row.check, row.at.link
    return (
        check.standing,
        check.status,
        clean(shown_url(row.at.url)),
        clean(link.title),
        clean(link.folder),
        clean(", ".join(link.tags)),
        what_of(row, with_address=False),
        clean(shown_url(check.new_url)),
        place_of(row.at),
    )


def _quoted(text: str) -> str:
    """As an attribute of XML, which has no control characters."""
    return f'"{escape(clean(text))}"'


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
