"""What is watched: adding, finding, changing and removing resources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from afresh.base.errors import ModelError, ResourceNotFound, UsageError
from afresh.base.hashing import bucket_of
from afresh.base.models import Added, Kind, NewResource, Resource, ResourceFilter, Status
from afresh.parse.url import page_of
from afresh.store.buckets import BUCKETS, with_bucket
from afresh.store.locks import Lock
from afresh.store.named_sql import Statement
from afresh.store.sql import filters, rows
from afresh.store.sql.counting import count_resources, count_up
from afresh.store.sql.resource_sites import Home, find_home, find_homes, located, sites_of
from afresh.store.sql.salvage import to_resource
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Session

_EVERYTHING = ResourceFilter()
#: Resources added in one transaction, of about a second: smaller ones write the pages of indexes and sites again.
AT_ONCE = 50_000
_PAGE = 1_000  # resources read at a time while iterating
_TEXTS = ("title", "folder", "note")
_SPANS = ("pinned", "shortest", "longest", "standard")
_MOVES_VISITS = frozenset(("pinned", "shortest", "longest", "weight"))  # what ``base.replanning`` looks at
_INTERCHANGEABLE = (Kind.PAGE, Kind.LINK)  # they share versions and the way they are asked for
CHANGEABLE = (
    "kind",
    "status",
    "title",
    "folder",
    "note",
    "tags",
    "weight",
    "rule",
    "pinned",
    "shortest",
    "longest",
    "standard",
    "due",
)


class Resources(StorePart):
    """What is watched."""

    def add(self, resources: Sequence[NewResource], *, now: float) -> list[Added]:
        """Adds what is not known yet; a long list in several transactions, so that others get their turn in between."""
        _check_addable(resources)
        added: list[Added] = []
        for start in range(0, len(resources), AT_ONCE):
            chunk = resources[start : start + AT_ONCE]
            added += self._database.working(partial(_add, resources=chunk, now=now))
        return added

    def get(self, key: int | str) -> Resource:
        return self._database.look(partial(get, key=key))

    def list_resources(
        self, where: ResourceFilter = _EVERYTHING, *, after: int = 0, limit: int = 100, order: str = "id"
    ) -> list[Resource]:
        """A page behind resource number ``after`` in any order: id, due, url, title, last_visit (latest first)."""
        with self._database.reading() as connection:
            return _page(connection, where, after=after, limit=limit, order=order)

    def count(self, where: ResourceFilter = _EVERYTHING) -> int:
        with self._database.reading() as connection:
            return _count(connection, where)

    def iterate(self, where: ResourceFilter = _EVERYTHING) -> Iterator[Resource]:
        """All of them by number, in pages: no transaction stays open while the caller thinks."""
        after = 0
        while page := self.list_resources(where, after=after, limit=_PAGE):
            yield from page
            after = page[-1].id

    def update(self, resource: int, **changes: object) -> Resource:
        with self._database.writing() as connection:
            return change(connection, resource, changes)

    def take_address(self, resource: int, *, url: str, site: str, now: float) -> Resource:
        from afresh.store.sql.moving import relocate  # noqa: PLC0415 (it changes resources itself)

        with self._database.writing() as connection:
            relocate(connection, resource, url=url, site=site, now=now)
            return get(connection, resource)

    def remove(self, resources: Sequence[int]) -> int:
        with self._database.writing() as connection:
            return _remove(connection, resources)


def _add(connection: Session, resources: Sequence[NewResource], now: float) -> list[Added]:
    """Adds what is not known yet; a known resource is left exactly as it is."""
    connection.hold(Lock.ADDING)
    keys = {new.url: rows.url_key(new.url) for new in resources}
    known = _known_numbers(connection, keys)
    moved = _numbers_by_former(connection, {url: key for url, key in keys.items() if url not in known})
    known |= moved
    fresh = {new.url: new for new in reversed(resources) if new.url not in known}
    # The first of two equal URLs wins; imported order is kept.
    ordered = list(reversed(fresh.values()))
    sites = ensure_sites(connection, {new.site for new in ordered})
    numbered = _write_new(connection, ordered, sites, keys, now)
    result: list[Added] = []
    for new in resources:
        number = numbered.pop(new.url, None)
        if number is not None:
            known[new.url] = number
        result.append(Added(known[new.url], new.url, number is not None, new.url in moved))
    return result


def _write_new(
    connection: Session,
    resources: Sequence[NewResource],
    sites: Mapping[str, int],
    keys: Mapping[str, int],
    now: float,
) -> dict[str, int]:
    """Writes resources and counts them; their numbers by URL."""
    if not resources:
        return {}
    count = len(resources)
    last = int(connection.execute(SQL["take_resource_numbers"], {"count": count}).fetchone()[0])
    usual: list[tuple[object, ...]] = []
    special: list[tuple[object, ...]] = []
    numbered: dict[str, int] = {}
    for number, new in enumerate(resources, last - count + 1):
        numbered[new.url] = number
        row = rows.from_new_resource(new, number=number, key=keys[new.url], site_id=sites[new.site], now=now)
        if more := rows.from_special_resource(new):
            special.append(row + more)
        else:
            usual.append(row)
    with connection.filling("resource", count):
        connection.executemany(SQL["add_resource"], usual)
        connection.executemany(SQL["add_special_resource"], special)
    count_resources(connection, came=[(sites[new.site], str(new.kind), str(new.status)) for new in resources])
    connection.execute(SQL["refresh_ready"], {"sites": as_set(sites.values())})
    return numbered


def _check_addable(resources: Sequence[NewResource]) -> None:
    for new in resources:
        if not new.url or not new.site or rows.clean(new.url) != new.url or rows.clean(new.site) != new.site:
            raise ModelError(f"not a canonical URL with its site: {new.url!r} of {new.site!r}")


def _known_numbers(connection: Session, keys: Mapping[str, int]) -> dict[str, int]:
    found = connection.execute(SQL["known_urls"], {"keys": as_set(keys.values())})
    return {url: number for number, url in found if url in keys}


def _numbers_by_former(connection: Session, keys: Mapping[str, int]) -> dict[str, int]:
    """Resources that were at these addresses before they moved, by address; ``keys`` are those of the addresses."""
    if not keys or not connection.execute(SQL["has_former_addresses"]).fetchone()["any"]:
        return {}  # as in most stores
    found = connection.execute(SQL["former_addresses"], {"keys": as_set(keys.values())})
    return {url: number for number, url in found if url in keys}


def ensure_sites(connection: Session, names: Iterable[str]) -> dict[str, int]:
    """Numbers of sites by name; makes those that are missing. Nobody else does so meanwhile."""
    wanted = sorted(names)
    known = {row["name"]: row["id"] for row in connection.execute(SQL["site_ids"], {"names": as_set(wanted)})}
    if missing := [name for name in wanted if name not in known]:
        known |= _make_sites(connection, missing)
    return known


def _make_sites(connection: Session, names: Sequence[str]) -> dict[str, int]:
    """Their numbers tell their buckets, and grow from site to site."""
    count = len(names)
    last = int(connection.execute(SQL["take_site_numbers"], {"count": count}).fetchone()[0])
    buckets = [bucket_of(name, BUCKETS) for name in names]
    numbers = [with_bucket(n, bucket) for n, bucket in enumerate(buckets, last - count + 1)]
    given = zip(buckets, numbers, names, strict=True)
    connection.executemany(
        SQL["add_site"], [{"bucket": bucket, "id": number, "name": name} for bucket, number, name in given]
    )
    count_up(connection, {"sites": count})
    return dict(zip(names, numbers, strict=True))


def url_is_taken(connection: Session, url: str) -> bool:
    return bool(_known_numbers(connection, {url: rows.url_key(url)}))


def get(connection: Session, key: int | str) -> Resource:
    if isinstance(key, str):
        url = rows.clean(key)
        found = connection.execute(SQL["resource_by_url"], {"key": rows.url_key(url), "url": url}).fetchone()
        if found is None and (former := _former(connection, url)) is not None:
            found = _by_number(connection, former)
    else:
        found = _by_number(connection, int(key))
    if found is None:
        raise ResourceNotFound(str(key))
    return to_resource(found)


def _former(connection: Session, url: str) -> int | None:
    """Who was at an address before, or else, of a page, at a part of it."""
    found = connection.execute(SQL["former_addresses"], {"keys": as_set([rows.url_key(url)])}).fetchall()
    told = {row["url"]: int(row["resource_id"]) for row in found}
    return told.get(url, next((number for was, number in told.items() if page_of(was) == url), None))


def _by_number(connection: Session, number: int) -> Any:
    return connection.execute(SQL["resources_by_id"], {"ids": as_set([number])}).fetchone()


def _page(connection: Session, where: ResourceFilter, *, after: int, limit: int, order: str) -> list[Resource]:
    quick = None
    if order == "due" and not after:
        quick = filters.glimpse(where, limit=limit)
    elif order == "last_visit" and not where.failing:
        quick = filters.lately(where, after=after, limit=limit)
    if quick:
        found = connection.execute(*quick).fetchall()
        if len(found) == limit:
            return [to_resource(row) for row in found]
    statement, values = filters.listing(where, after=after, limit=limit, order=order)
    return [to_resource(row) for row in connection.execute(statement, values)]


def _count(connection: Session, where: ResourceFilter) -> int:
    """How many match; from the running totals where they know it."""
    if where == ResourceFilter(kind=where.kind, status=where.status):
        return sum(value for name, value in connection.execute(SQL["tallies"]) if _tally_matches(name, where))

    def build(small: str) -> tuple[str, dict[str, object]]:
        condition, values = filters.where_clause(where, small)
        return f"SELECT count(*) FROM resource WHERE {condition}", values

    return int(connection.execute(*filters.in_both(build)).fetchone()[0])


def _tally_matches(name: str, where: ResourceFilter) -> bool:
    group, _, rest = name.partition("/")
    kind, _, status = rest.partition("/")
    return group == "resources" and where.kind in (None, kind) and where.status in (None, status)


def change(connection: Session, number: int, changes: dict[str, object]) -> Resource:
    """Changes the operator's columns and puts the site at its new place in the queue."""
    values = {name: _checked(name, value) for name, value in changes.items()}
    before = get(connection, number)
    if "due" not in values and not _MOVES_VISITS.isdisjoint(values):
        from afresh.base.replanning import interval_wished, replanned  # noqa: PLC0415 (few programs change these)

        due, interval = replanned(before, values), interval_wished(before, values)
        values |= {"due": due} if due != before.due else {}
        values |= {"last_interval": interval} if interval is not None else {}
    if "due" in values or values.get("pinned") is not None:
        values |= {"turn": None, "frequency": 0.0}  # the operator's time goes before the order of the site
    home = find_home(connection, number)
    if values.get("kind", before.kind) != before.kind:
        values |= _become(connection, before, str(values["kind"]), home)
    if values:
        assignments = ", ".join(f"{name} = :{name}" for name in values)
        text = f"UPDATE resource SET {assignments} WHERE {{bucket = :bucket AND}} id = :id"
        sql = Statement.called("", text).in_buckets(BUCKETS)
        connection.execute(sql, {**values, "id": number, "bucket": home.bucket})
        kind, status = str(values.get("kind", before.kind)), str(values.get("status", before.status))
        if (kind, status) != (before.kind, before.status):
            was = (home.site, before.kind, before.status)
            count_resources(connection, came=[(home.site, kind, status)], went=[was])
        sites = sites_of([home])
        if "turn" in values:
            connection.execute(SQL["slow_sites"], {"sites": sites, "frequency": before.frequency})
        connection.execute(SQL["refresh_ready"], {"sites": sites})
    return get(connection, number)


