"""Words of a text as conditions compare them: folded, so that case and form do not matter."""

import re
import unicodedata

#: Letters and digits; scripts written without spaces give a word a character, so that a phrase is a substring there.
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_SPACES = re.compile(r"\s+")


def folded(text: str) -> str:
    """One spelling for texts that differ in case, compatible characters or blanks.

    >>> folded(" Straße   ＡＢＣ ")
    'strasse abc'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _SPACES.sub(" ", text.casefold()).strip()


def words_of(text: str) -> tuple[str, ...]:
    """The words in order.

    >>> words_of("Solar-power, now! 東京")
    ('solar', 'power', 'now', '東', '京')
    """
    if text.isascii():
        return tuple(_ASCII_WORD.findall(text.lower()))
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
