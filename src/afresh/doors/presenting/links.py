"""Links: how each stands, and its versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.links import (
    CheckStatus,
    EntryStatus,
    KeptLink,
    Origin,
    Standing,
    Usage,
    Version,
    nothing_to_accept,
)
from afresh.doors.presenting.checks import Probability, TurnedInto
from afresh.doors.presenting.fields import About, NextNumber, Time
from afresh.doors.presenting.folders import FolderPlace, view_tree
from afresh.doors.presenting.lists import list_of
from afresh.doors.presenting.showing import shown
from afresh.doors.presenting.times import iso
from afresh.links.reasons import in_brief, reasons_of
from afresh.links.repairs import why_no_repair

ARCHIVE = "https://web.archive.org/web"  # a reader's browser is shown the way there; afresh itself asks nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderView(FolderPlace):
    """A folder of links, with the way to it."""

    path: str
    links: Annotated[int, About("In it and below it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """One link and how it stands."""

    id: Annotated[int, About("Number of its resource.", 17)]
    url: str
    title: str
    folder: str
    tags: tuple[str, ...]
    note: Annotated[str, About("What its owner wrote about it.")]
    due: Annotated[str | None, About("Next check; null: none planned.")]
    is_watched: Annotated[bool, About("False: kept, but visited by nobody.")]
    profile: Annotated[Usage, About("What it means: a place, this very content, or a page that changes by nature.")]
    model: Annotated[str, About("Which model judges it: everybody, owner:NAME, shipped, or a number.")]
    entry: Annotated[EntryStatus, About("Follows the newest check.")]
    standing: Annotated[Standing, About("What is told to people; failures are forgiven for some days.")]
    status: Annotated[CheckStatus | None, About("Of the newest check; null: none yet.")]
    code: Annotated[int | None, About("The same as a number.", 1010)]
    checked: Time | None
    versions: Annotated[int, About("Stored ones.")]
    reference: Annotated[int | None, About("The version compared with; null: none yet.")]
    accepted: Annotated[str | None, About("When that was accepted.")]
    accepted_by: Annotated[str, About("Empty: the first version, taken by itself.")]
    rejected: Annotated[int | None, About("A version a person said is not the page.")]
    probability: Probability
    step: Annotated[float | None, About("The same against the version before.")]
    drifted: Annotated[bool, About("Each step was small; together it is another page.")]
    turned: TurnedInto
    new_url: Annotated[str | None, About("Where it moved to; null: nowhere.")]
    left_because: Annotated[
        str | None,
        About("Why new_url is not put in place of the old address by itself; null: it is, or there is none."),
    ]
    not_accepted_because: Annotated[
        str | None, About("Why what is there now cannot be accepted: no page is. Null: it can.")
    ]
    archive: Annotated[
        str | None,
        About("Where an archive has a copy of a broken or suspect page, or may have one. Null: it is neither."),
    ]
    failures: Annotated[int, About("Checks in a row that brought nothing.")]
    failing_days: Annotated[int, About("On so many different days.")]
    failing_since: Time | None
    changed: Annotated[str | None, About("When its standing changed last.")]
    detail: Annotated[str, About("What the newest check found, in one sentence.")]
    reasons: Annotated[tuple[str, ...], About("All that it found, the weightiest first.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPage:
    """Links, ascending by id."""

    items: tuple[LinkView, ...]
    next: NextNumber
    standings: Annotated[Mapping[str, int], About("How many links stand how, altogether.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    """One stored version."""

    id: int
    at: Time | None
    last_seen: Time | None
    origin: Origin
    url: str
    title: str
    content_type: str
    size: Annotated[int, About("Bytes of the document.")]
    is_reference: bool
    is_rejected: bool
    content: Annotated[str, About("Where the stored document is shown, sandboxed.")]


VersionList = list_of(VersionView, "VersionList", "Stored versions of a link, newest first.")


def view_link(link: KeptLink) -> LinkView:
    state = link.state
    return shown(
        LinkView,
        link,
        state,
        due=iso(link.due) if link.is_watched else None,
        profile=state.usage,
        model=str(link.model),
        code=None if state.status is None else state.status.code,
        new_url=state.new_url or None,
        left_because=why_no_repair(link.url, state) or None,
        not_accepted_because=nothing_to_accept(link) or None,
        archive=archived_copy(link),
        detail=in_brief(state.turned, state.detail),
        reasons=reasons_of(state.turned, state.detail),
    )


def archived_copy(link: KeptLink) -> str | None:
    """Where an archive has the page of a dead link, else where the Internet Archive may, as it was when saved."""
    if link.state.standing not in (Standing.BROKEN, Standing.SUSPECT) or not link.url.startswith(
        ("http://", "https://")
    ):
        return None
    if link.archived:
        return link.archived
    known = iso(link.saved or link.state.accepted)
    moment = "".join(filter(str.isdigit, known or ""))[:14]
    return f"{ARCHIVE}/{moment or 2}/{link.url}"


def view_folders(counts: Mapping[str, int]) -> tuple[FolderView, ...]:
    """The tree of folders, each before those below it; a folder above others is there though it has no links itself.

    >>> [(folder.path, folder.depth, folder.links) for folder in view_folders({"": 3, "a/b": 2, "a": 1})]
    [('a', 0, 3), ('a/b', 1, 2)]
    """
    return view_tree(FolderView, counts, "links")


def view_version(version: Version, link: KeptLink) -> VersionView:
    return shown(
        VersionView,
        version,
        is_reference=version.id == link.state.reference and not link.state.is_candidate,
        is_rejected=version.id == link.state.rejected,
        content=f"/api/v1/links/{link.id}/versions/{version.id}/content",
    )
