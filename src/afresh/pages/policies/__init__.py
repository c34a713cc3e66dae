"""Policies: when a page is worth a visit, learning from its visits alone.

Importing this package compiles nothing; a policy is loaded by name when the first page asks for it.
"""

from typing import TYPE_CHECKING

from afresh.base.registry import Registry

if TYPE_CHECKING:
    from afresh.pages.policies.policy import Index, Interval, OnlinePolicy

#: The policies of the daemon, and where they are. All keep one Gamma belief a page: one goes on where another stopped.
POLICIES: "Registry[OnlinePolicy]" = Registry(
    "page policy", {"site-clocked": "site_clocked:SITE_CLOCKED", "belief": "belief:BELIEF"}, package=__name__
)
#: What a policy keeps small: the functions that say what a visit is worth then.
OBJECTIVES: "Registry[tuple[Interval, Index]]" = Registry(
    "objective", {"freshness": "belief:FOR_FRESHNESS", "age": "belief:FOR_AGE"}, package=__name__
)


def check_policy(name: str, objective: str) -> None:
    """Raises ModelError with the names there are; loads nothing."""
    POLICIES.check(name)
    OBJECTIVES.check(objective)


def load_policy(name: str, objective: str = "freshness") -> "OnlinePolicy":
    """A policy by name, for an objective."""
    policy, (interval, index) = POLICIES.find(name), OBJECTIVES.find(objective)
    return policy.replaced(interval=interval, index=index)
