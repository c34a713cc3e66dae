"""Whether a SQLite file is whole: by itself, without a daemon, and without changing anything in it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from afresh.base.errors import StoreError
from afresh.store.damaged import DamagedText
from afresh.store.sqlite.connection import BUSY_SECONDS, explain
from afresh.store.sqlite.schema import APPLICATION_ID, VERSION

_MOST = 100  # problems of one kind that are told


@dataclass(frozen=True, slots=True)
class Looked:
    """One thing that was looked at, and what is wrong with it."""

    name: str
    wrong: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.wrong


def check_file(path: Path) -> list[Looked]:
    """What was looked at in the file of a store or frontier; raises StoreError where there is none."""
    if not path.is_file():
        raise StoreError(f"cannot open {path}: there is no such file")
    try:
        with closing(_opened(path)) as connection:
            return list(_look(connection))
    except sqlite3.Error as error:
        return [Looked("file", (str(explain(error, path)),))]


def version_of_other(path: Path) -> int | None:
    """The version of a file that is whole and no store's, a frontier's perhaps; None: it is a store."""
    with closing(_opened(path)) as connection:
        if connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
            return None
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    connection.row_factory = sqlite3.Row
    connection.text_factory = DamagedText.of
    return connection


def _look(connection: sqlite3.Connection) -> Iterator[Looked]:
    told = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MOST})")]
    yield Looked("integrity", () if told == ["ok"] else tuple(told))
    yield Looked("orphans", tuple(_orphans(connection)))
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        return  # a frontier: it compares its tables itself
    if version != VERSION:
        yield Looked("schema", (f"version {version}, this afresh knows {VERSION}; any command brings it up to date",))
        return
    yield Looked("counters", tuple(_miscounted(connection)))
    yield Looked("keys", tuple(_mislaid(connection)))


def _orphans(connection: sqlite3.Connection) -> Iterator[str]:
    """Rows that belong to something which is not there."""
    for place, row in enumerate(connection.execute("PRAGMA foreign_key_check")):
        if place == _MOST:
            yield "and more"
            return
        yield f"row {row[1]} of {row[0]} belongs to a row of {row[2]} that is not there"


def _miscounted(connection: sqlite3.Connection) -> Iterator[str]:
    sql = """
        SELECT name, resources, (SELECT count(*) FROM resource WHERE site_id = site.id) AS there FROM site
        WHERE resources <> (SELECT count(*) FROM resource WHERE site_id = site.id) LIMIT ?
    """
    for row in connection.execute(sql, (_MOST,)):
        yield f"site {row['name']} says {row['resources']} resources, there are {row['there']}"


def _mislaid(connection: sqlite3.Connection) -> Iterator[str]:
    """Resources that cannot be found by their address."""
    from afresh.store.sql.rows import url_key  # noqa: PLC0415 (loads numpy, which the rest has no need of)

    told = 0
    for row in connection.execute("SELECT id, url, url_key FROM resource"):
        if row["url_key"] != url_key(row["url"]) and told < _MOST:
            told += 1
            yield f"resource {row['id']} cannot be found by its address, {row['url']}"
