"""Results: what fetchers reported to a frontier, page by page."""

from dataclasses import dataclass
from typing import Annotated, Any

from afresh.base.records.frontier import KeptResult
from afresh.doors.presenting.fields import About
from afresh.doors.presenting.showing import told_fields
from afresh.doors.presenting.times import iso


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """One page that a fetcher has tried."""

    number: Annotated[int, About("Its place in the one sequence of all results.", 16777217)]
    url: str
    site: Annotated[str, About("The site it was handed out with.", "example.org")]
    result: Annotated[str, About("fetched, not_modified, excluded, not_found, error or refused.", "fetched")]
    fetched: Annotated[str | None, About("When; null: when the report arrived.")]
    reported: Annotated[str | None, About("When the report arrived.")]
    fetcher: Annotated[str, About("UUID of the fetcher.")]
    changed: Annotated[
        bool | None, About("Against the last visit; null: it was the first, or there is nothing to compare.")
    ]
    content_hash: str
    etag: str
    last_modified: str
    soft_404: Annotated[bool, About("An error page behind a 200.")]
    bytes: Annotated[int, About("Received over the wire: headers and the body as it was packed.")]
    seconds: Annotated[float | None, About("How long the server took.")]
    links: tuple[str, ...]
    http: Annotated[int, About("Status of the answer; left out: there was none, or its fetcher does not tell.", 200)]
    content_type: Annotated[str, About("As the server says; left out: it says nothing.", "text/html")]
    error: Annotated[str, About("What went wrong; left out: nothing.", "HTTP 500")]
    redirect: Annotated[str, About("Where it sends to; left out: it is no redirect.")]
    links_left_out: Annotated[int, About("Links that it has besides these; left out: none.")]


_WHERE_TOLD = ("http", "content_type", "error", "redirect", "links_left_out")


def result_fields(kept: KeptResult) -> dict[str, Any]:
    """The fields of the view by name, for whoever writes them down at once."""
    found = told_fields(ResultView, kept, kept.page, reported=iso(kept.at), error=kept.page.why)
    return {name: value for name, value in found.items() if value or name not in _WHERE_TOLD}
