"""Addresses in running text: every one of a line, without the punctuation around it."""

import re

from afresh.parse.document_links.model import Document, Lines, WrittenLink

_LONGEST = 4_000
#: With what a template fills in, so that nobody takes the part before it for the address.
_FILLED_IN = r"\{\{[^{}\n]{1,100}\}\}|\{[A-Za-z_][\w.-]{0,100}\}"
_PLAIN = r"[^\s<>\"`{}|\\^\x00-\x20]"
BARE = re.compile(
    rf"https?://(?:{_PLAIN}{{1,{_LONGEST}}}|(?={_FILLED_IN}))(?:(?:{_FILLED_IN}){_PLAIN}{{0,{_LONGEST}}})*",
    re.IGNORECASE,
)
_STARTS_WITHIN = re.compile(r"[A-Za-z0-9+.-]")
_TRAILING = "?!.,:;*_~'’”»…"
#: Behind an address in brackets, as Org and some wikis write links: what is shown.
_SHOWN = re.compile(r"\]\[([^\[\]\n]{1,1000})\]\]")
_CLOSING = {")": "(", "]": "["}


def read_plain(text: str) -> Document:
    """The addresses of a text.

    >>> [link.target for link in read_plain("See (https://a.example/x_(y)), http://b.example/z.").links]
    ['https://a.example/x_(y)', 'http://b.example/z']
    >>> [link.target for link in read_plain("{https://a.example/{{ version }}/b}").links]
    ['https://a.example/{{ version }}/b']
    >>> [(link.target, link.text) for link in read_plain("[[https://a.example/][A]]").links]
    [('https://a.example/', 'A')]
    """
    lines = Lines(text)
    links = []
    for match in BARE.finditer(text):
        if is_within_word(text, match.start()):
            continue
        start = match.start()
        is_bracketed = text[max(0, start - 2) : start] == "[["
        target = match[0].partition("]")[0] if is_bracketed else without_punctuation(match[0])
        if not target.partition("://")[2]:
            continue
        end = start + len(target)
        shown = _SHOWN.match(text, end) if is_bracketed else None
        line, column = lines.place(start)
        said = shown[1] if shown else ""
        links.append(WrittenLink(target=target, text=said, line=line, column=column, start=start, end=end))
    return Document(links=tuple(links))


def is_within_word(text: str, at: int) -> bool:
    """Whether what begins there is the end of something longer, as in ``shttp://``."""
    return at > 0 and _STARTS_WITHIN.match(text, at - 1) is not None


def without_punctuation(url: str) -> str:
    """An address as it stands in a sentence, without what belongs to the sentence (GFM, extended autolinks).

    >>> without_punctuation("https://a.example/b)."), without_punctuation("https://a.example/b_(c)")
    ('https://a.example/b', 'https://a.example/b_(c)')
    """
    counts = {sign: url.count(sign) for sign in "()[]"}
    end = len(url)
    while end:
        last = url[end - 1]
        if (opening := _CLOSING.get(last)) is not None:
            if counts[last] <= counts[opening]:
                break
            counts[last] -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return url[:end]
