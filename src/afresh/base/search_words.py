"""What somebody looks for: words in any order, or phrases in double quotes; where a text has them, what to show of it.

A word may be part of a longer one (``train`` finds "trains", ``example.org/b`` an address), whatever its letters' size.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import normalize

MOST = 50  # words of a search; further ones are not looked for
_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
_CURLY = str.maketrans(dict.fromkeys("“”„‟", '"'))
_BETWEEN = " … "


def words_sought(text: str) -> tuple[str, ...]:
    """The words and phrases of a search, as ``folded`` makes texts; a quote that is never closed is none.

    >>> words_sought('Opened "the  Bridge" opened'), words_sought('5" pipe'), words_sought(' "" ')
    (('opened', 'the bridge'), ('5', 'pipe'), ())
    """
    found = (" ".join((phrase or word).split()) for phrase, word in _PIECE.findall(folded(text).translate(_CURLY)))
    return tuple(dict.fromkeys(filter(None, found)))[:MOST]


def folded(text: str) -> str:
    """A text as it is compared: small letters, and accents as one sign with their letter.

    >>> folded("BRÜCKE") == folded("bru\\u0308cke")
    True
    """
    return text.lower() if text.isascii() else normalize("NFC", text).lower()


def has_words(texts: Iterable[str], words: Sequence[str]) -> bool:
    """Whether each of the words is in one of the texts; texts are read only until it is known.

    >>> has_words(["The bridge", "by Ann"], ["ann", "bridge"]), has_words(["The bridge", "by Ann"], ["bridge by"])
    (True, False)
    """
    missing = list(words)
    for text in texts:
        if not missing:
            break
        small = folded(text)
        missing = [word for word in missing if word not in small]
    return not missing


def excerpt(text: str, words: Sequence[str], *, around: int = 60, most: int = 3) -> str:
    """The text around the first place of each word, at most so many places; empty: it has none of them.

    >>> excerpt("one two three four five six", ["four"], around=6)
    '… three four five …'
    """
    plain = normalize("NFC", text)
    firsts: dict[str, tuple[int, int]] = {}
    for found in _pattern(words).finditer(plain) if words else ():
        firsts.setdefault(folded(found[0]), found.span())
    spans: list[tuple[int, int]] = []
    for start, end in sorted(firsts.values())[:most]:
        low, high = _around(plain, start, end, around)
        if spans and low <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(high, spans[-1][1]))
        else:
            spans.append((low, high))
    if not spans:
        return ""
    told = _BETWEEN.join(plain[low:high].strip() for low, high in spans)
    return ("… " if spans[0][0] > 0 else "") + told + (" …" if spans[-1][1] < len(plain) else "")


def marks(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of the words.

    >>> list(marks("The Bridge opened", ["bridge"]))
    [('The ', False), ('Bridge', True), (' opened', False)]
    """
    end = 0
    for found in _pattern(words).finditer(text) if words else ():
        if found.start() > end:
            yield text[end : found.start()], False
        yield found[0], True
        end = found.end()
    if end < len(text):
        yield text[end:], False


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Any of the words, the longest that fits."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))), re.IGNORECASE)


def _around(text: str, start: int, end: int, around: int) -> tuple[int, int]:
    """The range with so many signs more on either side, but without the halves of words at its ends."""
    low, high = start - around, end + around
    low = (text.find(" ", low - 1, start) + 1 or low) if low > 0 else 0
    high = (text.rfind(" ", end, high + 1) + 1 or high + 1) - 1 if high < len(text) else len(text)
    return low, high
