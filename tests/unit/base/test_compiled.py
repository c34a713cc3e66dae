"""Functions that are compiled when they are first used."""

import copy
import math
import pickle
import subprocess
import sys

from afresh.base.compiled import Compiled, compiled, plain, prepare


@compiled("float64(float64)", cache=False)
def halved(x: float) -> float:
    return x / 2.0


@compiled("float64(FunctionType(float64(float64)), float64)", cache=False)
def twice(function: object, x: float) -> float:
    return function(function(x))  # type: ignore[operator, no-any-return]


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


def test_importing_rules_and_policies_does_not_import_numba() -> None:
    code = (
        "import sys, afresh.feeds.rules as rules, afresh.pages.planner, afresh.pages.policies.site_prices; "
        "[rules.load(name) for name in rules.names()]; print('numba' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
