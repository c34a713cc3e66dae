"""Folders as paths: ``a/b`` is b within a. A slash that belongs to a name is kept as one that looks like it."""

#: Stands for the slash of a name, so that whoever takes a path apart finds the folders that there are.
SLASH = "\u2215"


def in_path(name: str) -> str:
    """The name of one folder as a path has it.

    >>> in_path("TCP/IP").split("/"), named(in_path("TCP/IP"))
    (['TCP∕IP'], 'TCP/IP')
    """
    return name.replace("/", SLASH)


def named(part: str) -> str:
    """A folder of a path, as people call it; of a path: as somebody types it."""
    return part.replace(SLASH, "/")


def names_of(path: str) -> list[str]:
    """The folders of a path, the outermost first, as people call them.

    >>> names_of("Net/TCP∕IP/")
    ['Net', 'TCP/IP']
    """
    return [named(part) for part in path.split("/") if part]


def is_within(folder: str, outer: str) -> bool:
    """Whether a folder is another one, or lies below it; of slashes in names as of others.

    >>> is_within("news/local", "news"), is_within("newsletters", "news"), is_within("news", "news/")
    (True, False, True)
    >>> is_within("Net/TCP∕IP/v6", "Net/TCP/IP"), is_within("TCP∕IP", "TCP")
    (True, False)
    """
    folder, outer = folder.strip("/"), named(outer.strip("/"))
    return named(folder[: len(outer)]) == outer and folder[len(outer) : len(outer) + 1] in ("", "/")
