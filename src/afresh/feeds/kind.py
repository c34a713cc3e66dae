"""The feed as a kind of visit: which entries are new, and when its rule wants to see it again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from afresh.base.errors import ParseError
from afresh.base.models import (
    Bounds,
    Explanation,
    FeedDocument,
    Fetched,
    ParsedEntry,
    Request,
    Resource,
    Result,
    Row,
    Site,
    Window,
)
from afresh.base.records.explained import TOLD_BY_A_HUB
from afresh.base.registry import read_spec
from afresh.base.settings.sections import PredictSettings
from afresh.base.visits import Answer, Finding, OneRequest, Planned, Seat, conditional, out_of_turn, own_bounds
from afresh.feeds.patterns import Pattern, classify
from afresh.feeds.publisher_hints import earliest_allowed
from afresh.feeds.rules import hints as hint
from afresh.feeds.rules import load, values_of
from afresh.feeds.rules.rule import Rule
from afresh.feeds.stream import CLOCK_NOISE, Comparison, compare, joined, lost_between
from afresh.parse import child_reader
from afresh.parse.feed import CUT_OFF, HALF_AN_ENTRY, HTML_PAGE, parse_feed, says_something
from afresh.parse.headers import link_hub

if TYPE_CHECKING:
    from afresh.base.records.pages import SignalCounts
    from afresh.feeds.governed_feeds import Governing
    from afresh.feeds.profiles import Profiles
    from afresh.feeds.rounds import GroupKey, Member
    from afresh.feeds.weights import Worth

#: (count, oldest) of the entries a resource published since a time; the store answers it
EntryCounts = Callable[[int, float], tuple[int, float | None]]

_ACCEPT = (
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
_READERS = 10  # that an explanation names
_NAMED = 3  # feeds of a page that an error names
_ALSO_KEPT = 20  # of those that are not taken, with the one that is
_SPANS = (("7d", 7 * 86_400.0), ("30d", 30 * 86_400.0))


@lru_cache(maxsize=1024)
def rule_of(spec: str, bounds: Bounds, fairness: float | None = None) -> Rule:
    """The rule of that name with these bounds, made once; ``fairness`` is for rules that know it and name none."""
    rule = load(spec, bounds)
    if fairness is None or "fairness" not in values_of(rule) or "fairness" in read_spec(spec)[1]:
        return rule
    return cast("Rule", replace(cast("Any", rule), fairness=fairness))


@dataclass(frozen=True, slots=True)
class FeedKind(OneRequest):
    """Visits of feeds; the rules are the steps the lab replays."""

    predict: PredictSettings
    counts: EntryCounts | None = None
    price: Callable[[Resource], float] | None = None  # of a visit, in entry-seconds; None: the rule's own
    profiles: Callable[[], Profiles] | None = None  # of rules that are trained
    pushed: Callable[[int, float], float | None] | None = None  # interval of the safety net of a feed a hub tells of
    content: int = 20_000  # characters of an entry's text that are kept
    worth: Callable[[], Worth | None] = lambda: None  # of an entry, to those who read it; None: its own weight
    governing: Callable[[], Governing | None] = lambda: None  # asked before the rules; None: these decide
    fairness: float | None = None  # between entries (0) and feeds (1), for rules that know it; None: their own

    def request(self, resource: Resource, *, no_cache: bool) -> Request:
        return conditional(resource, no_cache=no_cache, accept=_ACCEPT, is_crawl=False, is_feed=True)

    def judge(self, answer: Answer, plain: Finding) -> Finding:
        outcome = answer.outcome
        if not isinstance(outcome, Fetched):
            return plain
        headers = outcome.trip.headers
        try:
            content_type, url = headers.get("content-type", ""), outcome.trip.final_url
            document = child_reader.read(parse_feed, FeedDocument, outcome.body, content_type=content_type, url=url)
            entries = _whole_entries(document)
        except ParseError as error:
            named = _naming_feeds(str(error), outcome)
            return replace(
                plain,
                result=Result.UNPARSABLE,
                error=named.words,
                instead=named.main,
                also_announced=tuple(url for url in named.all if url != named.main)[:_ALSO_KEPT],
            )
        clock_offset = (plain.clock_offset or 0.0) if self.predict.clock_offset else 0.0
        found = compare(
            entries,
            answer.before.window,
            now=answer.now,
            previous_poll=answer.before.last_ok,
            clock_offset=clock_offset,
        )
        return replace(
            plain,
            result=Result.NEW if found.new else Result.SAME,
            title=document.facts.title,
            window=_kept_window(answer.before, found.window, document),
            window_size=len(entries),
            entries=tuple(replace(entry, parsed=self._trimmed(entry.parsed)) for entry in found.new),
            # What a damaged document says of an entry may be half of it.
            revised=()
            if document.repaired
            else tuple(one._replace(parsed=self._trimmed(one.parsed)) for one in found.revised),
            missed=found.missed,
            lost=_lost(found, answer, clock_offset),
            repaired=document.repaired,
            facts=replace(
                document.facts,
                request_time_dates=found.request_time_dates,
                hub=link_hub(headers) or document.facts.hub,  # WebSub §4: the header goes before the document
                answered_at="" if _server(url) == _server(answer.before.url) else url,
            ),
        )

    def _trimmed(self, entry: ParsedEntry) -> ParsedEntry:
        limit = self.content
        if len(entry.content) <= limit and len(entry.summary) <= limit:
            return entry
        return replace(entry, content=entry.content[:limit], summary=entry.summary[:limit])

    def learn(self, known: Resource, answer: Answer, finding: Finding) -> Resource:
        facts = finding.facts
        if facts is None:
            return known
        if not facts.site_url:  # a list that names its home page knows more than the feed
            facts = replace(facts, site_url=known.facts.site_url)
        if known.facts.also_announced:
            facts = replace(facts, also_announced=known.facts.also_announced)
        pattern = known.pattern
        if finding.entries or not pattern:
            is_made_up = facts.request_time_dates
            pattern = (Pattern.ON_THE_FLY if is_made_up else classify(known.window.times, answer.now)).value
        capacity = max(known.capacity, finding.window_size or 0)
        return replace(known, facts=facts, capacity=capacity, pattern=pattern, repaired=finding.repaired)

    def plan(self, known: Resource, answer: Answer, finding: Finding) -> Planned:
        if (governing := self.governing()) is not None and (chosen := governing.of(known)) is not None:
            return governing.plan(chosen, known, answer, finding, self.bounds(known))
        now, rule = answer.now, self.rule(known)
        state = _state(known, rule)
        hints = self.hints(replace(known, last_ok=answer.before.last_ok), rule, now, missed=finding.missed)
        times = known.window.times
        due = type(rule).step(rule.params(), state, now, times, len(finding.entries), hints, answer.u)
        due, reason = self._put_off(known, due, rule.explain(state, now, times, hints).summary, now=now)
        return Planned(due, reason, state=state, state_of=rule.name)

    def _put_off(self, known: Resource, due: float, reason: str, *, now: float) -> tuple[float, str]:
        """Later than the rule says: hours in which nothing is published, and a hub that tells sooner."""
        facts = known.facts
        if self.predict.skips and (facts.skip_hours or facts.skip_days):
            allowed = earliest_allowed(due, skip_hours=facts.skip_hours, skip_days=facts.skip_days)
            if allowed is not None and allowed > due:
                due, reason = allowed, f"{reason}; put off by skipHours/skipDays"
        slowest = self.pushed(known.id, now) if self.pushed else None
        if slowest is not None and due < now + slowest:
            due, reason = now + slowest, f"{TOLD_BY_A_HUB}; polled as a safety net. Without it: {reason}"
        return due, reason

    def rule(self, resource: Resource) -> Rule:
        return rule_of(self._spec(resource), self.bounds(resource), self.fairness)

    def seat(self, known: Resource, answer: Answer, planned: Planned, *, free: float) -> Seat:  # noqa: ARG002
        return out_of_turn(answer.before)

    def is_priced(self, resource: Resource) -> bool:
        return not self.is_governed(resource) and self.rule(resource).is_priced

    def is_governed(self, resource: Resource) -> bool:
        """Whether a refresh strategy decides, and no rule."""
        governing = self.governing()
        return governing is not None and governing.of(resource) is not None

    def member(self, resource: Resource) -> tuple[GroupKey, Member] | None:
        """How it stands among the feeds of its strategy; None: none governs it."""
        governing = self.governing()
        if governing is None:
            return None
        return governing.member(resource, bounds=self.bounds(resource), weight=self.worth_of(resource))

    def worth_of(self, resource: Resource) -> float:
        """Of one of its entries."""
        worth = self.worth()
        return resource.weight if worth is None else worth.of(resource)

    def own_price(self, resource: Resource) -> float | None:
        """The price that its rule names, as ``priced:price=500``; None: it names none."""
        if "price" not in read_spec(self._spec(resource))[1] or not self.is_priced(resource):
            return None
        return float(values_of(self.rule(resource))["price"])

    def _spec(self, resource: Resource) -> str:
        return resource.rule or self.predict.rule

    def bounds(self, resource: Resource) -> Bounds:
        """Its own or the settings', with ttl as bound where that is wanted."""
        bounds = own_bounds(resource, self.predict.bounds)
        if not resource.facts.ttl or self.predict.ttl == "ignore":
            return bounds
        # [R12] §5.2 has no longest interval; here a feed must not silence itself with a ttl of years
        shortest = min(max(bounds.shortest, resource.facts.ttl), bounds.longest)
        longest = shortest if self.predict.ttl == "interval" else bounds.longest
        return Bounds(shortest, longest, min(max(bounds.standard, shortest), longest))

    def hints(self, resource: Resource, rule: Rule, now: float, *, missed: bool) -> Row:
        """What besides the window a rule may look at; ``resource.last_ok`` is the visit before."""
        known = {
            "previous": math.nan if resource.last_ok is None else resource.last_ok,
            "ttl": math.nan if resource.facts.ttl is None else resource.facts.ttl,
            "max_age": math.nan if resource.max_age is None else resource.max_age,
            "capacity": float(resource.capacity),
            "weight": self.worth_of(resource),
            "missed": float(missed),
            "price": math.nan if self.price is None else self.price(resource),
        }
        if self.counts is not None and getattr(rule, "needs_counts", False):
            for name, span in _SPANS:
                count, oldest = self.counts(resource.id, now - span)
                known[f"count_{name}"] = float(count)
                known[f"oldest_{name}"] = math.nan if oldest is None else oldest
        profile = None
        if rule.profile_size:
            trained = self.profiles and self.profiles().profile(resource.id, rule, now)
            profile = np.zeros(rule.profile_size) if trained is None else trained
        return hint.row(profile, **known)

    def explain(
        self,
        resource: Resource,
        *,
        now: float,
        site: Site | None = None,  # noqa: ARG002 (a feed has no place in an order)
        signals: Mapping[str, SignalCounts] | None = None,  # noqa: ARG002
    ) -> Explanation:
        if (governing := self.governing()) is not None and (chosen := governing.of(resource)) is not None:
            return self._with_readers(
                resource, governing.explain(chosen, resource, now=now, bounds=self.bounds(resource))
            )
        rule = self.rule(resource)
        hints = self.hints(resource, rule, now, missed=False)
        at = now if resource.last_ok is None else min(now, resource.last_ok)  # when the reason was written
        told = self._with_readers(resource, rule.explain(_state(resource, rule), at, resource.window.times, hints))
        if not resource.reason:
            return told
        planned = resource.due - (now if resource.last_visit is None else resource.last_visit)
        return replace(told, summary=resource.reason, numbers={**told.numbers, "interval": planned})

    def _with_readers(self, resource: Resource, told: Explanation) -> Explanation:
        if (worth := self.worth()) is not None:
            readers = tuple(map(str, worth.readers(resource)[:_READERS]))
            told = replace(told, readers=readers, numbers={**told.numbers, "worth": worth.of(resource)})
        return told


