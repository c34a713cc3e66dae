"""``/entries`` and ``/visits``: what was found, and what it took."""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from afresh.base.errors import UsageError
from afresh.base.models import ParsedEntry
from afresh.base.protocols import Store
from afresh.base.records.searching import EntryFilter, FoundEntries
from afresh.doors.presenting.entries import (
    EntryDetailView,
    EntryPage,
    FoundEntryPage,
    entry_page,
    found_entry_page,
    view_entry,
    view_entry_detail,
)
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.resources import VisitPage, visit_page
from afresh.doors.rest.encoding import Json
from afresh.doors.rest.feed_answers import FeedFormat, feed_answer
from afresh.doors.rest.params import ALL_WORDS, BIGGEST, After, Before, Context, Limit, Text
from afresh.doors.rest.problems import documented, problem
from afresh.doors.rest.requests import RelevanceRequest
from afresh.engine.searching import entry_filter, read_entries
from afresh.feeds.queries.publishing import newest_page
from afresh.feeds.relevance import Relevance, note_relevance
from afresh.parse.plain_text import paragraphs

router = APIRouter()
#: Outside of the API's prefix: an address to subscribe to.
published = APIRouter(prefix="/feeds/e")


RelevanceList = list_of(Relevance, "RelevanceList", "What the feeds of judged entries are worth from now on.")


InFolder = Annotated[Text, Query(description="Feeds in this folder, or below it.")]
Tagged = Annotated[Text, Query(description="Feeds with this tag.")]


@router.get("/entries", response_model=EntryPage, tags=["entries"])
async def list_entries(
    context: Context, folder: InFolder = "", tag: Tagged = "", after: After = 0, limit: Limit = 100
) -> Response:
    """Entries of all feeds, or of those in a folder or with a tag, in the order they were found.

    A consumer keeps `next` and passes it as `after` whenever it likes: nothing is skipped, nothing comes twice.
    """
    if not (folder or tag):
        return Json(entry_page(await context.run(context.store.entries, after=after, limit=limit), after))
    where = EntryFilter(folder=folder or None, tag=tag or None)
    found = await context.run(read_entries, context.store, where, after=after, limit=limit)
    items = tuple(view_entry(offered.stored) for offered in found.items)
    return Json(EntryPage(items=items, next=found.next or after))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The filters of entries, as they were asked for; empty means any."""

    q: Text = ""
    folder: Text = ""
    tag: Text = ""
    query: Text = ""
    resource: int | None = None
    since: Text = ""
    until: Text = ""
    published: Text = ""

    def words(self) -> dict[str, str | int]:
        """What was asked for, by name; for addresses."""
        return {name: value for name, value in asdict(self).items() if value}


def asked_for(
    q: Annotated[
        Text, Query(description=f"Words in title, link, author, categories, summary or content, {ALL_WORDS}.")
    ] = "",
    folder: InFolder = "",
    tag: Tagged = "",
    query: Annotated[Text, Query(description="Taken by the query feed of this name.")] = "",
    resource: Annotated[int | None, Query(ge=1, le=BIGGEST, description="Of this feed, by number.")] = None,
    since: Annotated[Text, Query(description="Found then or later: ISO 8601, or like 2h for that long ago.")] = "",
    until: Annotated[Text, Query(description="Found before: ISO 8601, or like 2h for that long ago.")] = "",
    published: Annotated[
        Text, Query(description="Published then or later, and in that order: ISO 8601, today, or like 2h.")
    ] = "",
) -> Asked:
    """The filters of a request."""
    return Asked(
        q=q.strip(),
        folder=folder.strip(),
        tag=tag.strip(),
        query=query.strip(),
        resource=resource,
        since=since.strip(),
        until=until.strip(),
        published=published.strip(),
    )


AskedEntries = Annotated[Asked, Depends(asked_for)]


def filter_of(store: Store, asked: Asked, now: float) -> EntryFilter:
    """What was asked for, understood; raises QueryNotFound, UsageError."""
    words = {name: value for name, value in asdict(asked).items() if name != "q"}
    return entry_filter(store, now=now, text=asked.q, **words)


def find(store: Store, asked: Asked, *, now: float, before: int | None, limit: int) -> FoundEntries:
    """The entries that were asked for."""
    return store.search.entries(filter_of(store, asked, now), before=before, limit=limit)


@router.get("/entries/search", response_model=FoundEntryPage, responses=documented(400, 404), tags=["entries"])
async def search_entries(context: Context, asked: AskedEntries, before: Before = None, limit: Limit = 50) -> Response:
    """Entries by words, folder, tag, query feed, feed and time, newest first.

    Ten thousand entries are looked at for one answer; where that was not enough, `is_cut` says so and `next` looks on.
    """
    found = await context.run(find, context.store, asked, now=context.now(), before=before, limit=limit)
    return Json(found_entry_page(found, asked.q))


def detail_of(store: Store, seq: int) -> EntryDetailView:
    """One entry with its text and the query feeds that took it."""
    offered = store.search.entry(seq)
    return view_entry_detail(offered, _text_of(offered.stored.entry.parsed), store.search.takers(seq))


def _text_of(parsed: ParsedEntry) -> str:
    """What an entry says, a line a paragraph; its summary only where its content does not begin with the same."""
    summary, content = paragraphs(parsed.summary), paragraphs(parsed.content)
    return "\n".join(content if set(summary) <= set(content) else [*summary, *content])


Seq = Annotated[int, Path(ge=1, le=BIGGEST, description="Number of an entry.", examples=[4711])]


@router.get("/entries/{seq}", response_model=EntryDetailView, responses=documented(404), tags=["entries"])
async def show_entry(context: Context, seq: Seq) -> Response:
    """One entry: all that its feed says of it, as text without mark-up, too, and who took it."""
    return Json(await context.run(detail_of, context.store, seq))


@published.get("/entries.{form}", include_in_schema=False)
async def show_entries_feed(request: Request, context: Context, asked: AskedEntries, form: FeedFormat) -> Response:
    """The same entries as a feed."""
    where = await context.run(filter_of, context.store, asked, context.now())
    said = ", ".join(f"{name} {value}" for name, value in asked.words().items())
    title = f"afresh: {said or 'all entries'}"
    return await feed_answer(request, context, form, partial(newest_page, title=title, where=where))


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
