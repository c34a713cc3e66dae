"""When a model that was trained on ratings is adopted: it proves itself, and there were enough of them.

Clearly better on ratings it had not seen, no worse on what the shipped one remembers. From fewer than ten ratings of
each kind it is not put to use unless somebody says so.
"""

from collections.abc import Mapping

LEAST = 10  # ratings of each kind below which a model is not put to use unasked, and new measures cannot be learnt
_MARGIN = 0.05  # share of the ratings by which a model has to be better, and at least
_MORE_RIGHT = 2  # so many of them
_AS_GOOD = 0.02  # share of what the shipped model remembers, its hardest examples, that may tip over either way


def is_better(figures: Mapping[str, float]) -> bool:
    """Whether it beats the model in use, by the figures of its validation.

    >>> figures = {"ratings": 20.0, "accuracy_before": 0.7, "shipped_examples": 0.98, "shipped_examples_before": 0.99}
    >>> is_better({**figures, "held_out_accuracy": 0.8}), is_better({**figures, "held_out_accuracy": 0.75})
    (True, False)
    """
    gained = (figures["held_out_accuracy"] - figures["accuracy_before"]) * figures["ratings"]
    is_clear = round(gained, 6) >= max(_MORE_RIGHT, _MARGIN * figures["ratings"])
    return is_clear and figures["shipped_examples"] >= figures["shipped_examples_before"] - _AS_GOOD


def is_enough(same: int, different: int) -> bool:
    """Whether there were ratings enough of each kind."""
    return min(same, different) >= LEAST
