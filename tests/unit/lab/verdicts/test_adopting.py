"""A model is adopted if it proves itself, and from ratings enough."""

from afresh.lab.verdicts.adopting import is_better, is_enough


def test_a_model_that_forgets_what_was_known_is_not_put_to_use() -> None:
    forgetful = {
        "ratings": 42.0, "accuracy_before": 0.3, "held_out_accuracy": 0.9,
        "shipped_examples": 0.60, "shipped_examples_before": 0.73,
    }  # fmt: skip
    assert not is_better(forgetful)
    assert is_better({**forgetful, "shipped_examples": 0.72})
    assert not is_better({**forgetful, "shipped_examples": 0.72, "held_out_accuracy": 0.32})


def test_few_ratings_of_a_kind_are_not_enough() -> None:
    assert is_enough(10, 30)
    assert not is_enough(9, 30)
    assert not is_enough(30, 9)
