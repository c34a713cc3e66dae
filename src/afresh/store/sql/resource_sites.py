"""Where resources are: the site each belongs to, and with it the bucket. Their own numbers do not tell.

People know a resource by its number, which stays when it moves to another site. So whoever has no more than that looks
here first; leases and reports know the site.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.base.errors import ResourceNotFound
from afresh.store.buckets import bucket_in, with_bucket
from afresh.store.sql.statements import SQL, as_set

if TYPE_CHECKING:
    from afresh.store.session import Session


@dataclass(frozen=True, slots=True)
class Home:
    """A resource, by number, and its site."""

    resource: int
    site: int
    is_active: bool

    @property
    def bucket(self) -> int:
        return bucket_in(self.site)


def find_homes(connection: Session, resources: Iterable[int]) -> list[Home]:
    """Of those of these resources that there are."""
    found = connection.execute(SQL["sites_of_resources"], {"ids": as_set(resources)}).fetchall()
    return [Home(row["id"], row["site_id"], row["status"] == "active") for row in found]


def find_home(connection: Session, resource: int) -> Home:
    """Of one resource; raises ResourceNotFound."""
    for home in find_homes(connection, [resource]):
        return home
    raise ResourceNotFound(str(resource))


def located(homes: Sequence[Home]) -> str:
    """The resources as a set whose numbers tell their buckets."""
    return as_set([with_bucket(home.resource, home.bucket) for home in homes])


def sites_of(homes: Sequence[Home]) -> str:
    """Their sites as a set."""
    return as_set({home.site for home in homes})
