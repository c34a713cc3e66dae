"""Which characters a document's bytes stand for, whatever its labels claim.

Labels lie: servers add ``charset=ISO-8859-1`` to everything, generators write ``encoding="utf-8"`` above Latin-1
text. UTF-8 is hard to hit by accident, so bytes that are valid UTF-8 are read as UTF-8 unless every label names a
multi-byte encoding of another family; then the labels are tried, and Windows-1252 reads whatever is left.
"""

import codecs
import re

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:+-]{1,40})[\"']", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml(?:\s[^>]{0,400})?\?>", re.IGNORECASE)

_HALVES = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf]")

# UTF-32 first: its little-endian mark starts like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Single-byte labels that are most often a server's default, not a statement about this document.
_DEFAULT_LABELS = frozenset({"iso8859-1", "cp1252", "ascii"})
# What a label means on the web (WHATWG): pages of these names have characters that only their larger sisters know.
_LARGER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
# Python codecs that are not character sets of the web, or that can hide markup from a scan for "<".
_REFUSED = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})


def charset_of(content_type: str) -> str:
    """The charset parameter of a Content-Type value, empty if there is none."""
    match = _CHARSET.search(content_type)
    return match[1] if match else ""


def declared_encoding(body: bytes) -> str:
    """The encoding named by an XML declaration within the first kilobyte, empty if there is none."""
    match = _DECLARED.search(body, 0, 1024)
    return match[1].decode("ascii", "replace") if match else ""


def decode(body: bytes, content_type: str = "", *, html: bool = False) -> str:
    """The document as text; never fails.

    >>> decode(b'<?xml version="1.0" encoding="utf-8"?><a>caf\\xe9</a>')[-8:]
    'café</a>'
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    if wide := _wide(body):
        return body.decode(wide, "replace")
    labels = [charset_of(content_type), declared_encoding(body)]
    if html and (meta := _META.search(body, 0, 4096)):
        labels.append(meta[1].decode("ascii", "replace"))
    names = [name for label in labels if (name := _codec(label))]
    if not names or any(name == "utf-8" or name in _DEFAULT_LABELS for name in names):
        names.insert(0, "utf-8")
    else:
        names.append("utf-8")
    for name in names:
        try:
            text = body.decode("cp1252" if name in ("iso8859-1", "ascii") else name)
        except (UnicodeError, ValueError):
            continue
        if "<" in text or b"<" not in body:  # else a label of another world, EBCDIC say, above bytes of ours
            return text
    if names[0] == "utf-8" and _HALVES.search(body) and (text := _joined(body)):
        return text
    for name in names:
        if _mostly(body, name):
            return body.decode(name, "replace")
    return body.decode("cp1252", "replace")


def without_declaration(text: str) -> str:
    """The text without mark and XML declaration, whose encoding no longer holds once bytes are decoded."""
    return _DECLARATION.sub("", text.lstrip("\ufeff \t\r\n"), count=1)


def _wide(body: bytes) -> str:
    """UTF-16 or UTF-32 without a mark, told by where the zeros of the first "<" or "{" stand."""
    head = body[:4]
    if len(head) == 4 and head.count(0) >= 2:
        if head[:3] == b"\0\0\0" and head[3:] in b"<{":
            return "utf-32-be"
        if head[1:] == b"\0\0\0" and head[:1] in b"<{":
            return "utf-32-le"
        if head[0] == 0 and head[2] == 0:
            return "utf-16-be"
        if head[1] == 0 and head[3] == 0:
            return "utf-16-le"
    return ""


def _codec(label: str) -> str:
    """Python's name of a character set, empty if unknown, refused, or impossible for these bytes."""
    if not label:
        return ""
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return ""
    # A UTF-16 label without its zeros is wrong: the bytes were looked at before.
    if info.name in _REFUSED or info.name.startswith(("utf-16", "utf-32")) or not _is_text_codec(info):
        return ""
    return _LARGER.get(info.name, info.name)


def _is_text_codec(info: codecs.CodecInfo) -> bool:
    return bool(getattr(info, "_is_text_encoding", True))


def _joined(body: bytes) -> str:
    """UTF-8 in which emoji are two halves of three bytes each, as some databases keep them (CESU-8); empty: it is not.

    >>> _joined(b"<a>\\xed\\xa0\\xbd\\xed\\xb8\\x80</a>")
    '<a>😀</a>'
    """
    try:
        halves = body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return ""
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _mostly(body: bytes, name: str) -> bool:
    """Whether a few stray bytes, not another encoding, keep this from being what its label says."""
    text = body.decode(name, "replace")
    if "<" not in text and b"<" in body:
        return False
    strange = text.count("\ufffd")
    foreign = sum(1 for c in text[:100_000] if c > "\x7f") - strange
    # Two bytes that by accident are a character of UTF-8 are rarer than a stray byte; of others that is not so.
    return foreign >= strange if name == "utf-8" else foreign > 4 * strange
