"""How common words are, counted over sites: the table behind the tf-idf measure."""

import json
from collections import Counter
from collections.abc import Sequence

from afresh.lab.verdicts.versions import Version
from afresh.links.measures.background import FLOOR
from afresh.links.measures.profile import Profile


def background_table(versions: Sequence[Version], pages: Sequence[Profile]) -> str:
    """JSON with the share of sites on which each word occurs, for words on at least one site in twenty."""
    words_of: dict[str, set[str]] = {}
    for version, page in zip(versions, pages, strict=True):
        words_of.setdefault(version.group, set()).update(page.main_words)
    sites = Counter(word for words in words_of.values() for word in words)
    common = {
        word: round(n / len(words_of), 3)
        for word, n in sorted(sites.items())
        if _is_word(word) and n >= FLOOR * len(words_of)
    }
    content = {"about": f"share of {len(words_of)} sites that use a word", "shares": common}
    return json.dumps(content, ensure_ascii=False, indent=0) + "\n"


def _is_word(word: str) -> bool:
    """Numbers and signs are left to count as rare: "3.5" and "3.6" are what tells two pages apart."""
    return word.isalpha()
