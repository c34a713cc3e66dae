"""The parts of a store, ``store.notices`` say: what each promises. For annotations alone; a start loads none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from afresh.base.models import Kind, Resource
    from afresh.base.records.daemons import DaemonRecord, Draw, Drawn
    from afresh.base.records.damage import Damaged
    from afresh.base.records.labels import KeptModel, Label, NewLabel, NewModel, Rating, RatingPair
    from afresh.base.records.links import ModelChoice
    from afresh.base.records.notices import BrokenLink, Delivery, Event, Failing, NewNotice, Notice, WorkingAgain
    from afresh.base.records.pages import Announcement, Hastened, SignalCounts, SitePages, SitePlan, Waiting
    from afresh.base.records.push import Subscription
    from afresh.base.records.queries import KeptQuery, Matched, NewQuery, Offered, Published, QueryState
    from afresh.base.records.robots import KeptRobots
    from afresh.base.records.searching import EntryFilter, FoundEntries
    from afresh.base.records.watches import PageMemory, Watch
    from afresh.base.timekeeping import SeenTimes, TimeBounds


class WatchStore(Protocol):
    """What is watched of which pages. Laws: ``tests.laws.store_watches``.

    A scope is ``page:17`` (a resource), ``site:example.org`` or ``tag:prices``.
    """

    def watches(self) -> dict[str, Watch]:
        """All there are, by scope; damaged ones left out."""
        ...

    def put_watch(self, scope: str, watch: Watch) -> None:
        """The usual one is forgotten."""
        ...

    def page_memory(self, resource: int) -> PageMemory | None: ...

    def picture(self, version: int) -> bytes | None:
        """What a version showed, as ``parse.pictures`` keeps it; None: no picture was taken, or there is no version."""
        ...


class RevisitStore(Protocol):
    """Places, paces and signals.

    A resource with a place (``Resource.turn``) is leased when its site's next turn has come (``SiteState.next_turn``)
    and no page of the site has a smaller place; its ``due`` is an estimate for people. Others are leased by ``due``.
    Where both are due the site serves them alternately. ``record`` writes ``turn`` and ``frequency`` of the
    resource, applies ``Report.pace`` and ``Report.heard`` and forgets the announcements that the visit answered.
    Giving a resource a ``due`` of the operator's (``update``) takes its place away until the next visit.

    Laws: ``tests.laws.store_revisits``.
    """

    def announce(self, told: Sequence[Announcement], *, signal: str) -> list[Resource]:
        """Notes announcements of active pages that were visited before; the pages to which that was news.

        An announcement older than the page's last good visit, or not newer than one already noted, is no news.
        """
        ...

    def hasten(self, pages: Sequence[Hastened], *, now: float) -> None:
        """Moves pages forward in the order of their sites; one that becomes the next makes its site's turn due."""
        ...

    def signals(self, site: str) -> Mapping[str, SignalCounts]:
        """What the signals of a site have proved worth, by kind."""
        ...

    def first_in_turn(self, site: str, *, besides: int, limit: int) -> Waiting:
        """The pages of a site with the smallest places, in their order, without the page ``besides``."""
        ...

    def site_pages(self, *, after: int = 0, limit: int = 5_000) -> list[SitePages]:
        """Sites with pages in turn behind site number ``after``, ascending, whole sites.

        As many as have about ``limit`` pages together, at least one; empty: no more sites.
        """
        ...

    def plan_sites(self, plans: Sequence[SitePlan], *, now: float) -> None:
        """Sets price and pace of sites; what is left of a pending turn is as the plan says, or is stretched in
        proportion and never more than one turn."""
        ...


