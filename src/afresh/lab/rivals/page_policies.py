"""All online policies, by name."""

from afresh.base.registry import Registry
from afresh.lab.revisit.daemon import DaemonPolicy
from afresh.lab.rivals.page_crawlers import NUTCH, STORM_CRAWLER
from afresh.lab.rivals.page_rates import (
    AZAR,
    BY_WEIGHT,
    LAMBDA_CRAWL,
    LAMBDA_CRAWL_COMPLETE,
    PLUG_IN,
    PLUG_IN_LAST_MODIFIED,
    PROPORTIONAL,
    UNIFORM,
    WHITTLE,
)
from afresh.pages.policies.belief import BELIEF
from afresh.pages.policies.policy import OnlinePolicy
from afresh.pages.policies.site_clocked import SITE_CLOCKED

DEFAULT = DaemonPolicy()
RIVALS = (
    SITE_CLOCKED,
    BELIEF,
    UNIFORM,
    BY_WEIGHT,
    PROPORTIONAL,
    PLUG_IN,
    AZAR,
    LAMBDA_CRAWL,
    WHITTLE,
    NUTCH,
    STORM_CRAWLER,
)
#: policies that learn from changed-or-not alone, hence may be compared with one another
ONLINE = (DEFAULT, *RIVALS)
#: policies that are told more than their visits show
TOLD = (LAMBDA_CRAWL_COMPLETE, PLUG_IN_LAST_MODIFIED)
ALL = ONLINE + TOLD
POLICIES: Registry[OnlinePolicy | DaemonPolicy] = Registry(
    "policy", {policy.name: policy for policy in ALL}, group="afresh.policies"
)

_ALIASES = {
    "default": DEFAULT.name,
    "daemon": DEFAULT.name,
    "gamma": BELIEF.name,
    "weight": BY_WEIGHT.name,
    "plugin": PLUG_IN.name,
    "optimal": PLUG_IN.name,
    "cho": PLUG_IN.name,
    "lambdacrawl": LAMBDA_CRAWL.name,
    "threshold": WHITTLE.name,
    "index": WHITTLE.name,
    "storm-crawler": STORM_CRAWLER.name,
    "storm": STORM_CRAWLER.name,
}


def policy_named(name: str) -> OnlinePolicy | DaemonPolicy:
    """A policy by name or usual other name; ModelError lists the names.

    >>> policy_named("LambdaCrawl").name, policy_named("plug_in").name
    ('lambda-crawl', 'plug-in')
    """
    plain = name.strip().lower().replace("_", "-")
    return POLICIES.find(_ALIASES.get(plain, plain))
