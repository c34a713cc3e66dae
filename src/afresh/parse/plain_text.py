"""The text of an entry's HTML, without mark-up: what conditions on content look at."""

import html
import re

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from afresh.parse.nesting import is_hostile

MAX_TEXT = 200_000  # characters of mark-up that are looked at
_UNSEEN = ["script", "style", "noscript", "template", "svg", "head", "iframe", "object"]
_INLINE = ["a", "b", "i", "u", "em", "strong", "span", "code", "small", "sup", "sub", "abbr", "mark", "q", "time"]
_TAG = re.compile(r"<[^<>]{0,10000}>")
_SPACES = re.compile(r"\s+")


def plain_text(markup: str) -> str:
    """The text, blanks collapsed; what is no HTML comes back as it is.

    >>> plain_text("<p>one <b>t</b>wo</p><p>&amp; three</p><script>four</script>")
    'one two & three'
    """
    return _SPACES.sub(" ", _text(markup, " ")).strip()


def paragraphs(markup: str) -> list[str]:
    """The same, a piece a block: what a person can read.

    >>> paragraphs("<p>one <b>t</b>wo</p><ul><li>&amp; three</ul>")
    ['one two', '& three']
    """
    lines = (_SPACES.sub(" ", line).strip() for line in _text(markup, "\n").split("\n"))
    return [line for line in lines if line]


def without_tags(markup: str) -> str:
    """At least the text, in a tenth of the time: with what nobody sees of it, and without a blank between two blocks.

    >>> without_tags("<p>one <b>t</b>wo</p><p>&amp; three</p><script>four</script>")
    'one two& threefour'
    """
    return html.unescape(_TAG.sub("", markup[:MAX_TEXT]))


def _text(markup: str, separator: str) -> str:
    markup = markup[:MAX_TEXT]
    if "<" not in markup:
        return html.unescape(markup) if "&" in markup else markup
    if is_hostile(markup.encode("utf-8", "replace")):
        return html.unescape(_TAG.sub(separator, markup))
    return _tree_text(markup, separator)


def _tree_text(markup: str, separator: str) -> str:
    try:
        tree = LexborHTMLParser(markup.encode("utf-8", "replace").decode())
        tree.strip_tags(_UNSEEN)
        tree.unwrap_tags(_INLINE)
        if tree.body is None:
            return ""
        tree.body.merge_text_nodes()
        return tree.body.text(separator=separator)
    except SelectolaxError:  # the library refuses some broken documents
        return html.unescape(_TAG.sub(separator, markup))
