"""How plainly a page says something: as all it says, among other words, or as the words of somebody else."""

import re
from collections.abc import Collection, Iterable, Sequence

from afresh.links.verdicts.scripts import UNSPACED, scripts_of

PLAIN = 2  # words besides the phrase up to which nothing else is said
_LETTERS = 6  # of such a script that count as a word
_HALF = 0.5  # part of a page's words in sentences with the phrase, from which on the page is about nothing else
_STEM = 4  # letters that forms of one word have in common
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_PIECES = 60  # of a page that are looked at
#: A page that quotes an error is none.
_QUOTED = re.compile(
    r"“[^“”]{1,160}”|«[^«»]{1,160}»|„[^„“”]{1,160}[“”]|「[^「」]{1,80}」|(?<!\w)\"[^\"<>=]{1,100}\"(?!\w)"
)
_MARKS = tuple('“«„「"')
#: Between a page's own name and its site's.
PARTS = re.compile(r"\s[-|–—·•»«/]+\s|\s?[|\n]\s?")
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s*")


def unquoted(text: str) -> str:
    """Without what stands in quotation marks: somebody else says it, or it is a name.

    >>> unquoted("lyrics of “error 404”, by j. okoro")
    'lyrics of  , by j. okoro'
    """
    return _QUOTED.sub(" ", text) if any(mark in text for mark in _MARKS) else text


def part_around(text: str, found: re.Match[str]) -> str:
    """The part of a title, or the heading, that a phrase was found in; as short as can be.

    >>> part_around("page not found | town of millbrook", re.search("page not found", "page not found"))
    'page not found'
    """
    first, last = found.span()
    while first < last and not text[last - 1].isalnum():  # a pattern may take what parts them
        last -= 1
    while first < last and not text[first].isalnum():
        first += 1
    start = max((part.end() for part in PARTS.finditer(text, 0, first + 1)), default=0)
    end = next((part.start() for part in PARTS.finditer(text, last)), len(text))
    return text[start:end]


def besides(part: str, found: re.Match[str]) -> int:
    """Words beside a phrase in the part that it was found in."""
    return _count(found.re.sub(" ", part))


def says(text: str, names: Collection[str]) -> bool:
    """Whether a text says one of these words, in whatever form; not where it repeats an address.

    >>> says("the old tents of 1904", {"tent"}), says("/tent was not found", {"tent"})
    (True, False)
    """
    if not names:
        return False
    told = " ".join(run for run in text.split() if "/" not in run) if "/" in text else text
    return any(_is_form_of(word, name) for word in _WORDS.findall(told) for name in names)


def _is_form_of(word: str, name: str) -> bool:
    if word == name:
        return True
    return min(len(word), len(name)) >= _STEM and abs(len(word) - len(name)) < 4 and word[:_STEM] == name[:_STEM]


def is_bare(pieces: Sequence[str], patterns: Iterable[re.Pattern[str]]) -> bool:
    """Whether a page of a few words has a sentence that says nothing else, or says little but such sentences."""
    tried, said, words = tuple(patterns), 0, 0
    for piece in pieces[:_PIECES]:
        for sentence in filter(None, _SENTENCES.split(piece.lower().replace("’", "'"))):
            count = _count(sentence)
            found = next((found for pattern in tried if (found := pattern.search(sentence))), None)
            if found is not None and _count(found.re.sub(" ", sentence)) <= PLAIN:
                return True
            said, words = said + count * (found is not None), words + count
    return said > _HALF * words


def _count(text: str) -> int:
    words = sum(any(map(str.isalnum, word)) for word in text.split())
    if scripts_of(text) & UNSPACED:
        return max(words, sum(map(str.isalnum, text)) // _LETTERS)
    return words
