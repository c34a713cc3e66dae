"""Links as a table to take away: CSV, or one page of HTML that needs nothing else. Of a check, and of kept links."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from html import escape

from afresh.base.plain_numbers import counted
from afresh.base.records.links import KeptLink, Standing
from afresh.doors.presenting.links import archived_copy
from afresh.doors.presenting.times import iso
from afresh.links.reasons import in_a_word, in_brief

Cells = Sequence[object]
#: what is told of a kept link
COLUMNS = ("standing", "status", "url", "title", "folder", "tags", "new_url", "archive", "checked", "detail")
_ADDRESSES = ("url", "new_url")
_IN_PARTS = (*_ADDRESSES, "folder", "where")
_HEADINGS = {"url": "link", "new_url": "now at", "detail": "what"}
#: columns of the page in the order in which a person looks at them, and how much of its width each takes
_WEIGHTS = {
    "standing": 11, "status": 13, "url": 26, "title": 18, "text": 18, "folder": 12, "tags": 9, "detail": 30, "what": 30,
    "new_url": 18, "archive": 8, "checked": 12, "where": 13,
}  # fmt: skip
_BREAKS = re.compile(r"(?<=[/?&=_.-])(?=\w)")  # where an address may go on in the next line


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
        "; ".join(filter(None, (in_a_word(state.turned), in_brief(state.turned, state.detail)))),
    )


def summary_of(links: Iterable[KeptLink]) -> str:
    """How many stand how, in words."""
    counts = dict.fromkeys(Standing, 0)
    for link in links:
        counts[link.state.standing] += 1
    total = sum(counts.values())
    told = ", ".join(f"{count} {standing}" for standing, count in counts.items() if count)
    return f"{told} of {counted(total, 'link')}" if total else "no links"


def table_as_csv(columns: Sequence[str], rows: Iterable[Cells]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(_harmless(str(cell)) for cell in row)
    return target.getvalue().rstrip("\n")


def table_as_html(columns: Sequence[str], rows: Sequence[Cells], summary: str, *, checked: float | None = None) -> str:
    """The worst first, then in their order; sorted by a click on a column, filtered by words and standing.

    The first cell of a row is its standing. ``checked``: when all of them were, if that was at one time.
    Columns that are empty in all rows are left out; times are shown in the reader's zone. It is as wide as the window,
    and a card a row where that is narrow.
    """
    rows = sorted(rows, key=lambda row: Standing(str(row[0])).urgency)
    used = [place for place in range(len(columns)) if not rows or any(str(row[place]) for row in rows)]
    used.sort(key=lambda place: list(_WEIGHTS).index(columns[place]))
    names = [columns[place] for place in used]
    total = sum(_WEIGHTS[name] for name in names)
    widths = "".join(f'<col style="width: {100 * _WEIGHTS[name] / total:.1f}%">' for name in names)
    head = "".join(f"<th>{escape(_heading(name))}</th>" for name in names)
    body = "\n".join(
        f"<tr data-standing={row[0]}>"
        + "".join(_cell(name, str(row[place])) for name, place in zip(names, used, strict=True))
        + "</tr>"
        for row in rows
    )
    choices = "".join(
        f"<label><input type=checkbox value={name}{'' if name == Standing.OK else ' checked'}> {name}</label> "
        for name in dict.fromkeys(str(row[0]) for row in rows)
    )
    told = escape(summary) if checked is None else f"{escape(summary)}; checked {_time(iso(checked) or '')}"
    return _PAGE.format(summary=told, choices=choices, widths=widths, head=head, body=body)


def _heading(name: str) -> str:
    return _HEADINGS.get(name, name.replace("_", " "))


def _cell(name: str, text: str) -> str:
    shown = "<wbr>".join(map(escape, _BREAKS.split(text))) if name in _IN_PARTS else escape(text)
    if name == "archive" and text:
        shown = f'<a rel="noreferrer" href="{shown}">archived copy</a>'
    elif name in _ADDRESSES and text.startswith(("http://", "https://")):
        shown = f'<a rel="noreferrer" href="{escape(text)}">{shown.partition("//")[2].removeprefix("<wbr>")}</a>'
    elif name == "checked" and text:
        shown = _time(shown)
    elif name == "status":
        shown = shown.replace("_", " ")
    return f'<td data-label="{escape(_heading(name))}">{shown}</td>'


def _time(text: str) -> str:
    return f'<time datetime="{text}">{text[:16].replace("T", " ")} UTC</time>'


def _harmless(cell: str) -> str:
    """A table program takes some first signs for the beginning of a formula."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Links</title>
<style>
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 1.5rem }} label {{ margin-right: .75rem; white-space: nowrap }}
table {{ border-collapse: collapse; width: 100%; table-layout: fixed }}
th {{ text-align: left; cursor: pointer }} th:hover {{ text-decoration: underline }}
td, th {{ padding: .3rem .4rem; border-bottom: 1px solid #8884; vertical-align: top; overflow-wrap: break-word }}
tr[data-standing=broken] td:first-child {{ color: #c22 }}
input[type=search] {{ width: 20rem; max-width: 100%; font: inherit }} :root {{ color-scheme: light dark }}
@media (max-width: 72rem) {{
  body {{ margin: 1rem }} table, tbody, tr, td {{ display: block }} thead, td:empty, [hidden] {{ display: none }}
  tr {{ padding: .6rem 0; border-bottom: 1px solid #8884 }}
  td {{ position: relative; border: 0; padding: .1rem 0 .1rem 5rem; min-height: 1.4em }}
  td::before {{ content: attr(data-label); position: absolute; left: 0; opacity: .7 }}
}}
</style></head><body>
<h1>Links</h1><p>{summary}</p>
<p><input type="search" placeholder="words" aria-label="words to look for"> {choices}</p>
<table><colgroup>{widths}</colgroup><thead><tr>{head}</tr></thead><tbody>
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
for (const time of document.querySelectorAll("time")) {{
  time.title = new Date(time.dateTime).toLocaleString();
  time.textContent = new Date(time.dateTime).toLocaleDateString();
}}
filter();
</script></body></html>"""
