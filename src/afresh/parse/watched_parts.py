"""Parts of a document chosen by CSS selectors, XPath or JSONPath: an HTML document made of these parts, or lines.

Selectors are written by the operator, documents by anybody: where a selector finds nothing, that is told.
"""

import html
from collections.abc import Iterator, Sequence
from typing import Any

import jsonpath
import orjson
from jsonpath.exceptions import JSONPathError
from lxml import etree
from lxml.html import HTMLParser, fromstring
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from afresh.base.errors import ParseError, UsageError
from afresh.base.records.watches import Watch
from afresh.parse.linear_regex import compile_linear

MAX_SELECTOR = 1_000  # characters
_MOST_NODES = 20_000


def check_selectors(watch: Watch) -> None:
    """Raises UsageError for what is no selector, naming it."""
    for text in (*watch.css, *watch.without_css):
        _try(text, "CSS selector", lambda text: LexborHTMLParser("<p>").css(text))
    for text in watch.xpath:
        _try(text, "XPath", etree.XPath)
    for text in watch.json_path:
        _try(text, "JSONPath", jsonpath.compile)
    for text in watch.ignore:
        _try(text, "regular expression", compile_linear)


def _try(text: str, name: str, use: Any) -> None:
    if not text.strip() or len(text) > MAX_SELECTOR:
        raise UsageError(f"a {name} has 1 to {MAX_SELECTOR:,} characters")
    try:
        use(text)
    except (
        SelectolaxError,
        etree.XPathError,
        JSONPathError,
        ParseError,
        ValueError,
    ) as error:  # lxml: control characters
        first = next(iter(str(error).splitlines()), "")
        raise UsageError(f"{text[:80]!r} is no {name}: {first}") from None


def select_html(document: str, watch: Watch) -> tuple[str, tuple[str, ...]]:
    """The chosen parts as a document with the same head, and the selectors that found nothing."""
    tree = LexborHTMLParser(document)
    missing = [text for text in watch.without_css if not _remove(tree, text)]
    if not watch.css and not watch.xpath:
        return tree.html or "", tuple(missing)
    parts: list[str] = []
    for text in watch.css:
        found = [node.html or "" for node in _outermost(tree.css(text))]
        parts += found
        missing += [] if found else [text]
    if watch.xpath:
        whole = fromstring(tree.html or "<html/>", parser=HTMLParser(no_network=True))
        for text in watch.xpath:
            found = list(_by_xpath(whole, text))
            parts += found
            missing += [] if found else [text]
    title, base = tree.css_first("title"), tree.css_first("base[href]")
    head = "".join(node.html or "" for node in (title, base) if node is not None)
    body = "".join(f"<div>{part}</div>" for part in parts)
    return f"<html><head>{head}</head><body>{body}</body></html>", tuple(missing)


def select_json(document: Any, paths: Sequence[str]) -> tuple[list[Any], tuple[str, ...]]:
    """The chosen values, and the paths that found nothing."""
    values: list[Any] = []
    missing = []
    for text in paths:
        try:
            found = jsonpath.findall(text, document)
        except (JSONPathError, RecursionError):
            found = []
        values += found
        missing += [] if found else [text]
    return values, tuple(missing)


def json_lines(values: Sequence[Any]) -> tuple[str, ...]:
    """JSON values as lines, one a member; a comma more or less is no difference."""
    lines: list[str] = []
    for value in values:
        text = value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
        lines += (line.rstrip().removesuffix(",") for line in text.splitlines())
    return tuple(line for line in lines if line.strip())


def _remove(tree: LexborHTMLParser, selector: str) -> bool:
    found = list(_outermost(tree.css(selector)))
    for node in found:
        node.decompose()
    return bool(found)


def _outermost(nodes: Sequence[LexborNode]) -> Iterator[LexborNode]:
    """Nodes that are in no other of these, in the order of the document."""
    chosen = {node.mem_id for node in nodes[:_MOST_NODES]}
    for node in nodes[:_MOST_NODES]:
        above = node.parent
        while above is not None and above.mem_id not in chosen:
            above = above.parent
        if above is None:
            yield node


def _by_xpath(tree: Any, path: str) -> Iterator[str]:
    try:
        found = tree.xpath(path, smart_strings=False)
    except etree.XPathError:
        return
    for one in found[:_MOST_NODES] if isinstance(found, list) else [found]:
        if isinstance(one, etree._Element):
            yield etree.tostring(one, encoding="unicode", method="html", with_tail=False)
        elif isinstance(one, str | float):
            yield html.escape(one if isinstance(one, str) else f"{one:g}")
