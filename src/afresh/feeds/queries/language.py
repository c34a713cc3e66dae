"""The query language: a statement is read into a ``Query``, or refused with the place and what was expected there.

CREATE FEED solar AS
RETURN "https://a.example/feed" | FOLDER "science"
WHERE TITLE CONTAINS "solar power" AND NOT CATEGORY = "ads"
ORDER BY DATE LIMIT 50;
"""

from dataclasses import replace
from functools import cache
from importlib.resources import files

from lark import Lark, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from afresh.base.errors import ParseError
from afresh.feeds.queries.model import Query
from afresh.feeds.queries.reading import Builder, QueryMistake

MAX_TEXT = 10_000  # characters of a statement
_EXCERPT = 100  # characters of the line shown with an error

#: What a terminal is called where it was expected.
_CALLED = {
    "STRING": 'a text in quotes ("...")',
    "NUMBER": "a number",
    "NAME": "a name",
    "VARIABLE": "a variable ($a)",
    "SPAN": "a duration (7d, 12h)",
    "DATE": "DATE",
    "BY_DATE": "DATE",
    "BY_SOURCE": "SOURCE",
    "BY_SCORE": "SCORE",
    "FEED_WORD": "FEED",
    "_TITLE_WORD": "TITLE",
    "_OR_WORD": "OR REPLACE",
    "_UNION": "|",
    "_END": ";",
    "$END": "the end",
    "UNTIL": "<=",
    "SINCE": ">=",
    "BEFORE": "<",
    "AFTER": ">",
    "EQUAL": "=",
    "UNEQUAL": "!=",
    "MINUS": "-",
    "LSQB": "[",
    "RSQB": "]",
    "LPAR": "(",
    "RPAR": ")",
}
_TEXT_FIELDS = ("ITEM", "TITLE", "CONTENT", "CATEGORY", "AUTHOR", "LINK", "DATE")


@cache
def _parser() -> Lark:
    grammar = files("afresh.feeds.queries").joinpath("query.lark").read_text(encoding="utf-8")
    # The tree is built while reading, from the leaves: no nesting of the input becomes a recursion of ours.
    return Lark(grammar, parser="lalr", lexer="contextual", transformer=Builder(), propagate_positions=False)


def parse_query(text: str) -> Query:
    """A statement; raises ParseError with ``position`` ("line:column") and ``excerpt`` (the line and a caret).

    >>> parse_query('CREATE FEED all-of-it AS RETURN ALL').name
    'all-of-it'
    """
    if len(text) > MAX_TEXT:
        raise ParseError(f"a query of {len(text)} characters; at most {MAX_TEXT} are read")
    if not text.strip():
        raise ParseError('an empty query; write it like: CREATE FEED name AS RETURN "https://example.org/feed"')
    try:
        query: object = _parser().parse(text)  # the transformer makes a Query of the tree
    except QueryMistake as error:
        raise _located(text, error.token.line or 1, error.token.column or 1, str(error)) from error
    except UnexpectedToken as error:
        token = error.token
        line, column = _end_of(text) if token.type == "$END" else (token.line or 1, token.column or 1)
        found = "the end" if token.type == "$END" else _quoted(str(token))
        raise _located(text, line, column, f"expected {_expected(error)}, found {found}") from error
    except UnexpectedCharacters as error:
        found = _quoted(_word_at(text.split("\n")[error.line - 1][error.column - 1 :]))
        raise _located(text, error.line, error.column, f"expected {_expected(error)}, found {found}") from error
    assert isinstance(query, Query)
    return replace(query, text=text.strip())


def _expected(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken):
        names = set(error.accepts or error.expected)
    else:
        assert isinstance(error, UnexpectedCharacters)
        names = set(error.allowed or ())
    names -= {"COMMENT"} | {name for name in names if name.startswith("__")}
    words: list[str] = []
    if set(_TEXT_FIELDS) <= names:
        names -= set(_TEXT_FIELDS)
        words.append("a condition (ITEM, TITLE, CONTENT, CATEGORY, AUTHOR, LINK or DATE ...)")
    words += sorted(_CALLED.get(name, name.lstrip("_")) for name in names)
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "something else"


def _word_at(rest: str) -> str:
    """What the rest of a line begins with, up to the next blank."""
    return rest.split(maxsplit=1)[0] if rest.strip() else rest[:1]


def _quoted(found: str) -> str:
    shown = found if len(found) <= 40 else found[:37] + "..."
    opened = shown[:1] in ("'", '"') and (len(shown) == 1 or shown[-1] != shown[0])
    return f"{shown!r}" + (" (the text is not closed)" if opened and len(found) <= 40 else "")


def _end_of(text: str) -> tuple[int, int]:
    """Just behind the last thing written."""
    lines = text.rstrip().split("\n")
    return len(lines), len(lines[-1]) + 1


def _located(text: str, line: int, column: int, problem: str) -> ParseError:
    lines = text.split("\n")
    shown = lines[line - 1] if line <= len(lines) else ""
    start = max(0, column - 1 - _EXCERPT // 2)
    excerpt = "".join(c if c.isprintable() else " " for c in shown[start : start + _EXCERPT])
    return ParseError(
        f"line {line}, column {column}: {problem}",
        position=f"{line}:{column}",
        excerpt=f"{excerpt}\n{' ' * (column - 1 - start)}^",
    )
