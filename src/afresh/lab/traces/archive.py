"""One feed's recording for a person or another program: its stream as CSV, its raw documents as gzip files."""

import csv
from pathlib import Path
from typing import TextIO

from afresh.base.protocols import Store
from afresh.base.records.history import Document
from afresh.lab.traces.files import gzip_writer
from afresh.lab.traces.record import all_entries, all_visits

#: Columns of a stream, in the published order.  [R12] §3.5.7.
STREAM = ("published", "polled", "id", "title", "link", "window")
MISS = "MISS"
DELIMITER = ";"


def write_stream(store: Store, resource: int, file: TextIO) -> int:
    """Writes a feed's stream in order of publication; returns the number of entries.

    One line an entry with the window size of the poll that found it. A line ``MISS;<poll time>;;;;`` stands where two
    consecutive windows did not overlap: zero or more entries are lost there.
    """
    windows = {visit.started: visit.window_size for visit in all_visits(store, resource)}
    windows |= {visit.finished: visit.window_size for visit in all_visits(store, resource)}
    entries = [stored.entry for stored in all_entries(store, resource)]
    writer = csv.writer(file, delimiter=DELIMITER, lineterminator="\n")
    writer.writerow(STREAM)
    # The poll comes first: a miss lies between two polls, however the times of their entries overlap.
    gaps = {entry.found for entry in entries if entry.after_gap}
    for entry in sorted(entries, key=lambda e: (e.found, e.published)):
        if entry.found in gaps:
            gaps.remove(entry.found)
            writer.writerow((MISS, _seconds(entry.found), "", "", "", ""))
        window = windows.get(entry.found)
        parsed = entry.parsed
        row = (
            _seconds(entry.published),
            _seconds(entry.found),
            entry.uid.hex(),
            _line(parsed.title),
            _line(parsed.link),
        )
        writer.writerow((*row, "" if window is None else window))
    return len(entries)


def _seconds(time: float) -> str:
    return f"{time:.3f}".rstrip("0").rstrip(".")


def _line(text: str) -> str:
    """Text of a feed on one line: what the web sends may break a naive reader."""
    return " ".join(text.split())


def write_documents(store: Store, folder: str | Path, *, resource: int | None = None, limit: int = 1_000_000) -> int:
    """Writes each kept document that brought news as ``<resource>-<time>.gz``; returns how many.

    Inside: the response header, an empty line, the document in the encoding it came in.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    documents = [d for d in store.documents(resource=resource, limit=limit) if d.why == "news"]
    for document in documents:
        _write_document(document, folder)
    return len(documents)


def _write_document(document: Document, folder: Path) -> None:
    with gzip_writer(folder / f"{document.resource}-{_seconds(document.at)}.gz") as file:
        file.write(document.headers.rstrip("\r\n").encode("utf-8", "replace") + b"\r\n\r\n" + document.body)
