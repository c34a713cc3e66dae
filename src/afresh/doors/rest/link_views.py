"""Links as the REST door shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from afresh.base.records.link_status import CheckStatus, EntryStatus, Standing, Turned, Usage
from afresh.base.records.links import KeptLink, LinkCheck, Origin, Version
from afresh.doors.presenting.times import iso
from afresh.links.verdicts import Change, Content
from afresh.links.watching import Comparison

Time = Annotated[str | None, Field(description="ISO 8601, UTC.", examples=["2026-01-15T08:00:00.000Z"])]
Probability = Annotated[float | None, Field(description="That it is the same page; null: not compared.")]
TurnedInto = Annotated[Turned | None, Field(description="What it turned into behind a friendly 200; null: nothing.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """One link and how it stands."""

    id: Annotated[int, Field(description="Number of its resource.", examples=[17])]
    url: str
    title: str
    folder: str
    tags: tuple[str, ...]
    due: Annotated[str | None, Field(description="Next check; null: none planned.")]
    is_watched: Annotated[bool, Field(description="False: kept, but visited by nobody.")]
    profile: Annotated[Usage, Field(description="What it means: a place, or this very content.")]
    model: Annotated[str, Field(description="Which model judges it: everybody, owner:NAME, shipped, or a number.")]
    entry: Annotated[EntryStatus, Field(description="Follows the newest check.")]
    standing: Annotated[Standing, Field(description="What is told to people; failures are forgiven for some days.")]
    status: Annotated[CheckStatus | None, Field(description="Of the newest check; null: none yet.")]
    code: Annotated[int | None, Field(description="The same as a number.", examples=[1010])]
    checked: Time
    versions: Annotated[int, Field(description="Stored ones.")]
    reference: Annotated[int | None, Field(description="The version compared with; null: none yet.")]
    accepted: Annotated[str | None, Field(description="When that was accepted.")]
    accepted_by: Annotated[str, Field(description="Empty: the first version, taken by itself.")]
    rejected: Annotated[int | None, Field(description="A version a person said is not the page.")]
    probability: Probability
    step: Annotated[float | None, Field(description="The same against the version before.")]
    drifted: Annotated[bool, Field(description="Each step was small; together it is another page.")]
    turned: TurnedInto
    new_url: Annotated[str | None, Field(description="Where it moved to; null: nowhere.")]
    failures: Annotated[int, Field(description="Checks in a row that brought nothing.")]
    failing_days: Annotated[int, Field(description="On so many different days.")]
    failing_since: Time
    changed: Annotated[str | None, Field(description="When its standing changed last.")]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPage:
    """Links, ascending by id."""

    items: tuple[LinkView, ...]
    next: Annotated[int | None, Field(description="Pass as `after` for the next page; null: this was the last.")]
    standings: Annotated[Mapping[str, int], Field(description="How many links stand how, altogether.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One check of a link."""

    id: int
    at: Time
    url: Annotated[str, Field(description="Where the answer came from, after redirects; empty: none came.")]
    http: Annotated[int | None, Field(description="HTTP status; null: no answer.")]
    status: CheckStatus
    code: int
    size: Annotated[int, Field(description="Bytes received.")]
    version: Annotated[int | None, Field(description="What it brought, if still stored.")]
    against: Annotated[int | None, Field(description="The reference of that day, if still stored.")]
    probability: Probability
    turned: TurnedInto
    new_url: str | None
    message: str
    overruled: Annotated[CheckStatus | None, Field(description="What a person said instead.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPage:
    """Checks of a link, newest first."""

    items: tuple[CheckView, ...]
    next: Annotated[int | None, Field(description="Pass as `before` for the next page; null: this was the last.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    """One stored version."""

    id: int
    at: Time
    last_seen: Time
    origin: Origin
    url: str
    title: str
    content_type: str
    size: Annotated[int, Field(description="Bytes of the document.")]
    is_reference: bool
    is_rejected: bool
    content: Annotated[str, Field(description="Where the stored document is shown, sandboxed.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionList:
    """Stored versions of a link, newest first."""

    items: tuple[VersionView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InfluenceView:
    """What one measure said, and how far it moved the decision."""

    measure: str
    value: Annotated[float, Field(description="0: nothing alike; 1: alike.")]
    influence: Annotated[float, Field(description="Above 0: towards the same page.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceView:
    """A run of text and what happened to it."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffView:
    """Two versions side by side."""

    old: int
    new: int
    content: Annotated[Content, Field(description="The verdict.")]
    probability: float
    turned: TurnedInto
    reasons: tuple[str, ...]
    measures: Annotated[tuple[InfluenceView, ...], Field(description="Those that decided, strongest first.")]
    difference: tuple[PieceView, ...]


def view_link(link: KeptLink) -> LinkView:
    state = link.state
    return LinkView(
        id=link.id,
        url=link.url,
        title=link.title,
        folder=link.folder,
        tags=link.tags,
        due=iso(link.due) if link.is_watched else None,
        is_watched=link.is_watched,
        profile=state.usage,
        model=str(link.model),
        entry=state.entry,
        standing=state.standing,
        status=state.status,
        code=None if state.status is None else state.status.code,
        checked=iso(state.checked),
        versions=link.versions,
        reference=state.reference,
        accepted=iso(state.accepted),
        accepted_by=state.accepted_by,
        rejected=state.rejected,
        probability=state.probability,
        step=state.step,
        drifted=state.drifted,
        turned=state.turned,
        new_url=state.new_url or None,
        failures=state.failures,
        failing_days=state.failing_days,
        failing_since=iso(state.failing_since),
        changed=iso(state.changed),
        detail=state.detail,
    )


def view_check(check: LinkCheck) -> CheckView:
    return CheckView(
        id=check.id,
        at=iso(check.at),
        url=check.url,
        http=check.http,
        status=check.status,
        code=check.status.code,
        size=check.size,
        version=check.version,
        against=check.against,
        probability=check.probability,
        turned=check.turned,
        new_url=check.new_url or None,
        message=check.message,
        overruled=check.overruled,
    )


def view_version(version: Version, link: KeptLink) -> VersionView:
    return VersionView(
        id=version.id,
        at=iso(version.at),
        last_seen=iso(version.last_seen),
        origin=version.origin,
        url=version.url,
        title=version.title,
        content_type=version.content_type,
        size=version.size,
        is_reference=version.id == link.state.reference,
        is_rejected=version.id == link.state.rejected,
        content=f"/api/v1/links/{link.id}/versions/{version.id}/content",
    )


def view_diff(made: Comparison) -> DiffView:
    verdict = made.verdict
    return DiffView(
        old=made.old.id,
        new=made.new.id,
        content=verdict.content,
        probability=verdict.probability,
        turned=None if verdict.turned is None else verdict.turned.kind,
        reasons=verdict.reasons,
        measures=tuple(
            InfluenceView(measure=item.measure, value=item.value, influence=item.influence) for item in made.influences
        ),
        difference=tuple(PieceView(change=piece.change, text=piece.text) for piece in made.difference),
    )