def _server(url: str) -> list[str]:
    """Scheme, host and port."""
    return url.split("/", 3)[:3]


def _kept_window(before: Resource, shown: Window, document: FeedDocument) -> Window:
    """What the next document is compared with: of one that was cut off there may be more than it shows."""
    if not {CUT_OFF, HALF_AN_ENTRY} & set(document.repaired):
        return shown
    return joined(before.window, shown, most=2 * max(before.capacity, len(document.entries)))


def _whole_entries(document: FeedDocument) -> tuple[ParsedEntry, ...]:
    """Those that say something, without half an entry where the document was cut off.

    That would come again, whole, as another one.
    """
    entries = document.entries
    if HALF_AN_ENTRY in document.repaired:
        entries = entries[:-1]
        if not entries:
            raise ParseError("ends within its first entry: it was cut off, or not written to its end")
    return tuple(filter(says_something, entries))


def _lost(found: Comparison, answer: Answer, clock_offset: float) -> float:
    """Entries taken for lost; where no dates say how long nobody looked 1, if the feed was silent for less than that.

    A window that reaches back beyond the visit before has lost nothing: its entries are the same under new names.
    """
    previous, before = answer.before.last_ok, answer.before.window.times
    if not found.missed or previous is None:
        return 0.0
    raw = [entry.published_raw + clock_offset for entry in found.new if entry.published_raw is not None]
    if not found.request_time_dates and any(before[0] <= time < previous - CLOCK_NOISE for time in raw):
        return 0.0
    newest = float(before[-1])
    if found.request_time_dates or any(entry.published >= entry.found for entry in found.new):
        return float(previous - newest < answer.now - previous)
    return lost_between(found.window.times, now=answer.now, previous_poll=previous, newest_before=newest)


class _Named(NamedTuple):
    """What is wrong with a document; of a page the feeds it announces, and the one to take."""

    words: str
    main: str = ""
    all: tuple[str, ...] = ()


def _naming_feeds(error: str, outcome: Fetched) -> _Named:
    if not error.startswith(HTML_PAGE):
        return _Named(error)
    from afresh.parse.discover import FoundFeed, announced_feeds, main_feed  # noqa: PLC0415 (it was taken for a feed)

    content_type, url = outcome.trip.headers.get("content-type", ""), outcome.trip.final_url
    try:
        found = child_reader.read(
            announced_feeds, list[FoundFeed], outcome.body, base_url=url, content_type=content_type
        )
    except ParseError:
        return _Named(error)
    named = [feed.url for feed in found if feed.announced]
    if not named:
        return _Named(f"{HTML_PAGE}, and it announces none")
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    words = f"{HTML_PAGE}; it announces {', '.join(named[:_NAMED])}{more}"
    return _Named(words, main_feed(found), tuple(dict.fromkeys(named)))


def _state(resource: Resource, rule: Rule) -> Row:
    return rule.state_from(resource.state) if resource.state_of == rule.name else np.zeros(rule.state_size)
