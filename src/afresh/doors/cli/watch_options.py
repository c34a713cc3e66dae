"""Options that say what of a page is watched, the same for every command that takes them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from afresh.base.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

#: the values of ``base.records.watches.Only``, written out: `afresh add` of a feed has no need of what pages keep
ONLY = ("all", "added", "removed", "numbers")
_MANY = {"css", "xpath", "json_path", "without_css", "ignore", "appears", "vanishes"}
_OPTIONS = (
    click.option("--css", multiple=True, metavar="SELECTOR", help="Part of a page to watch; may be repeated."),
    click.option("--xpath", multiple=True, metavar="PATH", help="Part of a page to watch, by XPath; may be repeated."),
    click.option(
        "--json-path", multiple=True, metavar="PATH", help="Part of a JSON document to watch; may be repeated."
    ),
    click.option(
        "--without-css", multiple=True, metavar="SELECTOR", help="Part of a page to leave out; may be repeated."
    ),
    click.option("--ignore", multiple=True, metavar="REGEX", help="Text to leave out; may be repeated."),
    click.option(
        "--main-text/--all-text",
        default=None,
        help="Watch only the main text, without menus, labels and lists of links.",
    ),
    click.option(
        "--everything/--restless-out",
        default=None,
        help="Whether text that changes at every visit (a clock, a counter) counts.",
    ),
    click.option("--case/--no-case", default=None, help="Whether capital and small letters differ."),
    click.option(
        "--only", type=click.Choice(ONLY), help="Which changes count: words that came, words that went, numbers."
    ),
    click.option(
        "--at-least", metavar="WORDS", help="How many words must differ before a change counts, like 5 or 5w."
    ),
    click.option("--appears", multiple=True, metavar="WORD", help="Tell when this word appears; may be repeated."),
    click.option(
        "--render/--plain", default=None, help="Let a browser run the page's scripts first (extra `browser`)."
    ),
    click.option(
        "--screenshot/--no-screenshot", default=None, help="Also keep a picture of each version (extra `browser`)."
    ),
    click.option("--vanishes", multiple=True, metavar="WORD", help="Tell when this word disappears; may be repeated."),
)


def watch_options(command: F) -> F:
    """Adds the options; the command gets what was said as keyword arguments, for ``said_watch``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def said_watch(given: dict[str, Any]) -> dict[str, Any]:
    """What was said, as changes of a watch; `none` goes back to what is usual."""
    changes: dict[str, Any] = {}
    for name, value in given.items():
        if name in _MANY:
            if value:
                changes[name] = () if value == ("none",) else tuple(value)
        elif name == "only":
            if value is not None:
                from afresh.base.records.watches import Only  # noqa: PLC0415 (few say so)

                changes[name] = Only(value)
        elif name == "at_least":
            if value is not None:
                changes[name] = _words(value)
        elif value is not None:
            changes[name] = value
    return changes


def _words(text: str) -> int:
    number = text.strip().removesuffix("w")
    if not number.isascii() or not number.isdecimal() or len(number) > 6:
        raise UsageError(f"--at-least: a number of words, like 5 or 5w, not {text!r}")
    return int(number)
