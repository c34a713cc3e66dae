"""One visit from its lease to its report: its kind judges, learns and plans; what is common to all is done here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afresh.base.errors import AfreshError
from afresh.base.models import Fetched, Outcome, Pace, Report, Resource, Result, Status, Visit
from afresh.base.politeness import next_allowed, retry_after_of, site_rest_of
from afresh.base.records.explained import DOUBLED_PAGE
from afresh.base.settings import Settings
from afresh.base.value_class import alike
from afresh.base.visits import Answer, Finding, Planned, own_bounds
from afresh.engine.gate import manners_of, pause_of
from afresh.engine.outcomes import confirmed_move, learn, pin, plain_finding, plan_without_kind
from afresh.engine.wanted_visits import IN_ITS_PLACE
from afresh.parse.headers import http_date
from afresh.parse.url import Sites, canonical

if TYPE_CHECKING:
    from afresh.base.records.history import Document
    from afresh.base.visit_kinds import VisitKind
    from afresh.base.visits import Answer, Finding
    from afresh.engine.kinds import Kinds

_ASKED_NEXT = "{} is a page, which announces this feed: asked for next"


@dataclass(frozen=True, slots=True)
class Concluder:
    """Turns the outcome of a leased visit into the report the store applies; touches nothing itself."""

    settings: Settings
    kinds: Kinds
    sites: Sites

    def conclude(self, answer: Answer) -> Report:
        before, outcome = answer.before, answer.outcome
        kind = self.kinds[before.kind]
        finding = kind.judge(answer, plain_finding(outcome))
        manners = manners_of(self.settings.politeness)
        asked = retry_after_of(outcome, manners=manners)
        if asked is not None:
            finding = replace(finding, retry_after=asked)  # within reason: nobody sends us away for years
        if is_doubled := bool(finding.instead) and before.error == _ASKED_NEXT.format(before.url):  # it was left there
            finding = replace(finding, error=f"{DOUBLED_PAGE}{finding.instead}")
        known = learn(before, outcome, finding, self.settings.errors)
        if finding.result.is_success:
            known = kind.learn(known, answer, finding)
        if kind.follows_moves and known.moving.target:
            known = self._follow_move(known)
        if is_doubled:  # nothing is wrong with it, and nothing to be mended
            known = replace(known, status=Status.PAUSED, counters=replace(known.counters, failures=0))
        elif finding.instead and before.last_ok is None and not before.counters.failures:
            known = self._to_its_feed(known, before, finding)
        planned = self._plan(kind, known, answer, finding)
        pause = pause_of(outcome, answer.site, answer.site.delay if answer.site else None)
        free = next_allowed(outcome, manners=manners, delay=pause)
        place = kind.seat(known, answer, planned, free=free)
        known = replace(
            known,
            due=planned.due,
            reason=planned.reason,
            state=known.state if planned.state is None else planned.state,
            state_of=known.state_of if planned.state is None else planned.state_of,
            last_interval=planned.due - answer.now if finding.result.is_success else before.last_interval,
            turn=place.turn,
            frequency=place.frequency,
        )
        return self._report(answer, finding, known, planned, place.pace, free)

    def _plan(self, kind: VisitKind, known: Resource, answer: Answer, finding: Finding) -> Planned:
        if finding.instead and known.url != answer.before.url:
            return Planned(answer.now, IN_ITS_PLACE)
        bounds = own_bounds(known, self.settings.predict.bounds)
        planned = plan_without_kind(known, answer, finding, errors=self.settings.errors, bounds=bounds)
        if planned is not None:
            return planned
        planned = kind.plan(known, answer, finding)
        return planned if known.pinned is None else pin(planned, known.pinned, now=answer.now)

    def _report(
        self, answer: Answer, finding: Finding, known: Resource, planned: Planned, pace: Pace, free: float
    ) -> Report:
        outcome, trip = answer.outcome, answer.outcome.trip
        manners = manners_of(self.settings.politeness)
        asked = site_rest_of(outcome, manners=manners)
        return alike(
            Report,
            finding,
            trip,
            lease=answer.lease.id,
            visit=_visit(known, outcome, finding),
            resource=known,
            next_allowed=free,
            retry_after=None if asked is None else trip.finished + asked,
            document=self._kept(known, outcome, finding),
            pace=pace,
            is_guess=planned.is_guess,
        )

    def _follow_move(self, resource: Resource) -> Resource:
        target = confirmed_move(resource.moving, self.settings.errors)
        return resource if target is None else self._at(resource, target)

    def _to_its_feed(self, known: Resource, before: Resource, finding: Finding) -> Resource:
        """A page was named for its feed, which is watched in its place; if that is watched already, it stays here."""
        feed = self._at(known, finding.instead)
        feed = replace(feed, facts=replace(feed.facts, also_announced=finding.also_announced))
        if feed.url == before.url:
            return feed
        return replace(feed, error=_ASKED_NEXT.format(before.url))  # nothing is wrong with the feed

    def _at(self, resource: Resource, target: str) -> Resource:
        """It is watched under another address from now on."""
        try:
            url = canonical(target)
        except AfreshError:  # a target we would refuse to add is not moved to either
            return resource
        return replace(resource, url=url, site=self.sites.of(url))

    def _kept(self, resource: Resource, outcome: Outcome, finding: Finding) -> Document | None:
        if not isinstance(outcome, Fetched):
            return None
        news = finding.result is Result.NEW and self.settings.keep.archive_news
        if not news and finding.result is not Result.UNPARSABLE:
            return None
        from afresh.base.records.history import Document  # noqa: PLC0415 (few are kept)

        headers = "\n".join(f"{name}: {value}" for name, value in outcome.trip.headers.items())
        why = "news" if news else "unparsable"
        return Document(resource=resource.id, at=outcome.trip.finished, why=why, headers=headers, body=outcome.body)


def _visit(resource: Resource, outcome: Outcome, finding: Finding) -> Visit:
    trip, headers = outcome.trip, outcome.trip.headers
    return alike(
        Visit,
        finding,
        trip,
        resource=resource.id,
        etag=headers.get("etag", ""),
        last_modified=headers.get("last-modified", ""),
        date=http_date(headers.get("date", "")),
        expires=http_date(headers.get("expires", "")),
        new=len(finding.entries),
        next_due=resource.due,
        reason=resource.reason,
    )
