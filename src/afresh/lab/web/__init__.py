"""A small living web on loopback: feeds of every update pattern, servers with bad manners, and a ledger of visits."""

from afresh.lab.web.ledger import Breach, Ledger, Violation
from afresh.lab.web.server import DemoFeed, DemoWeb, Publication

__all__ = ["Breach", "DemoFeed", "DemoWeb", "Ledger", "Publication", "Violation"]
