"""Links of AsciiDoc, each with its place: macros and addresses outside of comments and listings."""

import re

from afresh.parse.document_links.model import Document, Lines, WrittenLink, blank, blanked, squeezed
from afresh.parse.document_links.plain import BARE, is_within_word, without_punctuation

#: lines that begin and end a block whose content is not read
_FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,}[^`\n]*)[ \t]*\Z")
_MACRO = re.compile(
    r"(?<![\w\\])(?P<kind>link|xref|image|video|audio|include)::?(?P<target>[^\s\[\]:][^\[\]\n]{0,2000}?)"
    r"\[(?P<text>[^\]\n]{0,500})\]"
)
_CROSS = re.compile(r"(?<!\\)<<(?P<target>[^<>,\n]{1,500})(?:,(?P<text>[^<>\n]{0,500}))?>>")
_LITERAL = re.compile(r"`\+[^`\n]{1,500}\+`|\+\+\+[^\n]{1,500}?\+\+\+|pass:[a-z,]{0,20}\[[^\]\n]{0,500}\]")
_NAMED = re.compile(r"\[\[(?P<double>[^\],\n]{1,200})|\[#(?P<short>[\w:.-]{1,200})|anchor:(?P<macro>[\w:.-]{1,200})\[")
_TITLE = re.compile(r"={1,6}[ ]+(?P<title>\S[^\n]*)\Z")
_IMAGES = re.compile(r":imagesdir:[ ]+(?P<folder>\S+)")
_NO_WORD = re.compile(r"[^\w ]+")


def read_asciidoc(text: str) -> Document:
    """The links of a document and the names of its sections.

    >>> [(link.target, link.text) for link in read_asciidoc("link:a.adoc[A], https://b.example[B], <<c,C>>.").links]
    [('a.adoc', 'A'), ('https://b.example', 'B'), ('#c', 'C')]
    """
    lines = Lines(text)
    shown, anchors = _without_blocks(text)
    images = _IMAGES.search(shown)
    folder = images["folder"].rstrip("/") + "/" if images else ""
    found: list[WrittenLink] = []

    def add(target: str, start: int, size: int, label: str | None) -> None:
        line, column = lines.place(start)
        words = squeezed((label or "",)).strip('"')
        found.append(WrittenLink(target=target, text=words, line=line, column=column, start=start, end=start + size))

    for match in _MACRO.finditer(shown):
        target = match["target"]
        if match["kind"] == "xref":
            target = _cross(target)
        elif match["kind"] != "link" and "://" not in target and match["kind"] != "include":
            target = folder + target
        add(target, match.start("target"), len(match["target"]), match["text"])
    for match in _CROSS.finditer(shown):
        add(_cross(match["target"]), match.start("target"), len(match["target"]), match["text"])
    rest = _MACRO.sub(blanked, shown)
    for match in BARE.finditer(rest):
        url, bracket, _ = match[0].partition("[")
        if not bracket:
            url = without_punctuation(url)
        before = match.start() - 1
        if url.partition("://")[2] and not is_within_word(rest, match.start()) and rest[before : before + 1] != "\\":
            after = match.start() + len(url)
            end = rest.find("]", after, after + 500) if bracket else -1
            add(url, match.start(), len(url), rest[after + 1 : end] if end > 0 else "")
    found.sort(key=lambda link: (link.line, link.column))
    return Document(links=tuple(found), anchors=frozenset(anchors))


def _without_blocks(text: str) -> tuple[str, set[str]]:
    """The text with listings, comments and literals blanked out, and the names in it."""
    shown: list[str] = []
    anchors: set[str] = set()
    counts: dict[str, int] = {}
    fence = ""
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        match = _FENCE.match(body)
        sign = match[1].rstrip() if match else ""
        is_hidden = bool(fence or sign) or (body.startswith("//") and not body.startswith("////"))
        if sign and not fence:
            fence = sign if not sign.startswith("`") else "```"
        elif sign and (sign == fence or (fence == "```" and sign.startswith("```"))):
            fence = ""
        shown.append(blank(line) if is_hidden else _LITERAL.sub(blanked, line))
        if is_hidden:
            continue
        if (title := _TITLE.match(body)) is not None:
            _name(title["title"], anchors, counts)
        anchors.update(found[group] for found in _NAMED.finditer(body) for group in found.groupdict() if found[group])
    return "".join(shown), anchors


def _name(title: str, anchors: set[str], counts: dict[str, int]) -> None:
    """What a section is called: by its title, or by the name made of it."""
    plain = "_" + "_".join(_NO_WORD.sub("", title.lower()).split())
    counts[plain] = counts.get(plain, 0) + 1
    anchors.update((title, plain if counts[plain] == 1 else f"{plain}_{counts[plain]}", plain[1:].replace("_", "-")))


def _cross(target: str) -> str:
    """A reference within the project: a name is one of the same document."""
    return target if "#" in target or target.endswith((".adoc", ".asciidoc")) else f"#{target}"
