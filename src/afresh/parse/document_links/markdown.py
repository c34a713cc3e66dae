"""Links of Markdown, each with its place: read by markdown-it (CommonMark, tables, footnotes, front matter).

The parser forgets where in a line something stood, so its rules for links are asked for it as they find them. Inside of
code, comments and front matter nothing is found; HTML in between is read as HTML.
"""

import re
from collections.abc import Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from afresh.base.errors import ParseError
from afresh.parse.document_links.html import read_fragment
from afresh.parse.document_links.model import Document, Lines, WrittenLink, squeezed
from afresh.parse.document_links.plain import BARE, without_punctuation
from afresh.parse.document_links.slugs import Slugs

_Rule = Callable[[StateInline, bool], bool]
_SCHEME = re.compile(r"(?<![A-Za-z0-9+.-])https?\Z", re.IGNORECASE)
#: ``{#name}`` behind a heading, as many renderers read it
_NAMED = re.compile(r"\{[^{}\n]{0,200}#(?P<name>[\w:.-]{1,200})[^{}\n]{0,200}\}")
#: The usual link, in which nothing is escaped, nested or marked: what the parser's rule would make of it is plain to
#: see. It makes no tokens of it, which are most of the time and memory that a long list of links takes.
_PLAIN = re.compile(r"\[(?P<text>[^\[\]\\`<>&*_~!\n]{1,300})\]\((?P<target>[^\s()<>\\&\x00-\x1f]{1,2000})\)")
_SEEN = ("text", "text_special", "code_inline")  # tokens whose content a reader sees
#: What must stand somewhere for a rule of blocks to find anything. The parser asks every rule at every line of a
#: paragraph whether it ends there: those that never will are left out, which is most of the time of a plain text.
_SIGNS = {
    rule: re.compile(pattern)
    for rule, pattern in {
        "table": r"\|",
        "html_block": "<",
        "blockquote": ">",
        "fence": "```|~~~",
        "footnote_def": r"\[\^",
        "heading": "#",
        "reference": r"\]:",
        "hr": r"(?:\*[ \t]*){3}|(?:-[ \t]*){3}|(?:_[ \t]*){3}",
        "list": r"[-+*](?:\s|\Z)|\d[.)]",
        "lheading": r"[=-][ \t]*(?:[\r\n]|\Z)",
    }.items()
}
# At each of these the parser asks every rule for what stands in a line; those of emphasis are looked at in pairs later.
_SIGNS_OF_INLINE, _EMPHASIS = b"\n!#$%&*+-:<=>@[]\\^_`{}~", b"*_~"
#: What begins a block makes tokens of its own, and so does every cell of a table: both count for more than one sign.
_BEGINNING = re.compile(rb"^[ \t>]*(?:[-+*#>]|\d{1,9}[.)])", re.MULTILINE)
_MOST_SIGNS = 1_000_000
_READING, _BLOCK = "afresh_reading", "afresh_block"  # what the rules tell, in the environment they share


def read_markdown(text: str) -> Document:
    """The links of a Markdown document and the anchors its headings make; ParseError if it is made of signs.

    >>> [(link.target, link.text, link.line, link.column) for link in read_markdown("# A\\n\\nsee [b](c.md#d)").links]
    [('c.md#d', 'b', 3, 9)]
    """
    signs = _count_signs(text.encode("utf-8", "replace"))
    if signs > _MOST_SIGNS:
        raise ParseError(f"{signs:,} signs of mark-up, more than the {_MOST_SIGNS:,} that are read; refused")
    reading = _Reading(text)
    environment: MutableMapping[str, Any] = {_READING: reading}
    absent = frozenset(rule for rule, sign in _SIGNS.items() if sign.search(text) is None)
    _make_parser(absent).parse(text, environment)
    reading.read_definitions(environment)
    reading.links.sort(key=lambda link: (link.line, link.column))
    return Document(links=tuple(reading.links), anchors=reading.slugs.anchors())


def _count_signs(raw: bytes) -> int:
    """What a document costs to be read, about."""
    inline = 3 * len(raw) - len(raw.translate(None, _SIGNS_OF_INLINE)) - 2 * len(raw.translate(None, _EMPHASIS))
    return inline + 2 * len(_BEGINNING.findall(raw)) + 2 * raw.count(b"|")


