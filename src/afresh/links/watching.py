"""Watched links: judged against their reference version, recorded with what follows from it.

The reference advances on acceptance only, so a replaced page does not turn well by itself, and a page that creeps away
in small steps is noticed: each step is like the one before, but no longer like the version that was accepted.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock

from afresh.base.errors import UsageError
from afresh.base.models import Fetched, NotModified, Outcome, Trip
from afresh.base.records.labels import ModelChoice
from afresh.base.records.link_status import CheckStatus, Standing, Usage
from afresh.base.records.links import CheckRecord, KeptLink, LinkState, LinkStore, NewVersion, Version
from afresh.base.settings.watching import LinkSettings
from afresh.links.judge import CheckResult, judge_page, judge_without_page
from afresh.links.measures import Profile
from afresh.links.verdicts import Influence, Piece, Verdict, VerdictModel, diff_pages, explain, judge_pages
from afresh.links.workflow import Grace, advance, event_of
from afresh.parse.documents import mark_of, read_document

_CACHED = 64  # profiles of versions kept in memory
#: the model that judges a link of which this was chosen
ModelFor = Callable[[ModelChoice], VerdictModel]

UNREADABLE = ("binary", "empty")  # kinds of documents that say nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A check of a watched link: the answer for people, and what is to be recorded."""

    result: CheckResult
    record: CheckRecord


def read_outcome(outcome: Fetched) -> Profile:
    """What arrived, read by the reader of its content type."""
    content_type = outcome.trip.headers.get("content-type", "")
    return Profile(read_document(outcome.body, url=outcome.trip.final_url, content_type=content_type))


class LinkJudge:
    """Judges watched links. Reads the store, writes nothing: the record does that, with the visit or by itself."""

    def __init__(self, store: LinkStore, settings: LinkSettings, *, model: ModelFor) -> None:
        self._store, self._settings, self._model = store, settings, model
        self._profiles: OrderedDict[int, Profile] = OrderedDict()
        self._lock = Lock()

    def judge(
        self,
        resource: int,
        outcome: Outcome,
        *,
        page: Profile | None = None,
        probe: Profile | None = None,
        usage: Usage | None = None,
    ) -> Judged:
        """``page`` is what arrived if it was read already; ``probe`` the site's answer for a page that cannot be.

        ``usage`` takes the place of the link's own.
        """
        link = self._store.link(resource)
        if isinstance(outcome, NotModified) and (again := self._as_seen_last(link, outcome)):
            outcome, page = again
        if not isinstance(outcome, Fetched):
            return self._record(link, judge_without_page(link.url, outcome), outcome.trip)
        page = page or read_outcome(outcome)
        saved = None if link.state.reference is None else self.profile(link.state.reference)
        meant = usage or link.state.usage
        result = judge_page(link.url, outcome, page, saved, model=self._model(link.model), usage=meant, probe=probe)
        result = self._mind_rejection(link, result, page)
        version = None if page.page.kind in UNREADABLE else version_of(outcome, page)
        step = self._step(link, page)
        return self._record(link, result, outcome.trip, version=version, step=step)

    def profile(self, version: int) -> Profile:
        """A stored version as it is compared; kept in memory while it is asked for."""
        with self._lock:
            known = self._profiles.get(version)
            if known is not None:
                self._profiles.move_to_end(version)
                return known
        stored = self._store.version(version)
        body = self._store.version_body(version)
        made = Profile(read_document(body, url=stored.url, content_type=stored.content_type))
        with self._lock:
            self._profiles[version] = made
            while len(self._profiles) > _CACHED:
                self._profiles.popitem(last=False)
        return made

    def _as_seen_last(self, link: KeptLink, outcome: NotModified) -> tuple[Fetched, Profile] | None:
        """304 repeats what was seen last, which need not be the reference: that version is judged again."""
        newest = self._store.versions(link.id, limit=1)
        if not newest:
            return None
        body = self._store.version_body(newest[0].id)
        trip = replace(outcome.trip, headers={**outcome.trip.headers, "content-type": newest[0].content_type})
        return Fetched(trip=trip, status=304, body=body), self.profile(newest[0].id)

    def _mind_rejection(self, link: KeptLink, result: CheckResult, page: Profile) -> CheckResult:
        """A page closer to a version a person rejected than to the reference is not the page, whatever a model says."""
        rejected = link.state.rejected
        if rejected is None or result.verdict is None or not result.verdict.is_same:
            return result
        verdict = judge_pages(self.profile(rejected), page, model=self._model(link.model), usage=link.state.usage)
        if not verdict.is_same or verdict.probability < result.verdict.probability:
            return result
        return replace(result, status=CheckStatus.DIFFERENT, detail="like the version that was rejected")

    def _step(self, link: KeptLink, page: Profile) -> Verdict | None:
        """Against the version before, where that is not the reference itself."""
        newest = self._store.versions(link.id, limit=1)
        if not newest or link.state.reference is None or newest[0].id == link.state.reference:
            return None
        return judge_pages(self.profile(newest[0].id), page, model=self._model(link.model), usage=link.state.usage)

    def _record(
        self,
        link: KeptLink,
        result: CheckResult,
        trip: Trip,
        *,
        version: NewVersion | None = None,
        step: Verdict | None = None,
    ) -> Judged:
        drifted = _has_drifted(link.state, result, step)
        if drifted:
            because = "drifted: every change was small, together it is no longer the page that was accepted"
            result = replace(result, detail="; ".join(part for part in (because, result.detail) if part))
        check = result.as_check(trip.finished)
        settings = self._settings
        grace = Grace(failures=settings.failures, days=settings.days)
        probability = None if step is None else step.probability
        after = advance(link.state, check, grace=grace, step=probability, drifted=drifted)
        record = CheckRecord(
            resource=link.id,
            check=check,
            state=after,
            version=version,
            becomes_reference=_is_first_reference(result),
            keep_versions=settings.versions,
            keep_checks=settings.checks,
            event=event_of(link.id, link.url, link.title or result.title, link.state, after),
        )
        return Judged(result=result, record=record)


