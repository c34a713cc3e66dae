"""Version histories of real pages, from a folder with ``index.csv`` and the files it names."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh.lab.traces.errors import TraceError
from afresh.links.measures.profile import Profile
from afresh.parse.page import parse_page

_NEEDED = ("page_id", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a page as it was stored."""

    page: str
    site: str
    group: str  # unit of a split: nothing of it is on both sides
    url: str
    time: float
    path: Path

    def body(self) -> bytes:
        return self.path.read_bytes()


def read_versions(folder: Path) -> tuple[Version, ...]:
    """All versions that are not marked as suspect, by page and time; TraceError names what is wrong and where."""
    index = folder / "index.csv"
    try:
        with index.open(encoding="utf-8", newline="") as file:
            rows = list(_rows(csv.DictReader(file), index, folder))
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror}", path=str(index)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise TraceError(f"is not a CSV file in UTF-8: {error}", path=str(index)) from error
    if not rows:
        raise TraceError("has no usable rows", path=str(index))
    return tuple(sorted(rows, key=lambda version: (version.page, version.time)))


def profiles(versions: Sequence[Version]) -> list[Profile]:
    """The pages read and ready to be compared."""
    return [Profile(parse_page(version.body(), url=version.url)) for version in versions]


def _rows(reader: "csv.DictReader[str]", index: Path, folder: Path) -> Iterator[Version]:
    missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
    if missing:
        raise TraceError(f"lacks the columns {', '.join(missing)}", path=str(index), line=1)
    for line, row in enumerate(reader, start=2):
        if row.get("suspect"):
            continue
        path = folder / (row["file"] or "")
        if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            raise TraceError(f"names a file that is not below the folder: {row['file']!r}", path=str(index), line=line)
        try:
            time = float(row.get("timestamp") or row.get("version") or line)
        except ValueError as error:
            raise TraceError(
                f"timestamp is not a number: {row.get('timestamp')!r}", path=str(index), line=line
            ) from error
        site = row.get("site") or row["page_id"]
        group, url = row.get("group") or site, row.get("url") or ""
        yield Version(page=row["page_id"], site=site, group=group, url=_address(url, site), time=time, path=path)


def _address(url: str, site: str) -> str:
    """Where only a path is known, the site makes it an address, so that links can be resolved."""
    return url if "://" in url else f"http://{site}/{url.lstrip('/')}"
