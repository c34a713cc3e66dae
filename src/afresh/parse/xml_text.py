"""Text on its way into XML: escaped, and without what XML cannot hold."""

import re

# XML 1.0 §2.2: most control characters, lone surrogates and two code points may not appear, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Character data of an element.

    >>> xml_text("a < b & c ]]> \\x00d")
    'a &lt; b &amp; c ]]&gt; d'
    """
    return _allowed(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def xml_attribute(text: str) -> str:
    """An attribute's value with its quotes."""
    escaped = xml_text(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f'"{escaped}"'


def element(tag: str, text: str, **attributes: str) -> str:
    """A small element on one line.

    >>> element("title", "T & T", type="text")
    '<title type="text">T &amp; T</title>'
    """
    written = "".join(f" {name}={xml_attribute(value)}" for name, value in attributes.items())
    return f"<{tag}{written}>{xml_text(text)}</{tag}>" if text else f"<{tag}{written}/>"


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("", text)
