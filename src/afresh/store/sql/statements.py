"""All named statements of the store, read once; a name is used once."""

from collections.abc import Mapping
from importlib.resources import files

from afresh.store.named_sql import Statement, as_set, load_named

__all__ = ["SQL", "as_set"]

_PACKAGE = "afresh.store.sql"


def _load() -> Mapping[str, Statement]:
    found: dict[str, Statement] = {}
    for item in files(_PACKAGE).iterdir():
        if item.name.endswith(".sql"):
            found |= load_named(_PACKAGE, item.name)
    return found


SQL = _load()
