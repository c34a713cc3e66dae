"""Links of Jupyter notebooks: those of their Markdown cells."""

import json
from dataclasses import replace

from afresh.base.errors import ParseError
from afresh.parse.document_links.markdown import read_markdown
from afresh.parse.document_links.model import Document, Lines, WrittenLink

_MOST_LOST = 100  # links that are looked for in vain, each through the whole file


def read_notebook(text: str) -> Document:
    """The links of the cells, in order; lines are those of the file, which is JSON."""
    try:
        cells = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "markdown"]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ParseError(f"not readable as a notebook: {type(error).__name__}") from error
    lines = Lines(text)
    found: list[WrittenLink] = []
    anchors: set[str] = set()
    behind = lost = 0
    for source in sources:
        document = read_markdown(source)
        anchors |= document.anchors
        for link in document.links:
            written = json.dumps(link.target, ensure_ascii=False)[1:-1]
            at = text.find(written, behind) if lost < _MOST_LOST else -1
            lost += at < 0
            line, column = lines.place(at) if at >= 0 else (0, 0)
            behind = max(behind, at)
            found.append(replace(link, line=line, column=column, start=-1, end=-1))
    return Document(links=tuple(found), anchors=frozenset(anchors))
