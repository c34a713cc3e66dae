"""The process that reads one PDF: bytes on standard input, title and pages as JSON on standard output.

A reader of its own because a PDF may be made to hang or to fill the memory; here both end with this process.
"""

import io
import json
import sys

from pypdf import PdfReader

try:
    import resource
except ImportError:  # pragma: no cover (Windows has no such limits; the caller's timeout remains)
    resource = None  # type: ignore[assignment]

MAX_PAGES = 60
MAX_CHARACTERS = 400_000
_MEMORY = 512 * 2**20
_SECONDS = 8


def extract(body: bytes) -> dict[str, object]:
    """Title and text of the first pages."""
    reader = PdfReader(io.BytesIO(body))
    if reader.is_encrypted:
        reader.decrypt("")  # many are locked against printing only
    title = str((reader.metadata.title if reader.metadata else "") or "")
    pages: list[str] = []
    characters = 0
    for page in reader.pages:
        text = page.extract_text()
        pages.append(text[: MAX_CHARACTERS - characters])
        characters += len(text)
        if len(pages) >= MAX_PAGES or characters >= MAX_CHARACTERS:
            return {"title": title, "pages": pages, "truncated": True}
    return {"title": title, "pages": pages, "truncated": False}


def main() -> None:
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    sys.stdout.write(json.dumps(extract(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
