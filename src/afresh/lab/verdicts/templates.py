"""What a template of a replaced page is, and how it is filled."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template as Text
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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

    @classmethod
    def read(cls, name: str) -> Self:
        """The templates of a file beside this module."""
        given = tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
        return cls(
            replacements=tuple(Replacement(**one) for one in given["replacements"]),
            topics=tuple(Topic(**{key: _fixed(value) for key, value in one.items()}) for one in given["topics"]),
            layouts=tuple(given["layouts"]),
            cities=tuple(given["cities"]),
        )


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def fill(text: str, slots: Mapping[str, str]) -> str:
    """The text with its slots filled; a slot nobody fills stays as it is."""
    return Text(text).safe_substitute(slots)


TRAINING = Templates.read("training.toml")
HELD_OUT = Templates.read("held_out.toml")
