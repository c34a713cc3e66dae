"""What of a page is watched, and which changes of it count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from afresh.base.without_defaults import as_text, from_text, unusual

if TYPE_CHECKING:
    from afresh.base.records.links import NewVersion

#: Rows of pixels of a picture; what is further down on a page is not in it.
TALLEST = 6_000


class Only(StrEnum):
    """Which differences count."""

    ALL = "all"
    ADDED = "added"  # words that came
    REMOVED = "removed"  # words that went
    NUMBERS = "numbers"  # prices, counts, dates


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What counts as a change of a page; the defaults are all of it, but what changes at every visit."""

    css: tuple[str, ...] = ()  # parts to watch; none: the whole document
    xpath: tuple[str, ...] = ()
    json_path: tuple[str, ...] = ()
    without_css: tuple[str, ...] = ()  # parts to leave out
    ignore: tuple[str, ...] = ()  # regular expressions of text to leave out
    main_text: bool = False  # prose alone: no menus, labels and lists of links
    everything: bool = False  # what changes at every visit counts, too
    case: bool = True  # whether a capital is another letter
    only: Only = Only.ALL
    at_least: int = 1  # words that differ
    appears: tuple[str, ...] = ()  # told when one of these words is there, and was not
    vanishes: tuple[str, ...] = ()  # told when one of these was there, and is no more
    render: bool = False  # a browser runs its scripts first
    screenshot: bool = False  # with a picture of each version; needs a browser, too

    @property
    def renders(self) -> bool:
        return self.render or self.screenshot

    @property
    def is_usual(self) -> bool:
        return self == USUAL

    def over(self, general: Self) -> Self:
        """What is said here, and for the rest what is said for more than this page."""
        return replace(general, **self.unusual())

    def unusual(self) -> dict[str, Any]:
        """What is not as usual, by name."""
        return unusual(self)

    def to_text(self) -> str:
        """As it is stored: JSON of what is not usual."""
        return as_text(self)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What ``to_text`` made; raises UsageError."""
        return from_text(cls, text, "what is watched")


USUAL = Watch()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMemory:
    """What the last visits of a page showed."""

    watch: str = "{}"  # what was watched then, as text
    lines: tuple[str, ...] = ()  # of the visit before, as they were compared
    told: tuple[str, ...] = ()  # when a change was told last
    restless: str = ""  # which parts changed when, see ``pages.changes.always_changing``
    remark: str = ""  # what it shows instead of itself at present; empty: itself


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """What a visit of a page leaves behind."""

    resource: int
    memory: PageMemory
    version: NewVersion | None = None  # None: no other than the one that is kept
    picture: bytes = b""  # of the version that is kept, if it has none yet; empty: none
    keep_versions: int = 10
    keep_for: float = 365 * 86_400.0  # seconds
    look_soon: bool = False  # a look in a moment would tell whether it changes at every visit
