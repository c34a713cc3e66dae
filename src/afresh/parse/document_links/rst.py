"""Links of reStructuredText, each with its place.

docutils knows what a link is but not where one stands, and reads what other tools' directives hold as an error. So its
rules are applied to the text itself: what is literal or a comment is blanked out, and in what is left its inline forms
are looked for. That docutils finds the same links is a test.
"""

import re

from afresh.parse.document_links.model import Document, Lines, WrittenLink, blanked, squeezed
from afresh.parse.document_links.plain import BARE, is_within_word, without_punctuation

_DIRECTIVE = re.compile(
    r"(?:\|[^|\n]{1,200}\|[ ]+)?(?P<name>[A-Za-z][\w.:+-]{0,60}?)::(?:[ ]+(?P<argument>\S[^\n]*))?\Z"
)
_TARGET = re.compile(r"_(?P<name>`[^`\n]{1,300}`|(?:[^:\n\\]|\\.){0,300}+)[ ]*:(?:[ ]+(?P<target>\S[^\n]*))?\Z")
_NOTE = re.compile(r"\[[^\]\n]{1,100}\](?:\s|\Z)")
_OPTION = re.compile(r"[ ]*:target:[ ]+(?P<target>\S+)[ ]*\Z")
_EMBEDDED = re.compile(r"(?<![:\w`])`(?P<text>[^`<>]{0,500})<(?P<target>[^`<>]{1,2000})>`__?(?!\w)")
_LITERAL = re.compile(r"(?<![\w`])``(?=\S)[^`]{1,2000}(?:`(?!`)[^`]{1,2000}){0,50}``")
_ROLE = re.compile(r"(?<!\w):[A-Za-z][\w.+:-]{0,60}:`[^`]{0,2000}`")
#: Roles of Sphinx that name a file; what its other ones name is known to a whole project only.
_FILE_ROLE = re.compile(r"(?<!\w):(?P<role>doc|download):`(?:[^`<>]{0,500}<)?(?P<target>[^`<>]{1,1000})>?`")
_TREE_ENTRY = re.compile(
    r"[ \t]+(?:[^<>:\n][^<>\n]{0,300}[ ]<)?(?P<target>[^\s<>:*?\[\]][^<>*?\[\]\n]{0,500}?)>?[ \t]*\Z"
)
_DOCUMENTS = ("rst", "md", "txt", "ipynb")  # endings of documents that Sphinx reads, as usual
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ ]*\Z")
_ID = re.compile(r"[^a-z0-9]+")
#: directives whose content is not text
_CODE = frozenset((
    "code", "code-block", "sourcecode", "parsed-literal", "literalinclude", "math", "raw", "highlight", "graphviz",
    "digraph", "graph", "mermaid", "plantuml", "doctest", "testcode", "testsetup", "testoutput", "ipython", "prompt",
    "console", "productionlist", "include", "csv-table",
))  # fmt: skip
_PICTURES = frozenset(("image", "figure", "thumbnail"))


def read_rst(text: str) -> Document:
    """The links of a document and the names of its sections and targets.

    >>> [(link.target, link.text, link.line) for link in read_rst("x\\n\\n`a <b.rst>`_ and ``http://no``").links]
    [('b.rst', 'a', 3)]
    """
    reading = _Reading(text)
    reading.read_blocks()
    reading.read_inline()
    links = sorted(reading.links, key=lambda link: (link.line, link.column))
    return Document(links=tuple(links), anchors=frozenset(reading.anchors))


