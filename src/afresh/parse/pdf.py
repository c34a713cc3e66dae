"""The text of a PDF, read in a process of its own with limits on time and memory: never fails, never hangs."""

import json
import subprocess
from typing import Any

from afresh.base.child_process import command_of
from afresh.base.page_text import PageText

MAX_BYTES = 16 * 2**20
_TIMEOUT = 10.0  # seconds; the process limits itself to fewer


def parse_pdf(body: bytes, *, url: str = "") -> PageText:
    """Title and text of a PDF; kind "binary" where nothing can be read (broken, hostile, or pictures only)."""
    if len(body) > MAX_BYTES:
        return PageText(url=url, kind="binary", truncated=True)
    told = _extract(body)
    pieces = tuple(
        piece for page in told.get("pages", ()) for line in str(page).splitlines() if (piece := " ".join(line.split()))
    )
    if not pieces:
        return PageText(url=url, kind="binary")
    text = " ".join(pieces).replace("\0", "")
    return PageText(
        url=url,
        kind="pdf",
        title=" ".join(str(told.get("title", "")).replace("\0", "").split())[:1_000],
        text=text,
        raw=text,
        pieces=pieces,
        main=text,
        truncated=bool(told.get("truncated")),
    )


def pdf_links(body: bytes) -> list[tuple[str, int]]:
    """Addresses of a PDF that can be clicked on, each with its page; none where nothing can be read."""
    if len(body) > MAX_BYTES:
        return []
    return [(str(target), int(page)) for target, page in _extract(body, "links").get("links", ())]


def _extract(body: bytes, *wanted: str) -> dict[str, Any]:
    try:
        done = subprocess.run(  # noqa: S603 (our own module; the document is data on its standard input)
            [*command_of("afresh.parse.pdf_child"), *wanted],
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a warning an object, of a file with millions of them
            timeout=_TIMEOUT,
            check=False,
        )
        told = json.loads(done.stdout) if done.returncode == 0 else {}
    except (subprocess.TimeoutExpired, OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
