"""Why nothing came of a page, in words."""

import math

from afresh.base.records.frontier import PageFailure, PageReport, PageResult

#: Why nothing came of a page whose fetcher does not say.
REASONS: dict[PageResult, str] = {
    PageResult.NOT_FOUND: "not there any more: the server answers 404 or 410",
    PageResult.ERROR: "no answer, or a server that fails",
    PageResult.EXCLUDED: "its robots.txt forbids it",
    PageResult.REFUSED: "its address is not public; fetch.allowed_networks of the fetcher lets it through",
}
_SOFT = "a page that says it is none, behind a friendly 200"


def has_failed(page: PageReport) -> bool:
    """Whether its server, or the way there, gave nothing; what nobody was asked for has not failed."""
    return page.soft_404 or page.result in (PageResult.NOT_FOUND, PageResult.ERROR, PageResult.REFUSED)


def why_failed(failure: PageFailure | None, *, due: float = math.inf) -> str:
    """As its fetcher says, else as its result has it; and whether it is tried again. '': nothing failed."""
    if failure is None:
        return ""
    why = failure.why or REASONS.get(failure.result, _SOFT)
    is_tried_again = failure.result is PageResult.ERROR and math.isfinite(due)
    return f"{why}: it is tried again" if is_tried_again else why
