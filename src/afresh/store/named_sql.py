"""Named statements: SQL lives in .sql files, each statement with a name and a line that says what it does.

-- name: next_ready
-- When the first site becomes ready.
SELECT ...;
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from importlib.resources import files
from types import MappingProxyType


class Statement(str):
    """The text of a statement that knows its name: another database may have a text of its own under that name."""

    __slots__ = ("name",)
    name: str

    @classmethod
    def called(cls, name: str, text: str) -> "Statement":
        """A statement under its name; '' for one that was put together for this occasion."""
        made = cls(text)
        made.name = name
        return made


_HEAD = re.compile(r"^-- name: *(\w+) *\n-- (?!name:)(.+)\n", re.MULTILINE)
_NAME = re.compile(r"^-- name:", re.MULTILINE)
_COMMENT = re.compile(r"--.*$", re.MULTILINE)


def read_sql(package: str, name: str) -> str:
    """The text of a .sql file that ships with the package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def parse_named(text: str) -> Mapping[str, Statement]:
    """Statements by name.

    >>> parse_named("-- name: one\\n-- The number one.\\nSELECT 1;\\n")["one"]
    'SELECT 1;'
    """
    heads = list(_HEAD.finditer(text))
    if len(heads) != len(_NAME.findall(text)):
        raise ValueError("every named statement needs a line of description below its name")
    found: dict[str, Statement] = {}
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        if head[1] in found:
            raise ValueError(f"two statements are named {head[1]}")
        body = text[head.end() : following.start() if following else len(text)]
        # What follows the statement (a heading of the next section) is not part of it.
        found[head[1]] = Statement.called(head[1], next(split_statements(body)))
    return MappingProxyType(found)


def split_statements(script: str) -> Iterator[str]:
    """The statements of a script one by one, comments gone; a trigger's body stays together.

    Needed because ``executescript`` commits first, and a schema change has to be one transaction.
    """
    pending = ""
    for line in _COMMENT.sub("", script).splitlines():
        if not line.strip():
            continue
        pending += line.rstrip() + "\n"
        if sqlite3.complete_statement(pending):
            yield pending.strip()
            pending = ""
    if pending:
        raise ValueError(f"a statement without an end: {pending[:60]!r}")
