"""``/entries`` and ``/visits``: what was found, and what it took."""

from fastapi import APIRouter
from fastapi.responses import Response

from afresh.base.errors import UsageError
from afresh.doors.rest.context import ServiceContext
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import After, Before, Context, Limit
from afresh.doors.rest.problems import documented, problem
from afresh.doors.rest.requests import RelevanceRequest
from afresh.doors.rest.views import EntryPage, RelevanceList, VisitPage, view_entry, view_visit
from afresh.feeds.feedback import note_relevance

router = APIRouter()


@router.get("/entries", response_model=EntryPage, tags=["entries"])
async def list_entries(context: Context, after: After = 0, limit: Limit = 100) -> Response:
    """Entries of all feeds in the order they were found.

    A consumer keeps `next` and passes it as `after` whenever it likes: nothing is skipped, nothing comes twice.
    """
    return Json(await entry_page(context, None, after, limit))


@router.post("/entries/relevance", response_model=RelevanceList, responses=documented(404), tags=["entries"])
async def note_entries(context: Context, body: RelevanceRequest) -> Response:
    """Tell which entries were relevant: feeds are weighed by the share of entries that are worth something."""
    judged = {**dict.fromkeys(body.irrelevant, False), **dict.fromkeys(body.relevant, True)}
    try:
        noted = await context.run(note_relevance, context.store, judged)
    except UsageError as error:
        return problem(404, str(error))
    return Json(RelevanceList(items=tuple(noted)))


@router.get("/visits", response_model=VisitPage, tags=["visits"])
async def list_visits(context: Context, before: Before = None, limit: Limit = 100) -> Response:
    """Visits of all resources, newest first."""
    return Json(await visit_page(context, None, before, limit))


async def entry_page(context: ServiceContext, resource: int | None, after: int, limit: int) -> EntryPage:
    """Entries behind a cursor; the cursor stays where it is when there are none."""
    found = await context.run(context.store.entries, after=after, limit=limit, resource=resource)
    return EntryPage(items=tuple(view_entry(entry) for entry in found), next=found[-1].seq if found else after)


async def visit_page(context: ServiceContext, resource: int | None, before: int | None, limit: int) -> VisitPage:
    """Visits older than a row."""
    found = await context.run(context.store.visits, resource=resource, before=before, limit=limit)
    following = found[-1][0] if len(found) == limit else None
    return VisitPage(items=tuple(view_visit(number, visit) for number, visit in found), next=following)
