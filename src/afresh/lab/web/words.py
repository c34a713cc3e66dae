"""Sentences for the demo web: made up from a small vocabulary that needs escaping and more than ASCII."""

import random

_WHO = (
    "The café on the quay", "A ferry", "Müller & Söhne", "The night shift", "A heron", "The harbour master",
    "Our oldest reader", "The <em>other</em> choir", "A travelling cinema", "The lighthouse", "Somebody's uncle",
    "The señora from no. 7", "A committee of three", "The last tram", "An unsigned letter",
)  # fmt: skip
_DID = (
    "has found", "is looking for", "repaired", "will not sell", "measured", "photographed", "lost", "has painted",
    "argues about", "opened", "remembers", "exchanged", "counted twice", "borrowed", "is proud of",
)  # fmt: skip
_WHAT = (
    "a blue bicycle", "the weather of 1912", "four litres of paint", "the tide table", "an early violin",
    "the garden behind the mill", "a map with no north", "the price of bread", "two hundred lanterns",
    "the rules of the game", "a bridge of paper", "the smallest museum", "fresh snow", "a piece of the old wall",
    "the señal at km 5",
)  # fmt: skip
_WHEN = (
    "this morning", "in spite of the rain", "for the third time", "at noon", "as promised", "without a word",
    "before the fair", "to general surprise", "after a long pause", "as every year",
)  # fmt: skip


def sentence(rng: random.Random) -> str:
    """One sentence without its full stop."""
    return f"{rng.choice(_WHO)} {rng.choice(_DID)} {rng.choice(_WHAT)} {rng.choice(_WHEN)}"


def paragraph(rng: random.Random, sentences: int = 3) -> str:
    """A few sentences."""
    return " ".join(f"{sentence(rng)}." for _ in range(sentences))
