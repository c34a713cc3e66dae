"""A SQLite file copied whole while others write to it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from afresh.base.errors import NoStore, StoreError, UsageError
from afresh.store.sqlite.connection import make_private


def back_up(source: Path, target: Path) -> int:
    """A copy of one moment, in a new file that nobody sees before it is whole; how many bytes it has."""
    if not source.exists():
        raise NoStore(source)
    if target.exists():
        raise UsageError(f"{target} is there already; name a new file")
    unfinished = target.with_name(f"{target.name}.part")
    try:
        make_private(unfinished)
        reading = f"{source.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(reading, uri=True)) as here, closing(sqlite3.connect(unfinished)) as there:
            here.backup(there)
        unfinished.replace(target)
    except (OSError, sqlite3.Error) as error:
        unfinished.unlink(missing_ok=True)
        raise StoreError(f"{source} could not be copied to {target}: {error}") from error
    return target.stat().st_size
