"""An entry as conditions see it: plain text, its words found once."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from afresh.feeds.queries.model import Field
from afresh.feeds.queries.words import folded, words_of

#: Words stand between these, so that a phrase is found by one search and never inside a word.
_BORDER = " "


class Item:
    """An entry's texts without mark-up, with its times; words and folded forms are made when first asked for."""

    def __init__(
        self,
        *,
        title: str = "",
        content: str = "",
        categories: tuple[str, ...] = (),
        author: str = "",
        link: str = "",
        published: float = 0.0,
        found: float = 0.0,
    ) -> None:
        self.title, self.content, self.categories = title, content, categories
        self.author, self.link = author, link
        self.published, self.found = published, found
        self._lines: dict[Field, str] = {}
        self._words: dict[Field, frozenset[str]] = {}

    def texts(self, field: Field) -> tuple[str, ...]:
        """The texts of a field: categories are several, all others one."""
        match field:
            case Field.TITLE:
                return (self.title,)
            case Field.CONTENT:
                return (self.content,)
            case Field.AUTHOR:
                return (self.author,)
            case Field.LINK:
                return (self.link,)
            case Field.CATEGORY:
                return self.categories
            case Field.ITEM:
                return (self.title, self.content)

    def line(self, field: Field) -> str:
        """All words of a field between single blanks; texts stay apart, so that no phrase spans two of them."""
        known = self._lines.get(field)
        if known is None:
            pieces = [_BORDER.join(words_of(text)) for text in self.texts(field)]
            known = self._lines[field] = _BORDER + f"{_BORDER}\n{_BORDER}".join(pieces) + _BORDER
        return known

    def words(self, field: Field) -> frozenset[str]:
        """The different words of a field."""
        known = self._words.get(field)
        if known is None:
            known = self._words[field] = frozenset(self.line(field).split())
        return known

    def has_phrase(self, field: Field, phrase: str) -> bool:
        """Whether the words of the phrase (see ``phrase_of``) stand side by side."""
        return phrase in self.line(field)

    @cached_property
    def folded_texts(self) -> Mapping[Field, frozenset[str]]:
        """What ``Equals`` compares with."""
        fields = (Field.TITLE, Field.CATEGORY, Field.AUTHOR, Field.LINK)
        return {field: frozenset(folded(text) for text in self.texts(field)) for field in fields}

    @cached_property
    def keys(self) -> frozenset[str]:
        """Everything the index can look this entry up by: its words, and its categories and authors as wholes."""
        every = (Field.ITEM, Field.CATEGORY, Field.AUTHOR, Field.LINK)
        whole = [whole_key(field, text) for field in WHOLE for text in self.folded_texts[field]]
        return self.words(every[0]).union(*(self.words(field) for field in every[1:]), whole)


def phrase_of(words: Sequence[str]) -> str:
    """Words as ``Item.has_phrase`` looks for them."""
    return f"{_BORDER}{_BORDER.join(words)}{_BORDER}"


#: Fields whose whole value is a key of the index.
WHOLE = (Field.TITLE, Field.CATEGORY, Field.AUTHOR, Field.LINK)


def whole_key(field: Field, text: str) -> str:
    """The key of a field's whole value; the blank keeps it apart from words."""
    return f"{field.value} {text}"
