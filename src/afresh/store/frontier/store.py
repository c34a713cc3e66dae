"""The frontier's store: every method one transaction, over SQLite or PostgreSQL."""

from afresh.store.frontier.accounts import Accounts
from afresh.store.frontier.damage import Damage
from afresh.store.frontier.failures import Failures
from afresh.store.frontier.graph import Graph
from afresh.store.frontier.putting import Putting
from afresh.store.frontier.questions import Questions
from afresh.store.frontier.removing import Removing
from afresh.store.frontier.reporting import Reporting
from afresh.store.frontier.results import Results
from afresh.store.frontier.serving import Serving
from afresh.store.frontier.times import Times
from afresh.store.frontier.upkeep import Upkeep


class SqlFrontier(
    Accounts, Reporting, Putting, Serving, Removing, Questions, Failures, Graph, Times, Upkeep, Results, Damage
):
    """A ``FrontierStore`` of its parts, one class a concern."""
