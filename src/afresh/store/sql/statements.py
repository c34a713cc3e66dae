"""All named statements of the store, read once; a name is used once."""

from collections.abc import Mapping
from importlib.resources import files

from afresh.store.buckets import BUCKETS
from afresh.store.named_sql import Statement, as_set, load_named

__all__ = ["SQL", "as_set", "names"]

_PACKAGE = "afresh.store.sql"


def _load() -> Mapping[str, Statement]:
    found: dict[str, Statement] = {}
    for item in files(_PACKAGE).iterdir():
        if item.name.endswith(".sql"):
            found |= load_named(_PACKAGE, item.name)
    return found


class _InBuckets(dict[str, Statement]):
    """Each as its database wants it, made when it is first asked for: a command uses a few of them."""

    def __missing__(self, name: str) -> Statement:
        made = self[name] = _WRITTEN[name].in_buckets(BUCKETS)
        return made


_WRITTEN = _load()
SQL = _InBuckets()


def names() -> list[str]:
    """Of all statements."""
    return sorted(_WRITTEN)
