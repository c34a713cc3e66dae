"""Recorded histories: read, written, made from git, from our own store or from published data, and described."""

from afresh.lab.traces.archive import write_documents, write_stream
from afresh.lab.traces.attributes import Attribute, attribute_report
from afresh.lab.traces.describe import Description, PowerLaw, as_text, describe, fit_power_law
from afresh.lab.traces.describe_pages import PageDescription, describe_pages, pages_as_text
from afresh.lab.traces.export import export_trace
from afresh.lab.traces.from_git import merged_commits, page_trace_from_git, trace_from_git
from afresh.lab.traces.import_tudcs6 import import_tudcs6
from afresh.lab.traces.pages import PageTrace
from afresh.lab.traces.plots import plot_description
from afresh.lab.traces.quality import Quality, potential_gaps, quality_report
from afresh.lab.traces.read import LATEST, read_page_trace, read_trace
from afresh.lab.traces.record import record_trace
from afresh.lab.traces.sample import sample, sample_feeds
from afresh.lab.traces.write import write_page_trace, write_trace

__all__ = [
    "LATEST",
    "Attribute",
    "Description",
    "PageDescription",
    "PageTrace",
    "PowerLaw",
    "Quality",
    "as_text",
    "attribute_report",
    "describe",
    "describe_pages",
    "export_trace",
    "fit_power_law",
    "import_tudcs6",
    "merged_commits",
    "page_trace_from_git",
    "pages_as_text",
    "plot_description",
    "potential_gaps",
    "quality_report",
    "read_page_trace",
    "read_trace",
    "record_trace",
    "sample",
    "sample_feeds",
    "trace_from_git",
    "write_documents",
    "write_page_trace",
    "write_stream",
    "write_trace",
]
