"""Words and token distances."""

import random

import pytest

from afresh.links.measures.tokens import PIECE, Tokens, bounded_distance, sequence_similarity, token_distance, words_of


def test_example_of_the_thesis() -> None:
    assert token_distance("CHECKER", "TRACK") == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ("hello", "world")),
        ("Release 3.5 is out. Now", ("release", "3.5", "is", "out", "now")),
        ("the end.", ("the", "end")),
        ("日本語", ("日", "本", "語")),  # no spaces: every character counts
        ("", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def changed(words: list[str], rng: random.Random, count: int) -> list[str]:
    words = list(words)
    for _ in range(count):
        at = rng.randrange(len(words))
        rng.choice([lambda at=at: words.pop(at), lambda at=at: words.insert(at, f"new{rng.random()}")])()
    return words


def test_long_sequences_are_bounded_from_above_and_near() -> None:
    rng = random.Random(1)
    a = [f"w{rng.randrange(2000)}" for _ in range(4 * PIECE)]
    b = changed(a, rng, 300)
    exact = token_distance(a, b)
    bound = bounded_distance(Tokens(tuple(a)), Tokens(tuple(b)))
    assert exact <= bound <= 1.1 * exact


def test_a_long_insertion_does_not_push_everything_out_of_place() -> None:
    rng = random.Random(2)
    a = [f"w{rng.randrange(3000)}" for _ in range(3 * PIECE)]
    new = [f"n{i}" for i in range(2 * PIECE)]
    b = ["first", *a[:PIECE], *new, *a[PIECE:], "last"]
    assert sequence_similarity(Tokens(tuple(a)), Tokens(tuple(b))) == pytest.approx(len(a) / len(b), abs=0.05)


def test_empty_sequences() -> None:
    assert sequence_similarity(Tokens(()), Tokens(())) == 1.0
    assert sequence_similarity(Tokens(("a",)), Tokens(())) == 0.0
