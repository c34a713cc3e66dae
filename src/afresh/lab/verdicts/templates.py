"""What a template of a replaced page is, and how it is filled."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template as Text


@dataclass(frozen=True, slots=True)
class Replacement:
    """A page that stands where another one stood.

    ``$slots`` are filled from the page it replaces. With ``chrome`` the old page's frame (navigation, footer,
    styles) stays and only its content goes, as a site's own error page does.
    """

    kind: str  # a value of core.verdicts.Turned, or "home", "moved"
    title: str
    body: str
    chrome: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Topic:
    """An unrelated business that takes a domain over: words its pages are made of."""

    name: str
    brands: tuple[str, ...]
    nouns: tuple[str, ...]
    claims: tuple[str, ...]  # sentences with $noun, $brand, $city


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """One side of the split: nothing in it is used on the other."""

    replacements: tuple[Replacement, ...]
    topics: tuple[Topic, ...]
    layouts: tuple[str, ...]  # whole documents with $title, $body, $language
    cities: tuple[str, ...]


def fill(text: str, slots: Mapping[str, str]) -> str:
    """The text with its slots filled; a slot nobody fills stays as it is."""
    return Text(text).safe_substitute(slots)
