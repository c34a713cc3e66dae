"""What ``afresh check`` is to look at: files, folders, patterns of names, standard input, URLs."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from afresh.base.errors import ParseError, UsageError
from afresh.base.records.links import LinkRef
from afresh.base.value_class import dataclass
from afresh.doors.cli.files import read_file
from afresh.links.documents.occurrences import Occurrence, listed
from afresh.links.documents.targets import Place

if TYPE_CHECKING:
    from collections.abc import Callable

_ADVICE = "; a link must start with http:// or https://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """How files are found, and what their relative links mean."""

    base_url: str = ""
    root_dir: str | None = None  # None: the repository a file is in
    keep_ignored: bool = False  # also what .gitignore names
    hidden: bool = False
    excluded: Callable[[str], bool] | None = None  # paths that are left out of folders


@dataclass(slots=True)
class Inputs:
    """Links that were found, and what could not be read."""

    occurrences: list[Occurrence] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    files: int = 0


def collect(targets: Iterable[str], where: Where) -> Inputs:
    """The links of all targets. What cannot be read is told and does not keep the others from being checked."""
    found = Inputs()
    for target in targets:
        if _is_link(target):
            found.occurrences.append(listed(LinkRef(url=target)))
            continue
        try:
            for name in names_of(target, where):
                found.files += 1
                found.occurrences += _read(name, where)
        except UsageError as error:
            found.complaints.append(str(error))
    return found


def names_of(target: str, where: Where) -> Iterator[str]:
    """The files a target means: itself, those of a folder, or those that a pattern names."""
    path = Path(target)
    if target != "-" and path.is_dir():
        from afresh.links.documents.folders import documents_below  # noqa: PLC0415 (where a folder is given)

        yield from documents_below(
            path, keep_ignored=where.keep_ignored, hidden=where.hidden, excluded=where.excluded or (lambda _: False)
        )
    elif any(sign in target for sign in "*?[") and not path.exists():
        names = sorted(name for name in glob.iglob(target, recursive=True) if Path(name).is_file())  # noqa: PTH207
        if not names:
            raise UsageError(f"no file is called {target}")
        yield from names
    else:
        yield target


def _read(name: str, where: Where) -> list[Occurrence]:
    body = read_file(name, advice=_ADVICE)
    from afresh.links.documents.reading import is_page, occurrences_in, root_of  # noqa: PLC0415 (a URL is in no file)

    shown = "" if name == "-" else Path(name).as_posix()
    root = where.root_dir
    if root is None and not is_page(shown):  # "/" of a page is its site, which nobody named
        root = root_of(shown)
    try:
        return occurrences_in(body, Place(name=shown, root=root, base=where.base_url))
    except ParseError as error:
        raise UsageError(f"{name}: {error}") from error


def _is_link(target: str) -> bool:
    """Whether it is an address: of files only those that are there have a colon and two slashes in their name."""
    return target.startswith(("http://", "https://")) or ("://" in target and not Path(target).exists())
