"""One visit from its lease to its report: judge, learn, plan."""

import math
from dataclasses import dataclass, replace

from afresh.base.errors import AfreshError
from afresh.base.models import (
    Document,
    Entry,
    Fetched,
    Kind,
    Lease,
    Outcome,
    ParsedEntry,
    Report,
    Request,
    Resource,
    Result,
    Site,
    Visit,
)
from afresh.base.pacing import next_allowed, retry_after_of
from afresh.base.records.pages import Heard
from afresh.base.settings.watching import WatchSettings
from afresh.engine.judge import Finding, judge
from afresh.engine.learn import confirmed_move, learn
from afresh.engine.link_visits import LinkVisits
from afresh.engine.plan import Planner
from afresh.engine.site_turns import manners_of, pause_of
from afresh.parse.headers import http_date
from afresh.parse.sites import Sites
from afresh.parse.url import canonical

ACCEPT = (
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)


def request_for(resource: Resource, *, no_cache: bool) -> Request:
    """The request a visit makes: conditional whenever the last answer gave us something to ask with."""
    return Request(
        url=resource.url,
        etag=resource.validators.etag,
        last_modified=resource.validators.last_modified,
        no_cache=no_cache,
        accept=ACCEPT,
        is_crawl=resource.kind in (Kind.PAGE, Kind.SITEMAP),
    )


@dataclass(frozen=True, slots=True)
class Concluder:
    """Turns the outcome of a leased visit into the report the store applies; touches nothing itself."""

    settings: WatchSettings
    planner: Planner
    sites: Sites
    links: LinkVisits | None = None  # None: links are watched like pages, without verdicts

    def conclude(
        self, lease: Lease, outcome: Outcome, *, site_delay: float | None, u: float, site: Site | None = None
    ) -> Report:
        """``u`` is a random number of the caller; ``site_delay`` overrides the settings' delay."""
        resource, trip = lease.resource, outcome.trip
        record = None
        if resource.kind is Kind.LINK and self.links is not None:
            finding, record = self.links.conclude(lease, outcome)
            known = learn(resource, outcome, finding, self.settings.errors)  # a move is offered, not followed
        else:
            finding = judge(resource, outcome, shift_clock=self.settings.predict.clock_offset)
            known = self._follow_move(learn(resource, outcome, finding, self.settings.errors))
        planned = self.planner.plan(
            replace(known, last_ok=resource.last_ok), finding, now=trip.finished, u=u, site=site
        )
        manners = manners_of(self.settings.politeness)
        free = next_allowed(outcome, manners=manners, delay=pause_of(outcome, site, site_delay))
        wait = planned.wait if known.site == resource.site else math.inf
        turn, frequency, pace = self.planner.seat(resource, planned, site, wait=wait, now=trip.finished, free=free)
        known = replace(
            known,
            due=planned.due,
            reason=planned.reason,
            state=planned.state,
            state_of=planned.state_of,
            last_interval=planned.due - trip.finished if finding.result.is_success else resource.last_interval,
            turn=turn,
            frequency=frequency,
        )
        asked = retry_after_of(outcome, manners=manners)
        return Report(
            lease=lease.id,
            visit=self._visit(known, outcome, finding),
            resource=known,
            next_allowed=free,
            retry_after=None if asked is None else trip.finished + asked,
            entries=tuple(self._trim(entry) for entry in finding.comparison.new) if finding.comparison else (),
            document=self._kept(resource, outcome, finding),
            link=record,
            pace=pace,
            heard=_heard(resource, finding, trip.finished),
            robots_read=trip.robots_read,
            crawl_delay=trip.crawl_delay,
            listed=finding.sitemap.urls if finding.sitemap else (),
            sitemaps=finding.sitemap.sitemaps if finding.sitemap else (),
        )

    def _follow_move(self, resource: Resource) -> Resource:
        target = confirmed_move(resource.moving, self.settings.errors)
        if target is None:
            return resource
        try:
            url = canonical(target)
        except AfreshError:  # a target we would refuse to add is not moved to either
            return resource
        return replace(resource, url=url, site=self.sites.of(url))

    def _visit(self, resource: Resource, outcome: Outcome, finding: Finding) -> Visit:
        trip, headers = outcome.trip, outcome.trip.headers
        return Visit(
            resource=resource.id,
            started=trip.started,
            finished=trip.finished,
            result=finding.result,
            status=finding.status,
            bytes=trip.bytes,
            etag=headers.get("etag", ""),
            last_modified=headers.get("last-modified", ""),
            date=http_date(headers.get("date", "")),
            expires=http_date(headers.get("expires", "")),
            max_age=finding.max_age,
            window_size=len(finding.document.entries) if finding.document else None,
            new=finding.new,
            missed=finding.missed,
            next_due=resource.due,
            reason=resource.reason,
            error=finding.error,
        )

    def _trim(self, entry: Entry) -> Entry:
        limit = self.settings.keep.content
        parsed = entry.parsed
        if len(parsed.content) <= limit and len(parsed.summary) <= limit:
            return entry
        trimmed: ParsedEntry = replace(parsed, content=parsed.content[:limit], summary=parsed.summary[:limit])
        return replace(entry, parsed=trimmed)

    def _kept(self, resource: Resource, outcome: Outcome, finding: Finding) -> Document | None:
        if not isinstance(outcome, Fetched):
            return None
        news = finding.result is Result.NEW and self.settings.keep.archive_news
        if not news and finding.result is not Result.UNPARSABLE:
            return None
        headers = "\n".join(f"{name}: {value}" for name, value in outcome.trip.headers.items())
        why = "news" if news else "unparsable"
        return Document(resource=resource.id, at=outcome.trip.finished, why=why, headers=headers, body=outcome.body)


def _heard(resource: Resource, finding: Finding, now: float) -> Heard | None:
    """What a good visit says about the signals since the one before; a first visit says nothing."""
    if resource.kind is not Kind.PAGE or not finding.result.is_success or resource.last_ok is None:
        return None
    if now <= resource.last_ok:
        return None
    changed = finding.result is Result.NEW
    return Heard(announced=dict(resource.announced), changed=changed, elapsed=now - resource.last_ok)
