"""Query feeds over query feeds must not form a circle: the subscription graph is acyclic.  [H12] Def. 1.6.1."""

from collections.abc import Collection, Mapping


def find_cycle(name: str, sources: Collection[str], known: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The circle that a query of this name over these query feeds would close, first name repeated; empty: none.

    >>> find_cycle("a", ["c"], {"b": ["a"], "c": ["b"]})
    ('a', 'c', 'b', 'a')
    """
    came_from: dict[str, str] = {}
    pending = list(sources)
    for source in sources:
        came_from.setdefault(source, name)
    while pending:
        current = pending.pop()
        if current == name:
            return _path(name, came_from)
        for following in known.get(current, ()):
            if following not in came_from:
                came_from[following] = current
                pending.append(following)
    return ()


def _path(name: str, came_from: Mapping[str, str]) -> tuple[str, ...]:
    path = [name]
    current = came_from[name]
    while current != name:
        path.append(current)
        current = came_from[current]
    return (name, *reversed(path[1:]), name)