class QueryStore(Protocol):
    """Keeps query feeds. Laws: ``tests.laws.store_queries``.

    A query is made whole or not at all; an entry is taken once a query; places are dense, ascending and never given
    again; what was matched from an outdated state is refused, so nothing is lost or taken twice in a crash.
    """

    def query_state(self) -> QueryState: ...

    def put_query(self, new: NewQuery, found: Matched, *, expected: QueryState, cursor: int, now: float) -> int | None:
        """Makes or replaces a query with the entries it starts with; its number, or None if the state has moved on.

        In ``found`` the query itself has number 0. ``cursor`` is the last entry that was looked at for it; where this
        is the first query, matching goes on from there. Raises UsageError if the name is taken and ``replace`` is not
        set.
        """
        ...

    def drop_query(self, name: str) -> None:
        """Forgets a query and its archive; refuses (UsageError) while another query feed builds on it."""
        ...

    def query(self, name: str) -> KeptQuery:
        """By name; raises QueryNotFound."""
        ...

    def list_queries(self, *, after: str = "", limit: int = 100) -> list[KeptQuery]:
        """A page, by name."""
        ...

    def query_versions(self) -> Mapping[int, int]:
        """Version by number: what a reader of queries has to read again."""
        ...

    def queries_by_id(self, numbers: Sequence[int]) -> list[KeptQuery]: ...

    def query_graph(self) -> Mapping[str, tuple[str, ...]]:
        """Which query feeds each query feed reads, by name; those that read none are left out."""
        ...

    def offered(
        self,
        *,
        after: int = 0,
        until: int | None = None,
        limit: int = 100,
        resource: int | None = None,
        newest_first: bool = False,
    ) -> list[Offered]:
        """Entries with what selects them, by number; ``until`` is the last number, None: no end."""
        ...

    def record_matches(self, found: Matched, *, expected: QueryState, cursor: int, now: float) -> bool:
        """Takes the entries into their query feeds and moves the cursor; False if the state has moved on."""
        ...

    def published(self, query: int, *, first: int, last: int) -> list[Published]:
        """What stands at these places, ascending; removed entries leave holes."""
        ...

    def published_count(self, query: int, *, first: int, last: int) -> int: ...

    def taken(self, query: int) -> Mapping[int, int]:
        """How many entries of each resource it has taken and still holds; those without any are left out."""
        ...

    def shared_ids(self, ids: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
        """Which of these (resource, its entry's own id) belong to more than one entry of the resource."""
        ...

    def has_sources(self, selector: str) -> bool:
        """Whether any resource is selected by it."""
        ...


class NoticeStore(Protocol):
    """Keeps notices and their outbox. Laws: ``tests.laws.store_notices``.

    Events are put into the outbox together with the cursor that passed them, once a key; a delivery is made before it
    is tried, and keeps mark and events until it is settled; dropping a notice drops what waits for it.
    """

    def add_notice(self, new: NewNotice, *, cursor: float, now: float) -> Notice:
        """Raises UsageError where the same is told to the same target already, QueryNotFound for its subject."""
        ...

    def notice(self, number: int) -> Notice:
        """Raises NoticeNotFound."""
        ...

    def list_notices(self, *, after: int = 0, limit: int = 100) -> list[Notice]: ...

    def drop_notice(self, number: int) -> None:
        """Raises NoticeNotFound."""
        ...

    def put_events(self, notice: int, events: Sequence[Event], *, cursor: float, now: float) -> int:
        """Into the outbox, in one transaction with the cursor; how many were new. A dropped notice takes none."""
        ...

    def next_delivery(
        self, notice: int, *, mark: str, now: float, until: float, gathered_before: float, limit: int
    ) -> Delivery | None:
        """An open delivery that is due or, where none is open, a new one of at most ``limit`` events.

        It is the caller's until it is settled or ``until`` has come. A new one is made if the oldest waiting event was
        put in at ``gathered_before`` or earlier.
        """
        ...

    def settle_delivery(self, number: int, *, now: float, error: str = "", retry_at: float | None = None) -> None:
        """Taken (no error), to be tried again, or given up (an error and no time to retry). Twice is harmless."""
        ...

    def hasten_deliveries(self, notice: int, *, now: float) -> int:
        """What its target did not take is tried now, for it works again; how many deliveries."""
        ...

    def prune_outbox(self, *, before: float) -> int:
        """Forgets settled deliveries older than this with their events; how many."""
        ...

    def last_visit_number(self) -> int:
        """The newest visit: where a new notice about failing feeds and pages begins."""
        ...

    def failing(self, *, after: int, failures: int, limit: int = 1000) -> list[Failing]:
        """Feeds and pages that a visit after this one found gone, or failing at least so many times in a row.

        By visit, each once.
        """
        ...

    def working_again(self, notice: int, *, limit: int = 1000) -> list[WorkingAgain]:
        """What this notice told to fail or to be gone, and not yet to work again, though it does."""
        ...

    def links_working_again(self, notice: int, *, limit: int = 1000) -> list[WorkingAgain]:
        """Links that this notice told to be broken, and not yet to work again, though they do."""
        ...

    def broken_links(self, *, since: float, limit: int = 1000) -> list[BrokenLink]:
        """Links that have been broken since then or later, in that order."""
        ...


class PushStore(Protocol):
    """Part of ``base.protocols.Store``: one subscription a resource; it goes with the resource."""

    def put_subscription(self, subscription: Subscription) -> bool:
        """Writes it, in place of the one before; False if the resource is not watched any more."""
        ...

    def subscription(self, resource: int) -> Subscription | None: ...

    def subscription_by_token(self, token: str) -> Subscription | None: ...

    def subscriptions(self, *, after: int = 0, limit: int = 100) -> list[Subscription]:
        """Ascending by resource."""
        ...

    def subscriptions_due(self, *, now: float, limit: int = 100) -> list[Subscription]:
        """Those whose hub must be asked now, the longest waiting first."""
        ...

    def drop_subscription(self, resource: int) -> None: ...


class RobotsStore(Protocol):
    """What robots.txt said, for its day. Laws: ``tests.laws.store_robots``."""

    def kept(self, address: str, *, since: float) -> KeptRobots | None:
        """What was read at an address after that; None: nothing is known of it."""
        ...

    def keep(self, robots: KeptRobots, *, forget: float) -> None:
        """In place of what was there, unless it is very long or there are very many; all up to ``forget`` goes."""
        ...


class SearchStore(Protocol):
    """Finds what people look for. Laws: ``tests.laws.store_search``."""

    def entries(
        self, where: EntryFilter = ..., *, before: int | None = None, limit: int = 50, look_at: int = 10_000
    ) -> FoundEntries:
        """The newest entries that match, among at most so many looked at: an answer never takes long."""
        ...

    def entries_after(
        self, after: int, where: EntryFilter = ..., *, limit: int = 50, look_at: int = 10_000
    ) -> FoundEntries:
        """The first entries behind a number that match, oldest first.

        ``next`` is where to read on, now or when there are more: nothing is skipped, nothing comes twice.
        """
        ...

    def entry(self, seq: int) -> Offered:
        """One entry; raises EntryNotFound."""
        ...

    def takers(self, seq: int) -> list[str]:
        """Names of the query feeds that took an entry."""
        ...

    def tags(self, kind: Kind | None = None) -> Mapping[str, int]:
        """How many resources (of a kind) have each tag that is used, by tag."""
        ...

    def folders(self, kind: Kind | None = None) -> Mapping[str, int]:
        """How many resources (of a kind) are in each folder that has some; '' are those in none."""
        ...


class LearningStore(Protocol):
    """Part of ``base.protocols.Store``. Laws (``tests.laws.store_learning``): a session counts when it is saved;
    at most one model of an owner is in use; what is rated is not offered again."""

    def pairs_to_rate(self, *, limit: int = 20, rater: str = "") -> list[RatingPair]:
        """Compared versions this rater has not rated, the most doubtful first (active learning)."""
        ...

    def add_label(self, new: NewLabel, *, now: float) -> Label:
        """VersionNotFound where a version is not stored (any more)."""
        ...

    def label(self, number: int) -> Label:
        """Raises LabelNotFound."""
        ...

    def labels(self, *, after: int = 0, limit: int = 100, session: str | None = None) -> list[Label]:
        """Ascending by number; all, or those of one session ('' : the saved ones)."""
        ...

    def change_label(self, number: int, *, weight: float | None = None, verdict: Rating | None = None) -> Label: ...

    def remove_label(self, number: int) -> None: ...

    def end_session(self, session: str, *, saves: bool) -> int:
        """Saves the ratings of a session, or discards them; how many."""
        ...

    def label_counts(self) -> Mapping[str, int]:
        """How many saved ratings say what; ``examples`` of them count in training."""
        ...

    def add_model(self, new: NewModel, *, now: float) -> KeptModel: ...

    def models(self, *, owner: str | None = None) -> Sequence[KeptModel]:
        """Newest first."""
        ...

    def model(self, number: int) -> KeptModel:
        """Raises ModelNotFound."""
        ...

    def model_body(self, number: int) -> str: ...

    def active_model(self, owner: str = "") -> KeptModel | None:
        """The one in use; None: the shipped one."""
        ...

    def activate_model(self, number: int | None, *, owner: str = "", now: float) -> None:
        """Puts a model of this owner to use, in place of another; None: the shipped one again."""
        ...

    def choose_model(self, resource: int, choice: ModelChoice) -> None:
        """Which model judges a link from now on; raises ResourceNotFound, ModelNotFound."""
        ...


class TimeStore(Protocol):
    """Laws: ``tests.laws.store_times``."""

    def seen_times(self) -> SeenTimes:
        """By indexes: cheap however much there is."""
        ...

    def unfinished_pauses(self, *, since: float) -> list[tuple[str, float]]:
        """Sites that were not to be asked at that time, and until when."""
        ...

    def pull_back(self, *, now: float, bounds: TimeBounds) -> int:
        """Brings due times and pauses that a wrong clock wrote to where they would be; how many resources and sites.

        What was visited ahead of now keeps its interval and its site the rest of its pause, within their bounds; what
        else lies further ahead than its bound is cut there. The log stays as it is.
        """
        ...


class TimedStore(Protocol):
    """The times of a store that a wrong clock can have written to, for its timekeeper (``base.timekeeping``)."""

    def seen_times(self) -> SeenTimes: ...

    def bounds(self) -> TimeBounds:
        """How far ahead its times may lie."""
        ...

    def pull_back(self, now: float) -> int:
        """Brings due times and pauses that a wrong clock wrote to where they would be; how many."""
        ...

    def resume_pauses(self, now: float, *, since: float) -> None:
        """Nobody knows how much time has passed since then: pauses that were not over last for their rest from now."""
        ...

    def get_setting(self, key: str) -> str | None: ...

    def put_setting(self, key: str, value: str) -> None: ...


class DaemonStore(Protocol):
    """Part of ``base.protocols.Store``: daemons on one store are one system."""

    @property
    def is_shared(self) -> bool:
        """Whether there may be other daemons on this store."""
        ...

    def lead(self) -> bool:
        """Whether this process leads, which it does from now on if nobody else did, until its connection ends."""
        ...

    def servers_away(self) -> list[str]:
        """Servers of the store that do not answer, and which buckets wait for them, in words."""
        ...

    def beat(self, daemon: DaemonRecord) -> None:
        """A daemon says that it is there. Whoever leads is the only one."""
        ...

    def leave(self, name: str, *, now: float) -> None:
        """A daemon ends in good order: it has stopped, and leads no more."""
        ...

    def list_daemons(self) -> list[DaemonRecord]:
        """The leader first, the others by name; those gone for an hour are forgotten, unless nobody came after."""
        ...

    def clock(self) -> float:
        """What time it is where the store is, which all daemons should agree with."""
        ...

    def draw(self, draws: Sequence[Draw], *, now: float) -> list[Drawn]:
        """Settles what is owed and takes what is wanted, whole tokens only, as far as there is any."""
        ...

    def visited_since(self, after: float, *, limit: int) -> list[Resource]:
        """Resources that were visited after a time, by whichever daemon."""
        ...


class DamageStore(Protocol):
    """Finds and mends what is damaged. Both look at everything: for a doctor, not for every day."""

    def find_damage(self) -> list[Damaged]: ...

    def repair_damage(self) -> list[Damaged]:
        """Puts neutral values where nothing can be read, counts anew, and says what was damaged."""
        ...
