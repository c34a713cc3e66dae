"""In which script a text is written: what languages without our spaces and endings are told by."""

import re
from collections.abc import Mapping

#: Ranges of characters; a text may be in several scripts.
SCRIPTS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "cyrillic": ((0x400, 0x52F),),
    "armenian": ((0x530, 0x58F),),
    "hebrew": ((0x590, 0x5FF),),
    "arabic": ((0x600, 0x6FF), (0x750, 0x77F)),
    "indic": ((0x900, 0xDFF),),
    "thai": ((0xE00, 0xE7F),),
    "lao": ((0xE80, 0xEFF),),
    "burmese": ((0x1000, 0x109F),),
    "ethiopic": ((0x1200, 0x139F),),
    "khmer": ((0x1780, 0x17FF),),
    "georgian": ((0x10A0, 0x10FF),),
    "kana": ((0x3040, 0x30FF),),
    "han": ((0x3400, 0x9FFF),),
    "hangul": ((0xAC00, 0xD7AF), (0x1100, 0x11FF)),
}
_FIRST = 0x370  # below are Latin letters and their accents
UNSPACED = frozenset(("han", "kana", "thai", "lao", "burmese", "khmer"))  # scripts whose words no space parts
_UNSPACED = re.compile(
    "[" + "".join(f"{chr(low)}-{chr(high)}" for name in sorted(UNSPACED) for low, high in SCRIPTS[name]) + "]"
)


def scripts_of(text: str) -> frozenset[str]:
    """The scripts besides Latin that occur.

    >>> sorted(scripts_of("404: страница не найдена"))
    ['cyrillic']
    """
    if text.isascii():
        return frozenset()
    codes = [code for char in set(text) if (code := ord(char)) >= _FIRST]
    return frozenset(
        name for name, ranges in SCRIPTS.items() if any(low <= code <= high for code in codes for low, high in ranges)
    )


def unspaced(text: str) -> int:
    """Letters of scripts whose words no space parts: the name of a language in a menu is no page in it.

    >>> unspaced("Page not found. English 中文")
    2
    """
    return 0 if text.isascii() else len(_UNSPACED.findall(text))


def main_script(text: str) -> str:
    """The script most letters are written in; Japanese counts as kana, whatever its share of Han."""
    letters = [ord(char) for char in text if char.isalpha()]
    counts = {
        name: sum(low <= code <= high for code in letters for low, high in ranges) for name, ranges in SCRIPTS.items()
    }
    if counts["kana"]:
        counts["kana"] += counts.pop("han")
    name = max(counts, key=lambda name: counts[name])
    return name if 2 * counts[name] > len(letters) else "latin"