class _Reading:
    """One document: its text with everything blanked out that is read already, or is no text."""

    def __init__(self, text: str) -> None:
        self._text, self._lines = text, Lines(text)
        self._shown: list[str] = []
        self.links: list[WrittenLink] = []
        self.anchors: set[str] = set()

    def read_blocks(self) -> None:
        """Line by line: explicit mark-up, literal blocks, titles."""
        starts = self._lines.starts
        hidden = -1  # indentation that a literal block or a comment has more than; -1: nothing is hidden
        self._is_tree = False  # whether what is hidden names the documents of a table of contents
        before = ""
        for number, start in enumerate(starts):
            end = starts[number + 1] if number + 1 < len(starts) else len(self._text)
            line = self._text[start:end].rstrip("\r\n")
            body = line.strip(" \t")
            indent = len(line) - len(line.lstrip(" \t"))
            if hidden >= 0 and (not body or indent > hidden):
                if self._is_tree and (entry := _TREE_ENTRY.match(line)) and entry["target"] != "self":
                    self._add_document(entry["target"], start + entry.start("target"))
                self._hide(end - start)
                continue
            hidden = -1
            if body.startswith((".. ", "__ ")) or body == "..":
                is_hiding = self._explicit(body, start + indent)
                hidden = indent if is_hiding else -1
                self._hide(end - start)
            elif body.startswith(">>>"):
                self._hide(end - start)
            else:
                if body.endswith("::"):
                    hidden = indent
                self._option(line, start)
                if before and len(body) >= 3 and _UNDERLINE.match(body):
                    self.anchors.add(_id(before))
                self._shown.append(self._text[start:end])
            before = body
        self._text_left = "".join(self._shown)

    def _hide(self, size: int) -> None:
        self._shown.append(" " * (size - 1) + "\n")

    def _explicit(self, body: str, start: int) -> bool:
        """What begins with two dots; whether what it holds is not to be read."""
        self._is_tree = False
        rest = body[2:].lstrip()
        at = start + len(body) - len(rest)
        if body.startswith("__"):
            self._add(rest, at)
            return False
        if (target := _TARGET.match(rest)) is not None:
            name = target["name"].strip("`").replace("\\", "")
            if target["target"] is None:
                self.anchors.add(_id(name))
            elif not target["target"].endswith("_"):
                self._add(target["target"].rstrip(), at + target.start("target"), text=name.strip("_"))
            return False
        if (directive := _DIRECTIVE.match(rest)) is not None:
            name, argument = directive["name"].lower(), directive["argument"]
            if name in _PICTURES and argument:
                self._add(argument.rstrip(), at + directive.start("argument"))
            self._is_tree = name == "toctree"
            return self._is_tree or name in _CODE
        if note := _NOTE.match(rest):  # its text follows on the same line
            self._scan(rest[note.end() :], at + note.end())
            return False
        return True

    def _option(self, line: str, start: int) -> None:
        match = _OPTION.match(line)
        if match is not None and not match["target"].endswith("_") and "://" not in match["target"]:
            self._add(match["target"], start + match.start("target"))  # complete addresses are found as such

    def read_inline(self) -> None:
        self._scan(self._text_left, 0)

    def _scan(self, text: str, offset: int) -> None:
        """Inline forms of a text that begins there."""
        text = _LITERAL.sub(blanked, text)
        for match in _FILE_ROLE.finditer(text):
            add = self._add_document if match["role"] == "doc" else self._add
            add(match["target"].strip(), offset + match.start("target"))
        text = _ROLE.sub(blanked, text)
        for match in _EMBEDDED.finditer(text):
            target = "".join(match["target"].split())
            if not target.endswith("_"):
                self._add(target, offset + match.start("target"), size=len(match["target"]), text=match["text"])
        text = _EMBEDDED.sub(blanked, text)
        for match in BARE.finditer(text):
            url = without_punctuation(match[0])
            if url.partition("://")[2] and not is_within_word(text, match.start()):
                self._add(url, offset + match.start())

    def _add_document(self, target: str, start: int) -> None:
        """Another document, named without its ending; from the root of the project if it begins with /."""
        if "://" in target:
            self._add(target, start)
        elif not target.startswith("/"):  # where the root is stands in the project's settings
            line, column = self._lines.place(start)
            self.links.append(WrittenLink(target=target, line=line, column=column, endings=_DOCUMENTS))

    def _add(self, target: str, start: int, *, size: int = -1, text: str = "") -> None:
        line, column = self._lines.place(start)
        end = start + (len(target) if size < 0 else size)
        self.links.append(
            WrittenLink(target=target, text=squeezed((text,)), line=line, column=column, start=start, end=end)
        )


def _id(name: str) -> str:
    """As docutils makes it of a name.

    >>> _id("What's new?")
    'what-s-new'
    """
    return _ID.sub("-", name.lower()).strip("-")
