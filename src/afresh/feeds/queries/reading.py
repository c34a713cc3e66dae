"""Builds a ``Query`` from the pieces of a statement, leaves first, and checks what a grammar cannot say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from lark import Token, Transformer

from afresh.base.durations import parse_duration
from afresh.base.errors import ModelError, ParseError
from afresh.feeds.queries.model import (
    And,
    Branch,
    Comparison,
    Condition,
    Contains,
    Dated,
    Equals,
    Field,
    Matches,
    Not,
    Or,
    Order,
    Query,
    Source,
    SourceKind,
)
from afresh.feeds.queries.words import folded, words_of
from afresh.parse.linear_regex import compile_linear

MAX_NAME = 64
MAX_TITLE = 200
MAX_SOURCES = 500
MAX_CONDITIONS = 200
MAX_DEPTH = 30
MAX_LIMIT = 500
MAX_WEIGHT = 1_000
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_DAY = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?:Z|[+-]\d\d:?\d\d)?")
_WHOLE_FIELDS = (Field.TITLE, Field.CATEGORY, Field.AUTHOR, Field.LINK)


class QueryMistake(Exception):
    """Something the grammar allows and the language does not, with the place where it stands."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.token = token


@dataclass(frozen=True, slots=True)
class _Piece:
    """A condition on its way up, with its size."""

    condition: Condition
    token: Token  # where it starts
    depth: int = 1
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Named:
    """A source, and the variable it is called by."""

    source: Source
    variable: Token | None


@dataclass(frozen=True, slots=True)
class _Where:
    """Either one condition for all sources, or filters by variable."""

    everywhere: _Piece | None = None
    filters: tuple[tuple[Token, _Piece], ...] = ()


@dataclass(frozen=True, slots=True)
class _Moment:
    start: float
    end: float
    relative: bool = False


@dataclass(slots=True)
class _Parts:
    """The clauses of a statement by kind."""

    name: str = ""
    title: str = ""
    replace: bool = False
    sources: list[_Named] = field(default_factory=list)
    where: _Where = field(default_factory=_Where)
    order: tuple[Order, bool] = (Order.DATE, True)
    limit: int = 50
    weight: int = 1


