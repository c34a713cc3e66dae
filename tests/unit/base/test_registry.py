"""Catalogues by name: loaded when asked for, parameters behind a colon, mistakes named."""

import subprocess
import sys
from fractions import Fraction

import pytest

from afresh.base.errors import ModelError, UsageError
from afresh.base.registry import Registry, read_spec

NUMBERS: Registry[type] = Registry("number", {"fraction": "fractions:Fraction", "real": "decimal:Decimal"})


def test_names_are_found_and_made() -> None:
    assert NUMBERS.names() == tuple(NUMBERS) == ("fraction", "real")
    assert NUMBERS.find("fraction") is Fraction
    assert NUMBERS.make("fraction:numerator=0.5") == Fraction(1, 2)
    assert "real" in NUMBERS
    assert "unreal" not in NUMBERS


def test_a_thing_may_stand_for_itself() -> None:
    halves: Registry[Fraction] = Registry("half", {"half": Fraction(1, 2)})
    assert halves.find("half") == Fraction(1, 2)


def test_modules_stand_below_a_package() -> None:
    words: Registry[object] = Registry("word", {"file": "abc:MutableMapping"}, package="collections")
    assert words.find("file").__name__ == "MutableMapping"  # type: ignore[attr-defined]


def test_many_names_are_left_to_the_command_that_lists_them() -> None:
    many: Registry[object] = Registry("number", {"one": 1, "two": 2}, listing="afresh numbers")
    with pytest.raises(ModelError, match=r"^unknown number 'onee'; did you mean one\? `afresh numbers` names all$"):
        many.find("onee")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fractoin", "unknown number 'fractoin'; did you mean fraction\\? there are fraction, real"),
        ("zero", "unknown number 'zero'; there are fraction, real"),
        ("fraction:numerator", "fraction: 'numerator' is not a parameter; write it like fraction:key=value"),
        ("fraction:top=1", "'fraction:top=1': .*unexpected keyword argument 'top'"),
    ],
)
def test_a_mistake_is_named(spec: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        NUMBERS.make(spec)


def test_an_unknown_name_is_a_mistake_of_whoever_asks() -> None:
    with pytest.raises(UsageError):
        NUMBERS.find("zero")


def test_spaces_and_empty_parts_do_not_count() -> None:
    assert read_spec(" fix : interval = 1h ,, ") == ("fix", {"interval": "1h"})


def test_other_packages_are_looked_for_only_when_a_name_is_not_ours() -> None:
    code = (
        "import sys; from afresh.feeds.rules import RULES, load; load('fix:interval=1h'); "
        "print('importlib.metadata' in sys.modules); RULES.names(); print('importlib.metadata' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "True"]
