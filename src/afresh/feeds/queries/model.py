"""What a query says: sources, conditions on entries, order and size of the feed."""

from dataclasses import dataclass
from enum import StrEnum


class Field(StrEnum):
    """The part of an entry that a condition looks at."""

    ITEM = "item"  # title and content
    TITLE = "title"
    CONTENT = "content"  # summary and content, without mark-up
    CATEGORY = "category"  # any of the entry's categories
    AUTHOR = "author"
    LINK = "link"


class Comparison(StrEnum):
    """How a publication time is compared."""

    BEFORE = "<"
    UNTIL = "<="
    WITHIN = "="
    SINCE = ">="
    AFTER = ">"


class Order(StrEnum):
    """How the entries of a page are sorted."""

    DATE = "date"
    SOURCE = "source"
    SCORE = "score"


# --- conditions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contains:
    """The words stand in the field, side by side and in this order; case does not matter."""

    field: Field
    words: tuple[str, ...]  # folded, see ``words.words_of``


@dataclass(frozen=True, slots=True)
class Equals:
    """The field is this text; blanks and case do not matter."""

    field: Field
    text: str  # folded, see ``words.folded``


@dataclass(frozen=True, slots=True)
class Matches:
    """A regular expression is found in the field."""

    field: Field
    pattern: str


@dataclass(frozen=True, slots=True)
class Dated:
    """The publication time compared with a span [start, end): a day, a minute or a second.

    ``relative`` spans are seconds before the entry was found, so that the answer does not depend on when it is asked.
    """

    comparison: Comparison
    start: float
    end: float
    relative: bool = False


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: "Condition"


Condition = Contains | Equals | Matches | Dated | And | Or | Not


# --- sources ---------------------------------------------------------------------------------------------------------


class SourceKind(StrEnum):
    """How a query names a source."""

    URL = "url"
    NUMBER = "number"
    FOLDER = "folder"  # with the folders below it
    TAG = "tag"
    FEED = "feed"  # another query feed
    ALL = "all"
    PAGES = "pages"  # changes of watched pages


@dataclass(frozen=True, slots=True)
class Source:
    """A source as written."""

    kind: SourceKind
    value: str = ""

    def __str__(self) -> str:
        match self.kind:
            case SourceKind.ALL | SourceKind.PAGES:
                return self.kind.value.upper()
            case SourceKind.NUMBER:
                return self.value
            case SourceKind.FEED:
                return f"FEED {self.value}"
            case SourceKind.URL:
                return f'"{self.value}"'
            case _:
                return f'{self.kind.value.upper()} "{self.value}"'


@dataclass(frozen=True, slots=True)
class Branch:
    """One source of the union with its filter; None: everything passes."""

    source: Source
    condition: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A statement, understood."""

    name: str
    title: str = ""  # empty: the name
    branches: tuple[Branch, ...]
    order: Order = Order.DATE
    descending: bool = True
    limit: int = 50  # entries a page
    weight: int = 1  # what an entry in it is worth, against those of other query feeds
    replace: bool = False
    text: str = ""  # as written
