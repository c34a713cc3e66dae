"""Rules by name: what is accepted, what is said when it is not, and what importing costs."""

import subprocess
import sys

import numpy as np
import pytest

from afresh.base.errors import ModelError
from afresh.base.models import Bounds
from afresh.feeds.rules import load, names, parameters, spec_of, values_of


def test_parameters_and_bounds_from_text() -> None:
    rule = load("mavsync:kappa=5s, longest=7d ,ttl=lower", Bounds(shortest=120.0))
    assert rule.bounds == Bounds(shortest=120.0, longest=604_800.0)
    assert values_of(rule) == {"kappa": 5.0, "zero_interval": "eta", "ttl": "lower"}
    assert parameters("adaptive_ttl") == {"M": 0.1}


@pytest.mark.parametrize(
    "spec",
    [
        "fix:interval=7m",
        "fix:interval=1h30m",
        "fix:interval=0.25",
        "sqrt:price=1234.5678901",
        "adaptive_ttl:M=3",
        "mavsync:ttl=interval",
    ],
)
def test_spec_round_trips(spec: str) -> None:
    once, twice = load(spec), load(spec_of(load(spec)))
    assert type(once) is type(twice)
    np.testing.assert_array_equal(twice.params(), once.params())  # parameters that are not set are equal there


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mavsink", "unknown rule 'mavsink'; did you mean mavsync\\? `afresh lab list` names all$"),
        ("", "unknown rule ''"),
        (
            "mavsync:gamma=1",
            "mavsync: unknown parameter 'gamma'; it has kappa, zero_interval, .*, shortest, longest, standard",
        ),
        ("fix:interval", "fix: 'interval' is not a parameter; write it like fix:key=value"),
        ("fix:interval=soon", "fix: interval: not a duration: 'soon'"),
        ("fix:interval=0", "fix: interval must be > 0, not 0"),
        ("mavsync:kappa=nan", "not a duration"),
        ("adaptive_ttl:M=-1", "adaptive_ttl: M must be > 0, not -1"),
        ("adaptive_ttl:M=big", "adaptive_ttl: M must be a number, not 'big'"),
        ("adaptive_ttl:M=nan", "adaptive_ttl: M must be > 0, not nan"),
        ("rare:share=1.5", "rare: share must be > 0 and ≤ 1, not 1.5"),
        ("mavsync:ttl=often", "mavsync: ttl must be one of ignore, lower, interval, not 'often'"),
        (
            "mavsync:shortest=2h",
            "bounds must satisfy 0 < shortest ≤ standard ≤ longest, got shortest 2h, standard 1h, longest 1d",
        ),
        ("mavsync:alpha=0", "bounds must satisfy"),
    ],
)
def test_a_mistake_is_named(spec: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(spec)


def test_names_are_sorted_and_loadable_words() -> None:
    assert list(names()) == sorted(names())
    assert {"fix", "mavsync", "priced", "sqrt", "miniflux"} <= set(names())


def test_importing_the_package_compiles_nothing() -> None:
    script = (
        "import sys; import afresh.feeds.rules as p; p.names();"
        "print(sorted(m for m in sys.modules if m.startswith('afresh.feeds.rules.')), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['afresh.feeds.rules.rule'] False"


def test_compiling_a_rule_does_not_load_linear_algebra() -> None:
    """numba would look for a BLAS in SciPy, a quarter of a second in every process; and SciPy stays usable."""
    script = (
        "import sys; from afresh.base.compiled import prepare; from afresh.feeds.rules import load; "
        "prepare(type(load('mavsync')).step);"
        "print('scipy.linalg' in sys.modules); import scipy.linalg; print(scipy.linalg.norm([3.0, 4.0]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "5.0"]
