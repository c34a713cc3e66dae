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
MAX_LINKS = 20_000
LINKS = "links"  # what is wanted, as its argument; without one: the text
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


def extract_links(body: bytes) -> dict[str, object]:
    """Addresses that can be clicked on, each with its page."""
    found: list[tuple[str, int]] = []
    for number, page in enumerate(PdfReader(io.BytesIO(body)).pages, start=1):
        for annotation in page.get("/Annots") or ():
            action = annotation.get_object().get("/A")
            target = None if action is None else action.get_object().get("/URI")
            if isinstance(target, str | bytes):
                text = target.decode("utf-8", "replace") if isinstance(target, bytes) else str(target)
                found.append((text[:MAX_CHARACTERS], number))
        if len(found) >= MAX_LINKS:
            break
    return {"links": found}


def main() -> None:
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 1))
    read = extract_links if sys.argv[1:] == [LINKS] else extract
    sys.stdout.write(json.dumps(read(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
