"""The report of ``afresh check`` for programs, and as one page: JSON, JUnit, Markdown, CSV, HTML, GitHub's notes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import orjson

from afresh.base.records.link_status import Standing
from afresh.doors.cli.check_report import cells_of, shown_url, what_of
from afresh.doors.cli.output import clean
from afresh.doors.presenting.checks import check_fields

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row

_ADDRESSES = ("url", "final_url", "new_url", "detail", "message")
_COLUMNS = ("standing", "status", "http", "url", "file", "line", "column", "text", "new_url", "what")
_NOTES = {Standing.BROKEN: "error", Standing.MOVED: "warning", Standing.SUSPECT: "warning"}


def as_json(rows: Sequence[Row]) -> str:
    """Checks as every door shows them, and where each link stands in its file."""
    told: list[dict[str, object]] = []
    for row in rows:
        at, link = row.at, row.at.link
        shown = check_fields(row.check)
        for name in _ADDRESSES:
            if (text := shown[name]) and "@" in text:
                shown[name] = shown_url(text)
        shown |= {"file": at.file or None, "line": link.line or None, "column": at.column or None, "text": link.title}
        shown["archived"] = row.archived or None
        if (why := row.why) is not None:
            shown |= {"measures": why.influences, "difference": why.difference, "candidates": why.candidates}
        told.append(shown)
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()


def as_junit(rows: Sequence[Row]) -> str:
    broken = sum(row.check.standing is Standing.BROKEN for row in rows)
    lines = [f'<testsuite name="afresh check" tests="{len(rows)}" failures="{broken}">']
    for row in rows:
        _, status, where, found = cells_of(row)
        name = f"name={_quoted(where)} classname={_quoted(row.at.file or 'links')}"
        if row.check.standing is Standing.BROKEN:
            failure = f"<failure message={_quoted(found or status)}>{escape(status)}</failure>"
            lines.append(f"  <testcase {name}>{failure}</testcase>")
        else:
            lines.append(f"  <testcase {name}/>")
    return "\n".join([*lines, "</testsuite>"])


def as_markdown(rows: Sequence[Row]) -> str:
    lines = ["| standing | status | link | what |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells_of(row)) + " |" for row in rows]
    return "\n".join(lines)


def as_csv(rows: Sequence[Row]) -> str:
    import csv  # noqa: PLC0415 (as few as the other forms)

    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        writer.writerow(_harmless(str(cell)) for cell in _cells(row))
    return target.getvalue().rstrip("\n")


def as_github(rows: Sequence[Row]) -> str:
    """Notes beside the lines of a pull request, as GitHub's runners read them."""
    lines = []
    for row in rows:
        if (level := _NOTES.get(row.check.standing)) is None:
            continue
        at = row.at
        place = {"file": at.file, "line": at.link.line, "col": at.column, "title": f"link {row.check.standing}"}
        properties = ",".join(f"{name}={_property(str(value))}" for name, value in place.items() if value)
        message = f"{shown_url(at.url)}: {what_of(row) or row.check.status}"
        lines.append(f"::{level} {properties}::{_message(clean(message))}")
    return "\n".join(lines)


def as_html(rows: Sequence[Row], summary: str) -> str:
    """One page that needs nothing else: sorted by a click on a column, filtered by words and standing."""
    head = "".join(f"<th>{escape(name)}</th>" for name in _COLUMNS)
    body = "\n".join(
        f"<tr data-standing={row.check.standing}>"
        + "".join(f"<td>{_cell(name, str(cell))}</td>" for name, cell in zip(_COLUMNS, _cells(row), strict=True))
        + "</tr>"
        for row in rows
    )
    choices = "".join(
        f"<label><input type=checkbox value={name}{'' if name is Standing.OK else ' checked'}> {name}</label> "
        for name in dict.fromkeys(row.check.standing for row in rows)
    )
    return _PAGE.format(summary=escape(summary), choices=choices, head=head, body=body)


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
        clean(shown_url(check.new_url)),
        what_of(row),
    )


def _cell(name: str, text: str) -> str:
    shown = escape(text)
    if name in ("url", "new_url") and text.startswith(("http://", "https://")):
        return f'<a rel="noreferrer" href="{escape(text)}">{shown}</a>'
    return shown


def _quoted(text: str) -> str:
    """As an attribute of XML, which has no control characters."""
    return f'"{escape(clean(text))}"'


def _harmless(cell: str) -> str:
    """A table program takes some first signs for the beginning of a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Links</title>
<style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 2rem }} table {{ border-collapse: collapse; width: 100% }}
th {{ text-align: left; cursor: pointer; position: sticky; top: 0; background: Canvas }}
td, th {{ padding: .25rem .5rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }}
tr[data-standing=broken] td:first-child {{ color: #c22 }}
input[type=search] {{ width: 20rem; font: inherit }} :root {{ color-scheme: light dark }}
</style></head><body>
<h1>Links</h1><p>{summary}</p>
<p><input type="search" placeholder="words" aria-label="words to look for"> {choices}</p>
<table><thead><tr>{head}</tr></thead><tbody>
{body}
</tbody></table>
<script>
const body = document.querySelector("tbody"), rows = [...body.rows], words = document.querySelector("[type=search]");
const boxes = [...document.querySelectorAll("[type=checkbox]")];
function filter() {{
  const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value)), text = words.value.toLowerCase();
  for (const row of rows)
    row.hidden = !wanted.has(row.dataset.standing) || !row.textContent.toLowerCase().includes(text);
}}
document.querySelectorAll("th").forEach((cell, at) => {{
  let order = 1;
  cell.addEventListener("click", () => {{
    const key = row => row.cells[at].textContent;
    rows.sort((a, b) => order * key(a).localeCompare(key(b), undefined, {{ numeric: true }}));
    order = -order;
    body.append(...rows);
  }});
}});
words.addEventListener("input", filter);
boxes.forEach(box => box.addEventListener("change", filter));
filter();
</script></body></html>"""