class Builder(Transformer[Token, object]):
    """One method a rule of the grammar."""

    # --- clauses ---

    def create(self, children: list[object]) -> tuple[str, bool]:
        return "create", bool(children)

    def replace(self, _: list[object]) -> bool:
        return True

    def name(self, children: list[Token]) -> tuple[str, str]:
        return "name", _name(children[0])

    def title(self, children: list[Token]) -> tuple[str, str]:
        text = " ".join(_text(children[0]).split())
        if len(text) > MAX_TITLE:
            raise QueryMistake(f"a title of {len(text)} characters; at most {MAX_TITLE}", children[0])
        return "title", text

    def weight(self, children: list[Token]) -> tuple[str, int]:
        number = _number(children[0])
        if not 1 <= number <= MAX_WEIGHT:
            raise QueryMistake(f"WEIGHT is what an entry is worth, 1 to {MAX_WEIGHT}", children[0])
        return "weight", number

    def order(self, children: list[Token]) -> tuple[str, tuple[Order, bool]]:
        by = Order(children[0].lower())
        descending = children[1].type == "DESC" if len(children) > 1 else by is not Order.SOURCE
        return "order", (by, descending)

    def limit(self, children: list[Token]) -> tuple[str, int]:
        number = _number(children[0])
        if not 1 <= number <= MAX_LIMIT:
            raise QueryMistake(f"LIMIT is the number of entries a page, 1 to {MAX_LIMIT}", children[0])
        return "limit", number

    def start(self, children: list[object]) -> Query:
        parts = _Parts()
        for child in children:
            match child:
                case ("create", bool(again)):
                    parts.replace = again
                case ("name", str(name)):
                    parts.name = name
                case ("title", str(title)):
                    parts.title = title
                case ("order", (Order() as by, bool(descending))):
                    parts.order = (by, descending)
                case ("limit", int(limit)):
                    parts.limit = limit
                case ("weight", int(weight)):
                    parts.weight = weight
                case _Named():
                    parts.sources.append(child)
                case _Where():
                    parts.where = child
        order, descending = parts.order
        return Query(
            name=parts.name,
            title=parts.title,
            branches=_branches(parts.sources, parts.where),
            order=order,
            descending=descending,
            limit=parts.limit,
            weight=parts.weight,
            replace=parts.replace,
        )

    # --- sources ---

    def by_url(self, children: list[Token]) -> Source:
        return Source(SourceKind.URL, _filled(children[0]))

    def by_number(self, children: list[Token]) -> Source:
        return Source(SourceKind.NUMBER, str(_number(children[0])))

    def by_folder(self, children: list[Token]) -> Source:
        parts = [part for part in _filled(children[1]).split("/") if part]
        if not parts:
            raise QueryMistake("a folder needs a name", children[1])
        return Source(SourceKind.FOLDER, "/".join(parts))

    def by_tag(self, children: list[Token]) -> Source:
        return Source(SourceKind.TAG, _filled(children[1]))

    def by_feed(self, children: list[Token]) -> Source:
        return Source(SourceKind.FEED, _name(children[1]))

    def everything(self, _: list[Token]) -> Source:
        return Source(SourceKind.ALL)

    def pages(self, _: list[Token]) -> Source:
        return Source(SourceKind.PAGES)

    def source(self, children: list[object]) -> _Named:
        place, *variable = children
        assert isinstance(place, Source)
        return _Named(place, variable[0] if variable and isinstance(variable[0], Token) else None)

    # --- conditions ---

    def where(self, children: list[object]) -> _Where:
        if len(children) == 1 and isinstance(children[0], _Piece):
            return _Where(everywhere=_bounded(children[0]))
        return _Where(filters=tuple(child for child in children if isinstance(child, tuple)))

    def filter(self, children: list[object]) -> tuple[Token, _Piece]:
        variable, piece = children
        assert isinstance(variable, Token)
        assert isinstance(piece, _Piece)
        return variable, _bounded(piece)

    def either(self, children: list[_Piece]) -> _Piece:
        return _joined(Or(tuple(child.condition for child in children)), children)

    def both(self, children: list[_Piece]) -> _Piece:
        return _joined(And(tuple(child.condition for child in children)), children)

    def negated(self, children: list[_Piece]) -> _Piece:
        return _joined(Not(children[0].condition), children)

    def grouped(self, children: list[_Piece]) -> _Piece:
        # Parentheses mean nothing any more, but count: what a person cannot read need not be accepted.
        return _bounded(replace(children[0], depth=children[0].depth + 1))

    def text_field(self, children: list[Token]) -> Token:
        return children[0]

    def contains(self, children: list[Token]) -> _Piece:
        words = words_of(_text(children[2]))
        if not words:
            raise QueryMistake("CONTAINS looks for words, and there is none in this text", children[2])
        return _Piece(Contains(_field(children[0]), words), children[0])

    def equals(self, children: list[Token]) -> _Piece:
        asked = _field(children[0])
        if asked not in _WHOLE_FIELDS:
            raise QueryMistake(f"{children[0].upper()} can be asked with CONTAINS or MATCHES, not with =", children[1])
        return _Piece(Equals(asked, folded(_text(children[2]))), children[0])

    def unequal(self, children: list[Token]) -> _Piece:
        return _joined(Not(self.equals(children).condition), [self.equals(children)])

    def matches(self, children: list[Token]) -> _Piece:
        pattern = _text(children[2])
        try:
            compile_linear(pattern)
        except ParseError as error:
            raise QueryMistake(str(error), children[2]) from error
        return _Piece(Matches(_field(children[0]), pattern), children[0])

    # --- dates ---

    def dated(self, children: list[object]) -> _Piece:
        start, comparison, moment = children
        assert isinstance(start, Token)
        assert isinstance(comparison, Token)
        assert isinstance(moment, _Moment)
        return _Piece(Dated(Comparison(str(comparison)), moment.start, moment.end, moment.relative), start)

    def written(self, children: list[Token]) -> _Moment:
        text = _text(children[0]).strip()
        try:
            start, end = _span(text)
        except ValueError as error:
            message = f'not a date: {text[:40]!r}; write it like "2026-05-01", "2026-05" or "2026-05-01T12:00Z"'
            raise QueryMistake(message, children[0]) from error
        return _Moment(start, end)

    def now(self, _: list[Token]) -> _Moment:
        return _Moment(0.0, 0.0, relative=True)

    def ago(self, children: list[Token]) -> _Moment:
        written = children[2]
        text = _text(written) if written.type == "STRING" else str(written)
        try:
            seconds = parse_duration(text)
        except ModelError as error:
            raise QueryMistake(str(error), written) from error
        if not seconds < 1e11:
            raise QueryMistake("this reaches back before all feeds; leave the condition out", written)
        return _Moment(-seconds, -seconds, relative=True)