class _Reading:
    """One document on its way to links."""

    def __init__(self, text: str) -> None:
        self._text, self._lines = text, Lines(text)
        self._bounds = _Bounds(text)
        self._cell_line, self._cell_end = -1, 0  # of the block before: cells of a row share a line
        self.links: list[WrittenLink] = []
        self.slugs = Slugs()

    def read_html_block(self, content: str, line: int) -> None:
        """HTML over whole lines; in a list or a quotation its lines are shorter than those of the document."""
        start = self._bounds.start(line)
        exact = self._text.startswith(content, start)
        found = read_fragment(content, self._lines if exact else Lines(content), start if exact else 0)
        for link in found.links:
            if exact:
                self.links.append(link)
            else:
                self.links.append(WrittenLink(target=link.target, text=link.text, line=line + link.line))
        self.slugs.name(found.anchors)

    def begin(self, token: Token) -> "_Block":
        """The block whose rules are about to be asked."""
        first = token.map[0] if token.map is not None else 0
        behind = self._cell_end if first == self._cell_line else 0
        block = _Block(token.content, first, self._text, self._bounds, behind=behind)
        self._cell_line, self._cell_end = first, block.end()
        return block

    def end(self, block: "_Block", *, is_heading: bool) -> None:
        self.links += block.links
        self.slugs.name(block.anchors)
        if is_heading:
            title = "".join(token.content for token in block.tokens if token.type in _SEEN)
            self.slugs.add(_NAMED.sub("", title))

    def read_definitions(self, environment: MutableMapping[str, Any]) -> None:
        """``[label]: target`` links its label; where it is used, nothing is written that could be wrong."""
        named = [*environment.get("references", {}).items()]
        named += [(item["label"], item) for item in environment.get("duplicate_refs", ())]
        for label, item in named:
            target, line = item["href"], item["map"][0]
            start, end = self._bounds.start(line), self._bounds.start(item["map"][1])
            after = self._text.find("]:", start, end)
            at = self._text.find(target, after + 2, end) if after >= 0 and target else -1
            self.links.append(
                WrittenLink(
                    target=target,
                    text=squeezed((label.lower(),)),
                    line=line + 1,
                    column=0 if at < 0 else self._lines.place(at)[1],
                    start=at,
                    end=-1 if at < 0 else at + len(target),
                )
            )


class _Bounds:
    """Where lines begin as the parser counts them: a carriage return ends one, too."""

    _END = re.compile(r"\r\n|\n|\r")

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in self._END.finditer(text))]
        self._size = len(text)

    def start(self, line: int) -> int:
        return self._starts[line] if line < len(self._starts) else self._size


class _Block:
    """One paragraph, heading or cell: where its lines stand in the document, and what is found in it."""

    def __init__(self, content: str, first: int, text: str, bounds: _Bounds, *, behind: int) -> None:
        self._content, self._first, self._text, self._bounds = content, first, text, bounds
        self._behind = behind  # where the search for its first line begins: after the cell before
        self._lines = Lines(content)
        self._found: dict[int, int] = {}  # where a line of the block begins in the document; -1: it is not found
        self.last_bracket = content.rfind("]")
        self.tokens: list[Token] = []
        self.links: list[WrittenLink] = []
        self.anchors = {match["name"] for match in _NAMED.finditer(content)} if "{" in content else set()

    def add(self, target: str, text: str, start: int, end: int) -> None:
        """A link whose target stands there; only its line where the document has the block in another form."""
        row, column = self._lines.place(start)
        line = self._first + row - 1
        if (begin := self._begin(row)) < 0:
            self.links.append(WrittenLink(target=target, text=text, line=line + 1))
            return
        at = begin + column - 1
        column = at - self._bounds.start(line) + 1
        link = WrittenLink(target=target, text=text, line=line + 1, column=column, start=at, end=at + end - start)
        self.links.append(link)

    def add_tag(self, tag: str, start: int) -> None:
        found = read_fragment(tag, Lines(tag), 0)
        self.anchors |= found.anchors
        for link in found.links:
            self.add(link.target, link.text, start + link.start, start + link.end)

    def end(self) -> int:
        """Where its first line ends in the document; 0: unknown."""
        begin = self._begin(1)
        return 0 if begin < 0 else begin + len(self._row(1))

    def _row(self, row: int) -> str:
        starts = self._lines.starts
        return self._content[starts[row - 1] : starts[row] - 1 if row < len(starts) else None]

    def _begin(self, row: int) -> int:
        if row not in self._found:
            line = self._first + row - 1
            start, end = self._bounds.start(line), self._bounds.start(line + 1)
            self._found[row] = self._text.find(self._row(row), max(start, self._behind if row == 1 else 0), end)
        return self._found[row]


