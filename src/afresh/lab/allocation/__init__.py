"""Whom to visit, how often? One policy a module, found by name, loaded when it is first asked for.

    POLICIES.make("optimal")   POLICIES.make("uniform")   POLICIES.make("optimal:objective=age,floor=1e-7")

Importing this package compiles nothing.
"""

from afresh.base.registry import Registry
from afresh.lab.allocation.policy import Policy

__all__ = ["POLICIES", "Policy"]

POLICIES: Registry[type[Policy]] = Registry(
    "policy",
    {
        "azar": "optimal:Azar",
        "belief": "optimal:Belief",
        "by_weight": "by_weight:ByWeight",
        "lambda_crawl": "optimal:LambdaCrawl",
        "optimal": "optimal:Optimal",
        "proportional": "proportional:Proportional",
        "uniform": "uniform:Uniform",
    },
    package=__name__,
)
