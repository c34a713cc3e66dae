"""``/entries`` and ``/visits``: what was found, and what it took."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response

from afresh.base.errors import UsageError
from afresh.doors.presenting.entries import EntryPage, entry_page
from afresh.doors.presenting.resources import VisitPage, visit_page
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.params import After, Before, Context, Limit
from afresh.doors.rest.problems import documented, problem
from afresh.doors.rest.requests import RelevanceRequest
from afresh.feeds.feedback import Relevance, note_relevance

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceList:
    """What the feeds of judged entries are worth from now on."""

    items: tuple[Relevance, ...]


@router.get("/entries", response_model=EntryPage, tags=["entries"])
async def list_entries(context: Context, after: After = 0, limit: Limit = 100) -> Response:
    """Entries of all feeds in the order they were found.

    A consumer keeps `next` and passes it as `after` whenever it likes: nothing is skipped, nothing comes twice.
    """
    return Json(entry_page(await context.run(context.store.entries, after=after, limit=limit), after))


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
    return Json(visit_page(await context.run(context.store.visits, before=before, limit=limit), limit))