# --- the parser and what its rules tell -------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _make_parser(absent: frozenset[str]) -> MarkdownIt:
    """The parser without rules of blocks that find nothing."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin, inline=False)
    # Targets as they are written: to encode them is the business of whoever asks for them.
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]
    parser.validateLink = bool  # type: ignore[method-assign,assignment]
    parser.core.ruler.at("inline", _read_blocks)
    ruler = parser.inline.ruler
    for rule in ruler.__rules__:
        if rule.name in ("link", "image"):
            rule.fn = _telling_target(rule.fn, is_image=rule.name == "image")
        elif rule.name in ("autolink", "html_inline"):
            rule.fn = _telling_all(rule.fn, is_tag=rule.name == "html_inline")
        elif rule.name == "newline":
            rule.fn = _line_end
    ruler.push("bare", _bare)
    return parser.disable(list(absent))


def _read_blocks(state: StateCore) -> None:
    """Takes the place of the parser's own rule: block after block, of which only links and anchors are kept."""
    reading: _Reading = state.env[_READING]
    before = ""
    for token in state.tokens:
        if token.type == "html_block" and token.map is not None:
            reading.read_html_block(token.content, token.map[0])
        elif token.type == "inline":
            block = state.env[_BLOCK] = reading.begin(token)
            state.md.inline.parse(token.content, state.md, state.env, block.tokens)
            reading.end(block, is_heading=before == "heading_open")
        before = token.type


def _block_of(state: StateInline) -> _Block | None:
    """The block that is read; None: the rule looks at something within an image, which nobody can follow."""
    block: _Block = state.env[_BLOCK]
    return block if state.tokens is block.tokens else None


def _telling_target(rule: _Rule, *, is_image: bool) -> _Rule:
    """The rule for ``[text](target)`` or ``![text](target)``, telling what it found."""
    sign, kind, attribute = ("!", "image", "src") if is_image else ("[", "link_open", "href")

    def telling(state: StateInline, silent: bool) -> bool:
        start, first = state.pos, len(state.tokens)
        if state.src[start] != sign:
            return False
        block = _block_of(state)
        if block is not None and start > block.last_bracket:
            return False  # to see that no label ends takes the parser long, and there may be very many of them
        plain = _PLAIN.match(state.src, start + is_image, state.posMax)
        if plain is not None:
            state.pos = plain.end()
            if not silent and block is not None:
                state.pending += plain["text"]  # a heading is called after it, too
                block.add(plain["target"], squeezed((plain["text"],)), *plain.span("target"))
            return True
        if not rule(state, silent):
            return False
        if not silent and block is not None:
            made = state.tokens[first:]
            target = next(str(token.attrs[attribute]) for token in made if token.type == kind)
            if (place := _destination(state, start + is_image, target)) is not None:
                block.add(target, squeezed(_texts(made)), *place)
        return True

    return telling


def _texts(made: Iterable[Token]) -> Iterable[str]:
    """What a reader sees of a link; of an image what stands for it."""
    is_inside = False
    for token in made:
        if token.type == "link_open" or token.type == "image":
            is_inside = True
        if is_inside and token.content.strip("*_~"):  # signs of emphasis are no text
            yield token.content if token.type in (*_SEEN, "image") else ""
        elif token.type == "softbreak":
            yield " "


def _destination(state: StateInline, opening: int, target: str) -> tuple[int, int] | None:
    """Where the target of ``[text](target)`` stands; None: a definition has it."""
    src = state.src
    at = state.md.helpers.parseLinkLabel(state, opening, True) + 1
    if at <= 0 or src[at : at + 1] != "(":
        return None
    at += 1
    while src[at : at + 1] in ("\n", "\t", " "):
        at += 1
    found = state.md.helpers.parseLinkDestination(src, at, len(src))
    if not found.ok or found.str != target:
        return None
    return (at + 1, found.pos - 1) if src[at : at + 1] == "<" else (at, found.pos)


def _telling_all(rule: _Rule, *, is_tag: bool) -> _Rule:
    """The rule for ``<https://…>`` or a tag, telling what it found."""

    def telling(state: StateInline, silent: bool) -> bool:
        start, first = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent and (block := _block_of(state)) is not None:
            if is_tag:
                block.add_tag(state.src[start : state.pos], start)
            else:
                target = next(str(token.attrs["href"]) for token in state.tokens[first:] if token.type == "link_open")
                block.add(target, target, start + 1, state.pos - 1)
        return True

    return telling


def _line_end(state: StateInline, silent: bool) -> bool:
    """The end of a line is a blank like any other, and not a token of its own."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        if state.pending:
            state.pushPending()  # what is pending is copied whenever it grows
        state.pending = "\n"
    state.pos += 1
    return True


def _bare(state: StateInline, silent: bool) -> bool:
    """An address in running text, which most renderers make a link of (GFM, extended autolinks)."""
    at = state.pos
    if state.linkLevel > 0 or not state.src.startswith("://", at):
        return False
    scheme = _SCHEME.search(state.src, max(0, at - 6), at)
    match = BARE.match(state.src, scheme.start()) if scheme is not None else None
    if scheme is None or match is None or state.pending[-len(scheme[0]) :] != scheme[0]:
        return False
    url = without_punctuation(match[0])
    start = scheme.start()
    if len(url) <= at + 3 - start:
        return False
    if not silent and (block := _block_of(state)) is not None:
        state.pending += url[at - start :]
        block.add(url, url, start, start + len(url))
    state.pos = start + len(url)
    return True
