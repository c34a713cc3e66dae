"""Options that say what of a page is watched, the same for every command that takes them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from afresh.base.errors import UsageError
from afresh.base.records.watches import Only

F = TypeVar("F", bound=Callable[..., Any])

_MANY = {"css", "xpath", "json_path", "without_css", "ignore", "appears", "vanishes"}
_OPTIONS = (
    click.option("--css", multiple=True, metavar="SELECTOR", help="Part of a page to watch; may be repeated."),
    click.option("--xpath", multiple=True, metavar="PATH", help="The same by XPath."),
    click.option("--json-path", multiple=True, metavar="PATH", help="Part of a JSON document to watch."),
    click.option("--without-css", multiple=True, metavar="SELECTOR", help="Part of a page to leave out."),
    click.option("--ignore", multiple=True, metavar="REGEX", help="Text to leave out."),
    click.option("--main-text/--all-text", default=None, help="Prose alone: no menus, labels, lists of links."),
    click.option("--everything/--restless-out", default=None, help="What changes at every visit counts, too."),
    click.option("--case/--no-case", default=None, help="Whether a capital is another letter."),
    click.option("--only", type=click.Choice([str(one) for one in Only]), help="Which differences count."),
    click.option("--at-least", metavar="WORDS", help="Words that must differ, like 5 or 5w."),
    click.option("--appears", multiple=True, metavar="WORD", help="Tell when this is there, and was not."),
    click.option(
        "--render/--plain", default=None, help="Let a browser run the page's scripts first (extra `browser`)."
    ),
    click.option(
        "--screenshot/--no-screenshot", default=None, help="Also keep a picture of each version (extra `browser`)."
    ),
    click.option("--vanishes", multiple=True, metavar="WORD", help="Tell when this was there, and is no more."),
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