# --- pieces ----------------------------------------------------------------------------------------------------------


def _branches(sources: Sequence[_Named], where: _Where) -> tuple[Branch, ...]:
    if len(sources) > MAX_SOURCES:
        raise ParseError(f"{len(sources)} sources; at most {MAX_SOURCES}: put them into a folder or give them a tag")
    if where.everywhere is not None:
        return tuple(Branch(named.source, where.everywhere.condition) for named in sources)
    filters: dict[str, Condition] = {}
    known = {str(named.variable) for named in sources if named.variable is not None}
    for variable, piece in where.filters:
        if variable not in known:
            hint = f"the sources are called {', '.join(sorted(known))}" if known else f"write: RETURN ... AS {variable}"
            raise QueryMistake(f"no source is called {variable}; {hint}", variable)
        if variable in filters:
            raise QueryMistake(f"{variable} has two filters; join them with AND or OR in one bracket", variable)
        filters[str(variable)] = piece.condition
    _refuse_doubles([named.variable for named in sources if named.variable is not None])
    return tuple(Branch(named.source, filters.get(str(named.variable))) for named in sources)


def _refuse_doubles(variables: Sequence[Token]) -> None:
    seen: set[str] = set()
    for variable in variables:
        if variable in seen:
            raise QueryMistake(f"two sources are called {variable}", variable)
        seen.add(str(variable))


def _joined(condition: Condition, parts: Sequence[_Piece]) -> _Piece:
    depth = 1 + max(part.depth for part in parts)
    return _bounded(_Piece(condition, parts[0].token, depth, sum(part.count for part in parts)))


def _bounded(piece: _Piece) -> _Piece:
    if piece.depth > MAX_DEPTH:
        raise QueryMistake(f"conditions nested more than {MAX_DEPTH} deep", piece.token)
    if piece.count > MAX_CONDITIONS:
        raise QueryMistake(f"more than {MAX_CONDITIONS} conditions", piece.token)
    return piece


def _field(token: Token) -> Field:
    return Field(token.lower())


def _text(token: Token) -> str:
    """Between the quotes; a backslash only protects a quote, so that regular expressions need no doubling."""
    quote = token[0]
    return token[1:-1].replace(f"\\{quote}", quote)


def _filled(token: Token) -> str:
    text = _text(token).strip()
    if not text:
        raise QueryMistake("a source needs a name", token)
    return text


def _name(token: Token) -> str:
    if len(token) > MAX_NAME or not _NAME.fullmatch(token):
        message = f"a feed's name has lower-case letters, digits and '-' inside, at most {MAX_NAME}; try"
        proposed = re.sub(r"[^a-z0-9]+", "-", token.lower()).strip("-")[:MAX_NAME].strip("-") or "my-feed"
        raise QueryMistake(f"{message} {proposed}", token)
    return str(token)


def _number(token: Token) -> int:
    if len(token) > 18:
        raise QueryMistake("this number is too large", token)
    return int(token)


def _span(text: str) -> tuple[float, float]:
    """The span a date names, in UTC: a year, a month, a day, a minute or a second."""
    if match := _DAY.fullmatch(text):
        year, month, day = (int(part) if part else None for part in match.groups())
        first = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
        if day:
            following = first + timedelta(days=1)
        elif month:
            following = first.replace(year=first.year + month // 12, month=month % 12 + 1)
        else:
            following = first.replace(year=first.year + 1)
        return first.timestamp(), following.timestamp()
    moment = datetime.fromisoformat(text)
    start = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return start, start + (60.0 if _MINUTE.fullmatch(text) else 1.0)
