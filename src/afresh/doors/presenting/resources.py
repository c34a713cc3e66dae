"""Resources: what is watched, its visits, and why the next one is when it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from afresh.base.models import Explanation, FeedFacts, Kind, Moving, Resource, Result, Site, Status, Validators, Visit
from afresh.doors.presenting.fields import About, Seconds, Time
from afresh.doors.presenting.lists import NumberedPage, list_of, numbered_page_of
from afresh.doors.presenting.prices import PriceView, view_price
from afresh.doors.presenting.showing import following, shown
from afresh.doors.presenting.times import finite, iso, numbers
from afresh.doors.presenting.why_words import held_words, why_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class CountersView:
    """How the visits of a resource went."""

    ok: Annotated[int, About("Visits that brought a document or a 304.")]
    not_modified: Annotated[int, About("Of these, answered 304.")]
    unreachable: Annotated[int, About("Network failures and HTTP errors.")]
    unparsable: Annotated[int, About("Documents that could not be read.")]
    misses: Annotated[int, About("Windows that did not overlap the one before: entries may be lost.")]
    entries: Annotated[int, About("Entries found.")]
    failures: Annotated[int, About("Failures in a row.")]
    bytes: Annotated[int, About("Bytes received.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """One watched URL."""

    id: Annotated[int, About("Its number.", 17)]
    url: Annotated[str, About("Canonical URL.", "https://example.org/feed.xml")]
    site: Annotated[str, About("The unit of politeness.", "example.org")]
    kind: Annotated[Kind, About("What it is watched for.")]
    status: Annotated[Status, About("Whether it is visited at all.")]
    title: Annotated[str, About("The operator's title, else the feed's own.", "Example news")]
    folder: Annotated[str, About("Folder, empty for none.", "news/local")]
    tags: Annotated[tuple[str, ...], About("Tags.", ["daily"])]
    note: Annotated[str, About("What its owner wrote about it; empty: nothing.")]
    saved: Annotated[str | None, About("When its owner saved it elsewhere, as an imported file says; null: not known.")]
    weight: Annotated[float, About("Worth of an entry; 1 is usual.", 1.0)]
    rule: Annotated[str | None, About("Rule by name; null: the default.", "mavsync")]
    pinned: Annotated[float | None, About("The operator's own interval, seconds.", 900.0)]
    shortest: Annotated[float | None, About("Shortest interval, seconds; null: the default.")]
    longest: Annotated[float | None, About("Longest interval, seconds; null: the default.")]
    standard: Annotated[float | None, About("Interval where none can be computed; null: the default.")]
    predictor: Annotated[str | None, About("Another name of `rule`.", "mavsync")]
    alpha: Annotated[float | None, About("Another name of `shortest`.")]
    beta: Annotated[float | None, About("Another name of `longest`.")]
    eta: Annotated[float | None, About("Another name of `standard`.")]
    added: Time | None
    due: Annotated[str | None, About("Next visit; null: none planned.")]
    last_visit: Time | None
    last_ok: Annotated[str | None, About("Last successful visit.")]
    last_interval: Annotated[float | None, About("Seconds between the last visit and the next.")]
    last_result: Annotated[Result | None, About("What the last visit came to.")]
    error: Annotated[str, About("Of the last visit; empty: none.")]
    reason: Annotated[str, About("Why the next visit is when it is.")]
    repaired: Annotated[tuple[str, ...], About("What had to be repaired in the document read last; empty: nothing.")]
    pattern: Annotated[str, About("Update-pattern class; empty: not known yet.")]
    format: Annotated[str, About("Feed format; empty: never parsed.", "atom10")]
    site_url: Annotated[str, About("The page the feed belongs to.")]
    language: Annotated[str, About("As the feed says.")]
    capacity: Annotated[int, About("Largest number of entries seen in one document.")]
    window_size: Annotated[int, About("Entries in the document last read.")]
    max_age: Annotated[float | None, About("How long the last answer called itself fresh, seconds.")]
    clock_offset: Annotated[float, About("Our clock minus the server's, seconds.")]
    validators: Annotated[Validators, About("What the next request asks conditionally with.")]
    moving: Annotated[Moving | None, About("A permanent redirect that is not trusted yet; null: none.")]
    facts: Annotated[FeedFacts, About("What the feed says about itself.")]
    turn: Annotated[float | None, About("Its place in the order of its site; null: it is visited when due.")]
    visits_per_hour: Annotated[float, About("Planned for a page that has a place; else 0.")]
    announced: Annotated[dict[str, int], About("Changes announced since the last visit, by signal.")]
    counters: CountersView


ResourcePage = numbered_page_of(ResourceView, "ResourcePage", "A page of resources, ascending by id.")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitView:
    """One request and what became of it."""

    id: Annotated[int, About("Row of the log, to page by.")]
    resource: int
    started: Time | None
    finished: Time | None
    duration: Seconds | None
    result: Result
    status: Annotated[int | None, About("HTTP status; null: no answer.")]
    bytes: int
    window_size: Annotated[int | None, About("Entries in the document; null: none was read.")]
    new: Annotated[int, About("New entries.")]
    missed: Annotated[bool, About("The window did not overlap the one before.")]
    next_due: Time | None
    reason: Annotated[str, About("Why the next visit was set when it was.")]
    error: str
    repaired: Annotated[tuple[str, ...], About("What had to be repaired in the document; empty: nothing.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPage:
    """Visits, newest first."""

    items: tuple[VisitView, ...]
    next: Annotated[int | None, About("Pass as `before` for older ones; null: these were the last.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefView:
    """What an estimator makes of the visits of a feed."""

    estimator: Annotated[str, About("Its name.", "hybrid")]
    per_day: Annotated[float | None, About("Entries that it expects in the next 24 hours.")]
    next_hour: Annotated[float | None, About("Entries that it expects in the next hour.")]
    unseen: Annotated[float | None, About("Entries that it expects to have come since the last good visit.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyView:
    """Why the next visit is when it is."""

    resource: int
    url: str
    due: Time | None
    site_allows: Annotated[str | None, About("When its site may be asked again; null: at any time.")]
    site_rests: Annotated[str, About("Why its site is left alone until then; empty: for the pause between requests.")]
    held: Annotated[str, About("What a visit that is due waits for, by the budget; times in UTC. Empty: nothing.")]
    redirect: Annotated[str, About("A permanent redirect that is not followed yet, in words; empty: none.")]
    sentence: Annotated[str, About("How often and why, in one plain sentence; parts of the day in UTC.")]
    rule: Annotated[str, About("The rule that decided.", "mavsync")]
    summary: Annotated[str, About("In the words of the rule.")]
    repaired: Annotated[tuple[str, ...], About("What had to be repaired in the document read last; empty: nothing.")]
    numbers: Annotated[dict[str, float | None], About("The rule's numbers by name.")]
    price: Annotated[PriceView | None, About("What a visit costs and who says so; null: no price has a say.")]
    watched: Annotated[tuple[str, ...], About("Which part of a page is watched, and which is left out, in words.")]
    readers: Annotated[tuple[str, ...], About("Who reads its entries, the most important first; empty: nobody says.")]
    beliefs: Annotated[tuple[BeliefView, ...], About("What each estimator would believe of a feed now.")]
    target: Annotated[str, About("The quality target it belongs to and what has become of it; empty: none.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedView:
    """What became of one URL of a batch."""

    wanted: Annotated[str, About("As given, without a password.")]
    url: Annotated[str, About("Canonical; empty: not a URL.")]
    status: Annotated[int, About("201 added, 200 known already, 422 not usable.", 201)]
    id: int | None
    is_new: bool
    error: Annotated[str, About("Empty: none.")]


AddedPage = list_of(AddedView, "AddedPage", "A status per URL, in the order given.")


def view_resource(resource: Resource) -> ResourceView:
    return shown(
        ResourceView,
        resource,
        resource.facts,
        title=resource.title or resource.facts.title,
        predictor=resource.rule,
        alpha=finite(resource.shortest),
        beta=finite(resource.longest),
        eta=finite(resource.standard),
        due=next_visit(resource),
        window_size=len(resource.window),
        clock_offset=finite(resource.clock_offset) or 0.0,
        moving=resource.moving if resource.moving.target else None,
        visits_per_hour=3600.0 * resource.frequency,
        announced=dict(resource.announced),
        counters=shown(CountersView, resource.counters),
    )


def next_visit(resource: Resource) -> str | None:
    """When it is visited next; None: it is not."""
    return iso(resource.due) if resource.status is Status.ACTIVE else None


def resource_page(found: Sequence[Resource], limit: int) -> NumberedPage[ResourceView]:
    return ResourcePage(items=tuple(view_resource(resource) for resource in found), next=following(found, limit))


def view_visit(number: int, visit: Visit) -> VisitView:
    return shown(VisitView, visit, id=number, duration=finite(visit.finished - visit.started))


def visit_page(found: Sequence[tuple[int, Visit]], limit: int) -> VisitPage:
    items = tuple(view_visit(number, visit) for number, visit in found)
    return VisitPage(items=items, next=following(items, limit))


def view_why(resource: Resource, explanation: Explanation, site: Site | None, now: float) -> WhyView:
    return shown(
        WhyView,
        explanation,  # before the resource: the rule that decided, not the one that was wished for
        resource,
        resource=resource.id,
        due=next_visit(resource),
        sentence=why_sentence(resource, explanation),
        site_allows=iso(site.next_allowed) if site else None,
        held=held_words(explanation.held, now) if explanation.held else "",
        numbers=numbers(explanation.numbers),
        price=view_price(explanation.price),
        beliefs=tuple(shown(BeliefView, one) for one in explanation.beliefs),
    )


class Added(Protocol):
    """What became of one URL that was to be added."""

    @property
    def shown(self) -> str: ...  # as given, without a password

    @property
    def url(self) -> str: ...  # canonical; empty: not a URL

    @property
    def id(self) -> int | None: ...  # None: not added

    @property
    def is_new(self) -> bool: ...

    @property
    def error(self) -> str: ...  # empty: none


def view_added(results: Iterable[Added]) -> tuple[AddedView, ...]:
    return tuple(
        shown(
            AddedView,
            result,
            wanted=result.shown,
            status=422 if result.error else 201 if result.is_new else 200,
        )
        for result in results
    )
