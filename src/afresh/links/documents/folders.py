"""The documents below a folder, without what its ``.gitignore`` files name."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pathspec

from afresh.parse.document_links import format_of

#: folders that hold other people's documents, or nobody's
_FOREIGN = frozenset(("node_modules", "__pycache__", "site-packages", "vendor"))


def documents_below(
    folder: Path, *, keep_ignored: bool = False, hidden: bool = False, excluded: Callable[[str], bool]
) -> Iterator[str]:
    """Names of the documents in a folder and those within it, sorted; ``excluded`` is asked about each path."""
    rules = [] if keep_ignored else _rules_above(folder)
    yield from _below(folder, rules, keep_ignored=keep_ignored, hidden=hidden, excluded=excluded)


_Rules = list[tuple[Path, pathspec.GitIgnoreSpec]]


def _below(
    folder: Path, rules: _Rules, *, keep_ignored: bool, hidden: bool, excluded: Callable[[str], bool]
) -> Iterator[str]:
    if not keep_ignored and (spec := _read(folder)) is not None:
        rules = [*rules, (folder.absolute(), spec)]
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        path = folder / entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if (entry.name.startswith(".") and not hidden) or excluded(path.as_posix()) or entry.name == ".git":
            continue
        if _is_ignored(path, is_folder, rules):
            continue
        if is_folder:
            if keep_ignored or entry.name not in _FOREIGN:
                yield from _below(path, rules, keep_ignored=keep_ignored, hidden=hidden, excluded=excluded)
        elif format_of(entry.name) and entry.is_file():
            yield path.as_posix()


def _is_ignored(path: Path, is_folder: bool, rules: _Rules) -> bool:
    """Whether git would not see it; the rules nearest to it have the last word."""
    for folder, spec in reversed(rules):
        name = path.absolute().relative_to(folder).as_posix() + ("/" if is_folder else "")
        if (said := spec.check_file(name).include) is not None:
            return said
    return False


def _rules_above(folder: Path) -> _Rules:
    """Those of the repository that the folder is in."""
    above = [*reversed(folder.absolute().parents)]
    roots = [number for number, parent in enumerate(above) if (parent / ".git").exists()]
    if not roots or (folder / ".git").exists():
        return []
    return [(parent, spec) for parent in above[roots[-1] :] if (spec := _read(parent)) is not None]


def _read(folder: Path) -> pathspec.GitIgnoreSpec | None:
    try:
        lines = (folder / ".gitignore").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    return pathspec.GitIgnoreSpec.from_lines(lines)