def version_of(outcome: Fetched, page: Profile) -> NewVersion:
    """What arrived, to be stored."""
    return NewVersion(
        at=outcome.trip.finished,
        url=outcome.trip.final_url,
        mark=mark_of(page.page, outcome.body),
        body=outcome.body,
        content_type=outcome.trip.headers.get("content-type", "")[:200],
        title=page.page.title,
    )


def _has_drifted(state: LinkState, result: CheckResult, step: Verdict | None) -> bool:
    """Different from the reference, though like the version before, which was still well (or had drifted)."""
    if result.status is not CheckStatus.DIFFERENT or result.turned is not None or step is None or not step.is_same:
        return False
    return state.drifted or state.standing is Standing.OK


def _is_first_reference(result: CheckResult) -> bool:
    """A page that is well, or well at its new address; a parked page is nothing to compare with later."""
    if result.turned is not None:
        return False
    return result.status is CheckStatus.NEW or (
        result.status is CheckStatus.MOVED and result.new_url == result.final_url
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two stored versions of a link side by side: the verdict, the measures that decided, what changed."""

    old: Version
    new: Version
    verdict: Verdict
    influences: tuple[Influence, ...]
    difference: tuple[Piece, ...]


def compare_versions(
    store: LinkStore, resource: int, *, old: int | None = None, new: int | None = None, model: ModelFor
) -> Comparison:
    """Compares two versions of a link; None stands for the reference and for the newest one."""
    link = store.link(resource)
    newest = store.versions(resource, limit=1)
    old = link.state.reference if old is None else old
    if old is None or not newest:
        raise UsageError(f"no version of {link.url} is stored yet; it has to be checked first")
    before, after = store.version(old), store.version(newest[0].id if new is None else new)
    for version in (before, after):
        if version.resource != resource:
            raise UsageError(f"version {version.id} is none of {link.url}; its history lists those that are stored")
    return compare_stored(store, before, after, model=model(link.model), usage=link.state.usage)


def compare_stored(
    store: LinkStore, old: Version, new: Version, *, model: VerdictModel, usage: Usage = Usage.REFERENTIAL
) -> Comparison:
    """Compares any two stored versions, be they of one link or not."""
    judge = LinkJudge(store, LinkSettings(), model=lambda _: model)
    before, after = judge.profile(old.id), judge.profile(new.id)
    verdict = judge_pages(before, after, model=model, usage=usage)
    return Comparison(
        old=old,
        new=new,
        verdict=verdict,
        influences=explain(verdict, model),
        difference=diff_pages(before.page, after.page),
    )
