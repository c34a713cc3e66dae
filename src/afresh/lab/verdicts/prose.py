"""Made-up words and sentences: each site has its own vocabulary, all share the little words."""

import random

_LITTLE = (
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be", "by", "on", "not",
    "this", "are", "or", "from", "at", "which", "an", "have", "has", "we", "you",
)  # fmt: skip
_START = ("b", "br", "c", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
_MIDDLE = ("a", "e", "i", "o", "u", "ai", "ea", "io", "ou")
_END = ("", "n", "r", "s", "t", "l", "m", "nd", "st", "x")


def vocabulary(rng: random.Random, size: int) -> tuple[str, ...]:
    """Distinct words, the earlier the more common."""
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = rng.randint(1, 3)
        word = "".join(rng.choice(_START) + rng.choice(_MIDDLE) for _ in range(syllables)) + rng.choice(_END)
        if len(word) > 2:
            words[word] = None
    return tuple(words)


#: What all sites share: the language. Half of the words of a text that are not little ones come from it.
COMMON = vocabulary(random.Random("common"), 400)


def sentence(rng: random.Random, words: tuple[str, ...]) -> str:
    """Little words, words of the language and words of the site, early ones more often."""
    said = []
    for _ in range(rng.randint(7, 16)):
        draw = rng.random()
        if draw < 0.45:
            said.append(rng.choice(_LITTLE))
        elif draw < 0.75:
            said.append(COMMON[int(len(COMMON) * rng.random() ** 2)])
        else:
            said.append(words[int(len(words) * rng.random() ** 2)])
    return " ".join(said).capitalize() + "."


def paragraph(rng: random.Random, words: tuple[str, ...]) -> str:
    return " ".join(sentence(rng, words) for _ in range(rng.randint(2, 5)))


def phrase(rng: random.Random, words: tuple[str, ...]) -> str:
    """A heading or the text of a link."""
    return " ".join(rng.choice(words) for _ in range(rng.randint(1, 4))).capitalize()
