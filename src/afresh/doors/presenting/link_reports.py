"""Links as a table to take away: CSV, or one page of HTML that needs nothing else. Of a check, and of kept links."""

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape

from afresh.base.records.links import KeptLink, Standing
from afresh.doors.presenting.links import archived_copy
from afresh.doors.presenting.times import iso

Cells = Sequence[object]
#: what is told of a kept link
COLUMNS = ("standing", "status", "url", "title", "folder", "tags", "new_url", "archive", "checked", "detail")
_ADDRESSES = ("url", "new_url", "archive")


def cells_of_link(link: KeptLink) -> tuple[object, ...]:
    """One row of the table of kept links."""
    state = link.state
    return (
        state.standing,
        state.status or "",
        link.url,
        link.title,
        link.folder,
        ", ".join(link.tags),
        state.new_url,
        archived_copy(link) or "",
        iso(state.checked) or "",
        state.detail,
    )


def summary_of(links: Iterable[KeptLink]) -> str:
    """How many stand how, in words."""
    counts = dict.fromkeys(Standing, 0)
    for link in links:
        counts[link.state.standing] += 1
    total = sum(counts.values())
    told = ", ".join(f"{count} {standing}" for standing, count in counts.items() if count)
    return f"{told} of {total} link{'s' if total != 1 else ''}" if total else "no links"


def table_as_csv(columns: Sequence[str], rows: Iterable[Cells]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(_harmless(str(cell)) for cell in row)
    return target.getvalue().rstrip("\n")


def table_as_html(columns: Sequence[str], rows: Sequence[Cells], summary: str) -> str:
    """Sorted by a click on a column, filtered by words and standing; the first cell of a row is its standing."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "\n".join(
        f"<tr data-standing={row[0]}>"
        + "".join(f"<td>{_cell(name, str(cell))}</td>" for name, cell in zip(columns, row, strict=True))
        + "</tr>"
        for row in rows
    )
    choices = "".join(
        f"<label><input type=checkbox value={name}{'' if name == Standing.OK else ' checked'}> {name}</label> "
        for name in dict.fromkeys(str(row[0]) for row in rows)
    )
    return _PAGE.format(summary=escape(summary), choices=choices, head=head, body=body)


def _cell(name: str, text: str) -> str:
    shown = escape(text)
    if name in _ADDRESSES and text.startswith(("http://", "https://")):
        return f'<a rel="noreferrer" href="{shown}">{shown}</a>'
    return shown


def _harmless(cell: str) -> str:
    """A table program takes some first signs for the beginning of a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell


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
