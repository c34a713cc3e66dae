"""Recorded histories: read, written, made from git, from our own store or from published data, and described."""

from afresh.lab.traces.pages import PageTrace
from afresh.lab.traces.read import LATEST, read_page_trace, read_trace
from afresh.lab.traces.write import write_page_trace, write_trace

__all__ = ["LATEST", "PageTrace", "read_page_trace", "read_trace", "write_page_trace", "write_trace"]
