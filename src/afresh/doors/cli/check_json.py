"""The report of ``afresh check`` as JSON; apart from the other formats, for most who ask programmatically want this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson

from afresh.doors.cli.check_report import shown_url
from afresh.doors.presenting.checks import check_fields

if TYPE_CHECKING:
    from afresh.doors.cli.check_rows import Row

_ADDRESSES = ("url", "final_url", "new_url", "detail", "message")


def as_json(rows: Sequence[Row]) -> str:
    """Checks as every door shows them, and where each link stands in its file."""
    told: list[dict[str, object]] = []
    for row in rows:
        at, link = row.at, row.at.link
        shown = check_fields(row.check)
        for name in _ADDRESSES:
            if (text := shown[name]) and "@" in text:
                shown[name] = shown_url(text)
        shown["reasons"] = [shown_url(reason) for reason in shown["reasons"]]
        shown["file"], shown["line"] = at.file or None, link.line or None
        shown["column"], shown["text"], shown["archived"] = at.column or None, link.title, row.archived or None
        shown["folder"], shown["tags"] = link.folder, link.tags
        if (why := row.why) is not None:
            shown["seen"] = [shown_url(line) for line in why.seen]
            shown |= {"measures": why.influences, "difference": why.difference, "candidates": why.candidates}
        told.append(shown)
    return orjson.dumps(told, option=orjson.OPT_INDENT_2).decode()
