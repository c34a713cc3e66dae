"""Functions that are compiled when they are first used."""

import copy
import errno
import math
import pickle
import subprocess
import sys

import numba
import pytest

from afresh.base import compiled as compiled_module
from afresh.base.compiled import Compiled, compiled, plain, prepare
from afresh.base.signatures import spoken, types


@compiled("float64(float64)", cache=False)
def halved(x: float) -> float:
    return x / 2.0


@compiled("float64(FunctionType(float64(float64)), float64)", cache=False)
def twice(function: object, x: float) -> float:
    return function(function(x))  # type: ignore[operator, no-any-return]


@compiled("float64(float64)", cache=False)
def fourth_of(x: float) -> float:
    return halved(halved(x))


@compiled(cache=False)
def quartered(x: float) -> float:
    return halved(halved(x))


def test_compiled_functions_call_and_take_compiled_functions() -> None:
    assert quartered(2.0) == 0.5
    assert twice(halved, 2.0) == 0.5


def test_a_function_is_compiled_once_and_keeps_its_python_form() -> None:
    assert isinstance(halved, Compiled)
    prepare(halved)
    made = halved.dispatcher
    assert halved(1.0) == 0.5
    assert halved.dispatcher is made
    assert halved.__name__ == "halved"
    assert math.isclose(plain(halved)(3.0), 1.5)


def test_other_processes_and_copies_find_the_same_function() -> None:
    assert pickle.loads(pickle.dumps(halved)) is halved
    assert copy.deepcopy({"step": halved})["step"] is halved


def test_where_numba_cannot_be_loaded_whole_functions_run_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def no_descriptor_left(path: str) -> object:
        tried.append(path)
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(compiled_module, "attribute", no_descriptor_left)
    monkeypatch.setattr(compiled_module, "_UNLOADABLE", [])
    fourth, doubled = (Compiled(plain(one), "float64(float64)", {}) for one in (fourth_of, halved))
    assert (fourth(3.0), doubled(3.0)) == (0.75, 1.5)
    assert len(tried) == 1  # half of numba is there now: a second try would find that half


def test_a_function_that_cannot_be_compiled_says_why_instead_of_looking_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> object:
        raise AttributeError("no such kernel")

    monkeypatch.setattr(compiled_module, "attribute", lambda _: broken)
    with pytest.raises(AttributeError, match="dispatcher"):
        Compiled(plain(halved), "float64(float64)", {})(1.0)


def test_importing_rules_and_policies_does_not_import_numba() -> None:
    code = (
        "import sys, afresh.feeds.rules as rules, afresh.pages.planner, afresh.pages.policies.site_prices; "
        "[rules.load(name) for name in rules.names()]; print('numba' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


def test_signatures_can_be_written_without_numba() -> None:
    code = (
        "import sys; sys.modules['numba'] = None; "
        "from afresh.feeds import estimators, strategies; from afresh.lab.refresh import kernel; "
        "from afresh.base.signatures import types; print(types.float64(types.int64[:], types.FunctionType))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "types.float64(types.int64[…], types.FunctionType)"


def test_words_are_said_to_numba_when_a_function_is_compiled() -> None:
    said = spoken(types.float64(types.Array(types.float64, 1, "C", readonly=True), types.int64))
    assert said == numba.float64(numba.types.Array(numba.float64, 1, "C", readonly=True), numba.int64)
