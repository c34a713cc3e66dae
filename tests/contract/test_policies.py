"""Every allocation policy obeys the laws of ``tests.laws.policies``."""

import pytest

from afresh.base.errors import ModelError
from afresh.lab.allocation import POLICIES, Policy
from tests.laws.policies import LAWS, Law

EVERY = [*POLICIES, "optimal:objective=age", "optimal:objective=harmonic"]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("spec", EVERY)
def test_law(law: Law, spec: str) -> None:
    law(POLICIES.make(spec))


@pytest.mark.parametrize("spec", EVERY)
def test_is_a_policy(spec: str) -> None:
    policy = POLICIES.make(spec)
    assert isinstance(policy, Policy)
    assert policy.name == spec.partition(":")[0]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("fame", "unknown policy 'fame'"),
        ("optimal:objective=fame", "unknown objective"),
        ("optimal:floor", "key=value"),
        ("optimal:floor=-1", "floor"),
        ("uniform:floor=1", "floor"),
    ],
)
def test_specs_that_make_no_sense(spec: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        POLICIES.make(spec)
