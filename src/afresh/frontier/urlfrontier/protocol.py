"""The protocol of URLFrontier, its messages and calls, read once from ``urlfrontier.proto``."""

from functools import cache
from importlib.resources import files

from afresh.frontier.urlfrontier.schema import Schema, read_schema


@cache
def protocol_schema() -> Schema:
    """Its messages and calls."""
    return read_schema(files("afresh.frontier.urlfrontier").joinpath("urlfrontier.proto").read_text(encoding="utf-8"))
