"""What a store promises about watched links."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from afresh.base.records.links import (
    Check,
    CheckRecord,
    CheckStatus,
    KeptLink,
    LinkFilter,
    NewVersion,
    Standing,
    Usage,
    Version,
)


class LinkReader(Protocol):
    """What a judge of links asks: how a link stands, and the versions of its page."""

    def link(self, resource: int) -> KeptLink:
        """One link; any resource is a link never checked. Raises ResourceNotFound."""
        ...

    def versions(self, resource: int, *, limit: int = 100) -> list[Version]:
        """Stored versions of a link, newest first."""
        ...

    def version(self, number: int) -> Version:
        """Raises VersionNotFound."""
        ...

    def version_body(self, number: int) -> bytes: ...

    def link_checks(self, resource: int, *, before: int | None = None, limit: int = 100) -> list[Check]:
        """The checks of a link, newest first."""
        ...


class LinkStore(LinkReader, Protocol):
    """Keeps links, their checks and versions. Laws: ``tests.laws.store_links``.

    The reference of a link moves on acceptance only; it, a rejected version and versions that labels speak of are
    never trimmed; a check and what follows from it are recorded together.
    """

    def record_checks(self, records: Sequence[CheckRecord], *, rest: float = 0.0) -> list[Check]:
        """Checks made outside the loop (in it, reports carry them), as they were recorded, in the order given.

        A link without a name gets its page's, and one of which something is known now is due after ``rest`` seconds at
        the earliest. Those of removed resources are dropped.
        """
        ...

    def list_links(self, where: LinkFilter = ..., *, after: int = 0, limit: int = 100) -> list[KeptLink]:
        """A page of resources of kind ``link`` and of others that were checked as links, by number."""
        ...

    def count_links(self, where: LinkFilter = ..., *, after: int = 0) -> int:
        """How many of them there are behind a number."""
        ...

    def links_of_page(self, url: str, *, limit: int = 100) -> list[KeptLink]:
        """Links to a page and to parts of it, by number; of other kinds none."""
        ...

    def link_standings(self) -> Mapping[Standing, int]:
        """How many links stand how."""
        ...

    def untold_links(self) -> int:
        """Of those that are unknown, how many were checked, but could not be told: put off, or refused."""
        ...

    def accept_version(
        self, resource: int, version: int | None = None, *, by: str, now: float, teach: bool = False
    ) -> KeptLink:
        """A version (None: the newest) becomes the reference, the link is well again.

        With ``teach`` old reference and new one become an example of the same page. UsageError where there is no such
        version, NothingToAccept where the last check brought no page: all stays as it is.
        """
        ...

    def compare_with(self, resource: int, version: int, *, by: str, now: float) -> KeptLink:
        """A version is the reference; how the link stands, its next check tells. UsageError as above."""
        ...

    def reject_version(
        self, resource: int, version: int | None = None, *, by: str, now: float, teach: bool = False
    ) -> KeptLink:
        """A version (None: the newest) is not the page: the link is broken until the page comes back."""
        ...

    def set_usage(self, resource: int, usage: Usage) -> KeptLink: ...

    def keep_copies(self, copies: Mapping[int, str]) -> None:
        """Where an archive has copies of the pages of links, by number; of links that are not there nothing is kept."""
        ...

    def take_address(
        self, resource: int, *, url: str, site: str, now: float, seen: CheckStatus | None = None
    ) -> KeptLink:
        """The link is at this address from now on, with all that is kept of it; Conflict if that one is watched.

        How it stands there nobody knows, unless its last check has ``seen`` the page there; it is due at once. A visit
        that is out is of the old address, and left out.
        """
        ...

    def add_version(self, resource: int | None, version: NewVersion, *, keep: int = 10) -> int:
        """Stores a version outside any check (an archive's, an example's); the number of the one with this text."""
        ...
