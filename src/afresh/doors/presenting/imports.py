"""What an import of a file came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.doors.presenting.fields import About
from afresh.doors.presenting.resources import Added, AddedView, view_added
from afresh.doors.presenting.showing import shown
from afresh.engine.importing import Import, in_words

_ERRORS = 5  # that are told in words


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportView:
    """What an import came to."""

    added: int
    known: Annotated[int, About("Watched before.")]
    completed: Annotated[int, About("Of these, those that got a title, folder, tags or note that they had not.")]
    repeated: Annotated[int, About("Links with the address of another one of the file; a #part makes it another link.")]
    refused: int
    errors: Annotated[tuple[str, ...], About("The first few, in words.")]
    left_out: Annotated[
        Mapping[str, int], About("Links that no server answers, by kind.", {"javascript:": 3, "mailto:": 1})
    ]
    format: Annotated[str, About("What the file is.", "OPML")]
    repaired: Annotated[int, About("Places of the file that had to be repaired.")]
    lost: Annotated[tuple[str, ...], About("What it says that has no equal here, in words.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedView(ImportView):
    """The same, with what became of each link."""

    items: tuple[AddedView, ...]


def view_import(found: Import, results: Sequence[Added], *, completed: int = 0) -> ImportView:
    return shown(ImportView, found, completed=completed, **_counts(found, results))


def view_imported(found: Import, results: Sequence[Added], *, completed: int = 0) -> ImportedView:
    return shown(ImportedView, found, items=view_added(results), completed=completed, **_counts(found, results))


def import_lines(view: ImportView) -> list[str]:
    """The same for people."""
    lines = [f"{view.added} added, {view.known} already known, {view.refused} refused"]
    if view.completed:
        lines.append(f"of those already known {view.completed:,} got title, folder, tags or note that they had not")
    if view.repeated:
        lines.append(f"same address as another: {view.repeated:,}")
    if view.left_out:
        lines.append(f"left out: {in_words(view.left_out)}")
    return lines


def _counts(found: Import, results: Sequence[Added]) -> dict[str, object]:
    """Addresses that are the same as soon as they are in their canonical form count as repeated, too."""
    errors = tuple(f"{result.shown[:200]}: {result.error}" for result in results if result.error)
    added = sum(result.is_new for result in results)
    different = len({result.id for result in results if result.id is not None})
    return {
        "added": added,
        "known": different - added,
        "repeated": found.repeated + len(results) - len(errors) - different,
        "refused": len(errors),
        "errors": errors[:_ERRORS],
    }
