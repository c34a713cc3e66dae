"""Policies: when a page is worth a visit, learning from its visits alone.

Importing this package compiles nothing; a policy is loaded by name when the first page asks for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError

if TYPE_CHECKING:
    from afresh.pages.policies.policy import OnlinePolicy

#: The policies of the daemon, and where they are. All keep one Gamma belief a page: one goes on where another stopped.
POLICIES = {
    "site-clocked": ("afresh.pages.policies.site_clocked", "SITE_CLOCKED"),
    "belief": ("afresh.pages.policies.belief", "BELIEF"),
}
#: What a policy keeps small, and the functions that say what a visit is worth then.
OBJECTIVES = {
    "freshness": ("belief_interval", "belief_index"),
    "age": ("age_interval", "age_index"),
}


def check_policy(name: str, objective: str) -> None:
    """Raises UsageError with the names there are."""
    for what, given, known in (("page policy", name, POLICIES), ("objective", objective, OBJECTIVES)):
        if given not in known:
            raise UsageError(f"unknown {what} {given!r}; known: {', '.join(known)}")


def load_policy(name: str, objective: str = "freshness") -> "OnlinePolicy":
    """A policy by name, for an objective."""
    check_policy(name, objective)
    module, attribute = POLICIES[name]
    policy: OnlinePolicy = getattr(import_module(module), attribute)
    if objective == "freshness":
        return policy
    beliefs = import_module("afresh.pages.policies.belief")
    interval, index = (getattr(beliefs, function) for function in OBJECTIVES[objective])
    return policy.replaced(interval=interval, index=index)
