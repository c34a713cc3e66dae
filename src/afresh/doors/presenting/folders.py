"""Folders: how much is in each, as a tree."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

from afresh.doors.presenting.fields import About
from afresh.doors.presenting.lists import list_of

View = TypeVar("View", bound="FolderPlace")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderPlace:
    """The way to a folder."""

    path: Annotated[str, About("As it is asked for.", "news/local")]
    name: Annotated[str, About("The last part of the path.")]
    depth: Annotated[int, About("How many folders are above it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFolderView(FolderPlace):
    """A folder of resources, with the way to it."""

    resources: Annotated[int, About("In it and below it.")]


ResourceFolderList = list_of(
    ResourceFolderView, "ResourceFolderList", "The folders that resources are in, each before those below it."
)


def view_resource_folders(counts: Mapping[str, int]) -> tuple[ResourceFolderView, ...]:
    return view_tree(ResourceFolderView, counts, "resources")


def view_tree(view: Callable[..., View], counts: Mapping[str, int], total: str) -> tuple[View, ...]:
    """The folders in the order of ``tree_of``; ``total``: the field that says how much is in each."""
    return tuple(
        view(path="/".join(parts), name=parts[-1], depth=len(parts) - 1, **{total: count})
        for parts, count in tree_of(counts)
    )


def tree_of(counts: Mapping[str, int]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each folder with what is in it and below it, before those below it; one above others is there though it is empty.

    >>> list(tree_of({"": 3, "a/b": 2, "a": 1}))
    [(('a',), 3), (('a', 'b'), 2)]
    """
    sums: dict[tuple[str, ...], int] = {}
    for path, count in counts.items():
        parts = tuple(filter(None, path.split("/")))
        for depth in range(1, len(parts) + 1):
            sums[parts[:depth]] = sums.get(parts[:depth], 0) + count
    yield from sorted(sums.items())
