"""Why nothing came of a page, in words."""

import math

from afresh.base.records.frontier import PageFailure, PageReport, PageResult

#: Why nothing came of a page whose fetcher does not say.
REASONS: dict[PageResult, str] = {
    PageResult.NOT_FOUND: "its server says that it is not there",
    PageResult.ERROR: "no answer, or a server that fails",
    PageResult.EXCLUDED: "its robots.txt forbids it",
    PageResult.REFUSED: "its address is not public; fetch.allowed_networks of the fetcher lets it through",
}
_SOFT = "a page that says it is none, behind a friendly 200"
#: What comes next, while it is due again.
_NEXT: dict[PageResult, str] = {
    PageResult.ERROR: "it is tried again",
    PageResult.NOT_FOUND: "it is asked for once more",
    PageResult.FETCHED: "it is asked for once more",
}


def has_failed(page: PageReport) -> bool:
    """Whether its server, or the way there, gave nothing; what nobody was asked for has not failed."""
    return page.soft_404 or page.result in (PageResult.NOT_FOUND, PageResult.ERROR, PageResult.REFUSED)


def why_failed(failure: PageFailure | None, *, due: float | None = None) -> str:
    """As its fetcher says, else as its result has it, and what comes next if ``due`` tells; '': nothing failed.

    >>> gone = PageFailure(0.0, PageResult.NOT_FOUND, "HTTP 404", "")
    >>> why_failed(gone), why_failed(gone, due=9e9), why_failed(gone, due=math.inf)
    ('HTTP 404', 'HTTP 404: it is asked for once more', 'HTTP 404: it is not asked for again')
    """
    if failure is None:
        return ""
    why = failure.why or REASONS.get(failure.result, _SOFT)
    if due is None or failure.result not in _NEXT:
        return why
    return f"{why}: {_NEXT[failure.result] if math.isfinite(due) else 'it is not asked for again'}"