def _become(connection: Session, before: Resource, kind: str, home: Home) -> Mapping[str, object]:
    """What else changes for a page that becomes a link, or back: it is asked for as if it were new.

    Its versions stay. The newest of them is what a link is compared with that had nothing to be compared with yet.
    """
    if before.kind not in _INTERCHANGEABLE:
        raise UsageError(f"{before.url} is a {before.kind}; only pages and links can become each other")
    if "#" in before.url:
        raise UsageError(f"{before.url} is a part of a page; add the page itself, without what stands behind #")
    if kind == Kind.LINK:
        connection.execute(SQL["make_link"], {"id": before.id, "bucket": home.bucket})
        connection.execute(SQL["take_reference"], {"id": before.id, "bucket": home.bucket})
    return {"etag": "", "last_modified": ""}


def _checked(name: str, value: object) -> object:
    """The value as its column holds it, or ``UsageError``."""
    if (name == "status" and value in list(Status)) or (name == "kind" and value in _INTERCHANGEABLE):
        return str(value)
    if name in _TEXTS and isinstance(value, str):
        return rows.clean(value)
    if name == "tags" and isinstance(value, (list, tuple)) and all(isinstance(tag, str) for tag in value):
        return rows.pack_strings(value)
    if name == "rule" and (value is None or isinstance(value, str)):
        return value
    if name in _SPANS and value is None:
        return None
    if name in (*_SPANS, "weight", "due") and isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value)
        # "Never" is a due time and an upper bound, but no weight and no interval.
        if name == "due" and not math.isnan(number):
            return number
        if number >= 0 and (number < math.inf or name == "longest"):
            return number
    if name not in CHANGEABLE:
        raise UsageError(f"{name} of a resource cannot be changed; only {', '.join(CHANGEABLE)}")
    raise UsageError(f"{name} of a resource cannot be {value!r}")


def _remove(connection: Session, numbers: Sequence[int]) -> int:
    """Removes resources with their entries, visits and documents; an open lease of the site runs on."""
    homes = find_homes(connection, numbers)
    for name in ("untake_entries_of", "forget_watches_of", "forget_sources_of", "forget_former_addresses_of"):
        connection.execute(SQL[name], {"ids": as_set([home.resource for home in homes])})
    those = {"located": located(homes)}
    connection.execute(SQL["forget_versions"], those)
    gone = [(row[0], row[1], row[2]) for row in connection.execute(SQL["remove_resources"], those)]
    count_resources(connection, went=gone)
    connection.execute(SQL["refresh_ready"], {"sites": sites_of(homes)})
    return len(gone)
