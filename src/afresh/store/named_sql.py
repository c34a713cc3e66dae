"""Named statements: SQL lives in .sql files, each statement with a name and a line that says what it does.

-- name: next_ready
-- When the first site becomes ready.
SELECT ...;

Most texts are understood by both databases. Where PostgreSQL has to be told otherwise, its own text follows:

-- name: next_ready/postgres
-- What is different, and why.
SELECT ...;

Values are written ``:name``, or ``?`` where they have places instead of names, in either text. Behind a name of
PostgreSQL's may stand how it takes many rows at once: ``(arrays)``, a column of all rows as each value, or ``(copy)``.

What stands in braces is for PostgreSQL alone (``{AND link.bucket = resource.bucket}``): there a row's key has its
bucket, in SQLite a number is enough. ``{here_link}`` is for a database of several servers alone, see
``store.postgres.bucket_places``;
``{buckets}`` is how many buckets there are.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import orjson


class Statement(str):
    """A statement. It is SQLite's text itself, so a connection of SQLite takes it as it is."""

    __slots__ = ("divided", "many", "name", "postgres")
    name: str
    postgres: str  # PostgreSQL's text, the same unless it has one of its own
    many: str  # how PostgreSQL takes many rows: '' (one after the other), 'arrays' or 'copy'
    divided: str  # the text with what only a PostgreSQL of several servers is told; '': it is told nothing else

    @classmethod
    def called(cls, name: str, text: str, *, postgres: str | None = None, many: str = "") -> "Statement":
        """A statement under its name; '' for one that was put together for this occasion."""
        made = cls(text)
        made.name, made.postgres, made.many, made.divided = name, postgres or text, many, ""
        return made

    def in_buckets(self, buckets: int) -> "Statement":
        """The statement with every brace as its database wants it.

        >>> text = "UPDATE a SET b = 1 WHERE c = :c {AND a.bucket = :c % {buckets}} {here_a};"
        >>> made = Statement.called("one", text).in_buckets(64)
        >>> made, made.postgres
        ('UPDATE a SET b = 1 WHERE c = :c;', 'UPDATE a SET b = 1 WHERE c = :c AND a.bucket = :c % 64;')
        >>> made.divided
        'UPDATE a SET b = 1 WHERE c = :c AND a.bucket = :c % 64 {here_a};'
        """
        ours, theirs = (text.replace("{buckets}", str(buckets)) for text in (str(self), self.postgres))
        if "{" not in ours and ("{" not in theirs or not _BRACE.search(theirs)):  # as of most
            return Statement.called(self.name, ours, postgres=theirs, many=self.many)
        told = _ONLY_POSTGRES.sub(r"\1\2", theirs)
        made = Statement.called(
            self.name, HERE.sub("", _ONLY_POSTGRES.sub("", ours)), postgres=HERE.sub("", told), many=self.many
        )
        made.divided = told if HERE.search(told) else ""
        return made


def _picker(names: tuple[str, ...]) -> Callable[[Any], Sequence[Any]]:
    """Takes the values of these names, in a quarter of the time it takes one after the other; always a row."""
    if not names:
        return lambda given: given or ()
    return itemgetter(*names) if len(names) > 1 else lambda given: (given[names[0]],)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A text whose values are numbered (``$1``, ``$2`` …), as PostgreSQL takes them, and SQLite quickest (``?1``)."""

    text: str
    names: tuple[str, ...]  # by number; none where values have places
    values: Callable[[Any], Sequence[Any]] = field(repr=False, compare=False)  # of what is given, by their numbers


_HEAD = re.compile(r"^-- name: *(\w+)(/postgres)?(?: +\((arrays|copy)\))? *\n-- (?!name:)(.+)\n", re.MULTILINE)
_NAME = re.compile(r"^-- name:", re.MULTILINE)
_COMMENT = re.compile(r"--.*$", re.MULTILINE)
#: What is told a database of several servers alone, and what is told PostgreSQL alone; each with the space before it.
HERE = re.compile(r" ?\{(here_\w+)\}")
_BRACE = re.compile(r"\{[^}]")
_ONLY_POSTGRES = re.compile(r"( ?)\{(?!here_)([^{}]+)\}")
#: A literal, a quoted name, a cast: these stay as they are. A value with a name, or with a place.
_VALUE = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|::|:([a-z_]\w*)|\?""")


def read_sql(package: str, name: str) -> str:
    """The text of a .sql file that ships with the package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def load_named(package: str, name: str) -> Mapping[str, Statement]:
    """The statements of a .sql file that ships with the package, by name."""
    return parse_named(read_sql(package, name))


def parse_named(text: str) -> Mapping[str, Statement]:
    """Statements by name.

    >>> found = parse_named("-- name: one\\n-- The number one.\\nSELECT 1;\\n"
    ...     "-- name: one/postgres\\n-- As a bigint.\\nSELECT 1::bigint;\\n")["one"]
    >>> found, found.postgres
    ('SELECT 1;', 'SELECT 1::bigint;')
    """
    heads = list(_HEAD.finditer(text))
    if len(heads) != len(_NAME.findall(text)):
        raise ValueError("every named statement needs a line of description below its name")
    found: dict[str, Statement] = {}
    theirs: set[str] = set()
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        name, is_theirs = head[1], bool(head[2])
        if name in (theirs if is_theirs else found):
            raise ValueError(f"two statements are named {name}{head[2] or ''}")
        # What follows the statement (a heading of the next section) is not part of it.
        body = next(split_statements(text[head.end() : following.start() if following else len(text)]))
        if not is_theirs:
            found[name] = Statement.called(name, body)
        elif name not in found:
            raise ValueError(f"statement {name}/postgres stands before {name}, or alone")
        else:
            theirs.add(name)
            found[name] = Statement.called(name, str(found[name]), postgres=body, many=head[3] or "")
    return MappingProxyType(found)


@lru_cache(maxsize=2048)
def numbered(text: str, mark: str = "$") -> Numbered:
    """A text with its values numbered; nothing else of it changes.

    >>> numbered("SELECT ':a', b::text FROM t WHERE c = :c AND d > :d OR e = :c")
    Numbered(text="SELECT ':a', b::text FROM t WHERE c = $1 AND d > $2 OR e = $1", names=('c', 'd'))
    >>> numbered("VALUES (?, ?)")
    Numbered(text='VALUES ($1, $2)', names=())
    """
    names: dict[str, int] = {}
    places = 0

    def number(found: re.Match[str]) -> str:
        nonlocal places
        if found[0] == "?":
            places += 1
            return f"{mark}{places}"
        return f"{mark}{names.setdefault(found[1], len(names) + 1)}" if found[1] else found[0]

    made = _VALUE.sub(number, text)
    return Numbered(made, tuple(names), _picker(tuple(names)))


def as_set(values: Iterable[int | str]) -> str:
    """Values as a JSON array, which both databases turn into a table: one statement for any number of them."""
    return orjson.dumps(list(values)).decode()


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
