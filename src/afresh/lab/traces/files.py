"""Files of a trace as bytes and text: plain or gzip, with errors that name the file."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from afresh.lab.traces.errors import TraceError

# A trace may come from a stranger; a gzip file of a few MB must not fill the memory.
MOST_BYTES = 1 << 32


def find(folder: Path, *names: str) -> Path | None:
    """The first of these files that exists."""
    return next((folder / name for name in names if (folder / name).is_file()), None)


def need(folder: Path, *names: str) -> Path:
    """Like ``find``, but its absence is an error."""
    if not folder.is_dir():
        raise TraceError("no such folder; a trace is a folder with feeds.csv and entries.csv.gz", path=str(folder))
    path = find(folder, *names)
    if path is None and names[0] == "feeds.csv" and find(folder, "pages.csv") is not None:
        raise TraceError("a history of pages, not of feeds: use `afresh lab revisit`", path=str(folder))
    if path is None:
        raise TraceError(f"missing file: {' or '.join(names)}", path=str(folder))
    return path


def read_bytes(path: Path, *, limit: int = MOST_BYTES) -> bytes:
    """The whole content, decompressed if the name ends in .gz."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(limit + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TraceError(f"broken gzip: {error}", path=str(path)) from error
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
    if len(content) > limit:
        raise TraceError(f"larger than {limit:,} bytes unpacked", path=str(path))
    return bytes(content)


def as_text(content: bytes, path: Path) -> str:
    """UTF-8, with or without byte order mark."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TraceError("not UTF-8", path=str(path), line=line) from error


@contextmanager
def gzip_writer(path: Path) -> Iterator[gzip.GzipFile]:
    """A gzip file whose bytes depend on its content alone: no name, no time inside."""
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as file:
        yield file
