"""Two stored versions of a link side by side, for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.records.links import Usage, Version, no_version
from afresh.links.difference import Piece, diff_pages
from afresh.links.verdicts.comparison import Influence, explain, judge_pages
from afresh.links.verdicts.model import VerdictModel
from afresh.links.verdicts.without_model import Verdict
from afresh.links.versions import ModelFor, StoredPages

if TYPE_CHECKING:
    from afresh.base.records.link_store import LinkReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two stored versions of a link side by side: the verdict, the measures that decided, what changed."""

    old: Version
    new: Version
    verdict: Verdict
    influences: tuple[Influence, ...]
    difference: tuple[Piece, ...]


def compare_versions(
    links: LinkReader, resource: int, *, old: int | None = None, new: int | None = None, model: ModelFor
) -> Comparison:
    """Compares two versions of a link; None stands for the reference and for the newest one."""
    link = links.link(resource)
    newest = links.versions(resource, limit=1)
    old = link.state.reference if old is None else old
    if old is None or not newest:
        raise UsageError(no_version(link))
    before, after = links.version(old), links.version(newest[0].id if new is None else new)
    for version in (before, after):
        if version.resource != resource:
            raise UsageError(f"version {version.id} is none of {link.url}; its history lists those that are stored")
    return compare_stored(links, before, after, model=model(link.model), usage=link.state.usage)


def compare_stored(
    links: LinkReader, old: Version, new: Version, *, model: VerdictModel, usage: Usage = Usage.REFERENTIAL
) -> Comparison:
    """Compares any two stored versions, be they of one link or not."""
    pages = StoredPages(links)
    before, after = pages.profile(old.id), pages.profile(new.id)
    verdict = judge_pages(before, after, model=model, usage=usage)
    return Comparison(
        old=old,
        new=new,
        verdict=verdict,
        influences=explain(verdict, model),
        difference=diff_pages(before.page, after.page),
    )
