"""Addresses of a style sheet: ``url(…)`` and ``@import "…"``, without those in comments."""

import re
from collections.abc import Iterator

from afresh.parse.document_links.model import Document, Lines, WrittenLink

# Each alternative consumes what it looks at, comments and other strings included: nothing is looked at twice.
_TOKEN = re.compile(
    r"""/\*.*?(?:\*/|\Z)
    |\burl\(\s*+(?:"(?P<double>[^"\\\n]*+)"|'(?P<single>[^'\\\n]*+)'|(?P<bare>[^\s"'()\\]++))\s*+\)
    |@import\s++(?:"(?P<import2>[^"\\\n]*+)"|'(?P<import1>[^'\\\n]*+)')
    |"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def css_links(text: str) -> Iterator[tuple[str, int, int]]:
    """Each address with its start and its end.

    >>> [url for url, *_ in css_links('@import "a.css"; b { background: url(c.png) } /* url(d) */')]
    ['a.css', 'c.png']
    """
    for match in _TOKEN.finditer(text):
        for group in ("double", "single", "bare", "import2", "import1"):
            if match[group] is not None and (url := match[group].strip()) and not url.startswith("data:"):
                yield url, *match.span(group)


def read_css(text: str) -> Document:
    """The links of a style sheet."""
    lines = Lines(text)
    links = []
    for url, start, end in css_links(text):
        line, column = lines.place(start)
        links.append(WrittenLink(target=url, line=line, column=column, start=start, end=end))
    return Document(links=tuple(links))
