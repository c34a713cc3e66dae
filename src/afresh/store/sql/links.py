"""Watched links, their checks and stored versions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from afresh.base.errors import ResourceNotFound, UsageError
from afresh.base.records.links import (
    EVERYBODYS,
    Check,
    CheckRecord,
    CheckStatus,
    EntryStatus,
    KeptLink,
    LinkFilter,
    LinkState,
    ModelChoice,
    NewVersion,
    NothingToAccept,
    Origin,
    Standing,
    Usage,
    Version,
    VersionNotFound,
    no_version,
    nothing_to_accept,
)
from afresh.base.search_words import has_words, words_sought
from afresh.parse.url import page_of
from afresh.store.buckets import bucket_in
from afresh.store.sql import rows
from afresh.store.sql.filters import folder_value, tag_values
from afresh.store.sql.moving import relocate
from afresh.store.sql.packing import pack, unpack
from afresh.store.sql.pictures import keep_picture
from afresh.store.sql.reading import read_row
from afresh.store.sql.resource_sites import Home, find_home, find_homes
from afresh.store.sql.salvage import readable, salvaged_strings
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import NEWEST, StorePart
from afresh.store.sql.words import first_fitting, longest_run

if TYPE_CHECKING:
    from afresh.base.models import Report
    from afresh.store.session import Record, Session

_ALL = LinkFilter()
_BEHIND = 1.0  # seconds that other links to a page are due behind the one that was visited, which stays the first
_CHANGES = 2  # changes that a person accepted, from which on a page is one that changes by nature
_EXAMPLES = 0  # the bucket of pages that belong to no link


class Links(StorePart):
    """Implements ``base.records.link_store.LinkStore``."""

    def link(self, resource: int) -> KeptLink:
        with self._database.reading() as connection:
            return get(connection, resource)

    def list_links(self, where: LinkFilter = _ALL, *, after: int = 0, limit: int = 100) -> list[KeptLink]:
        with self._database.reading() as connection:
            return _page(connection, where, after=after, limit=limit)

    def count_links(self, where: LinkFilter = _ALL, *, after: int = 0) -> int:
        with self._database.reading() as connection:
            return len(_numbers(connection, where, after=after, limit=NEWEST))

    def links_of_page(self, url: str, *, limit: int = 100) -> list[KeptLink]:
        with self._database.reading() as connection:
            return _of_page(connection, page_of(rows.clean(url)), limit)

    def link_standings(self) -> Mapping[Standing, int]:
        with self._database.reading() as connection:
            return _standings(connection)

    def untold_links(self) -> int:
        with self._database.reading() as connection:
            return int(connection.execute(SQL["untold_links"]).fetchone()["links"])

    def record_checks(self, records: Sequence[CheckRecord], *, rest: float = 0.0) -> list[Check]:
        with self._database.writing() as connection:
            homes = {home.resource: home for home in find_homes(connection, {item.resource for item in records})}
            if rest:
                _put_off(connection, homes, records, rest)
            for item in records:
                if item.validators is not None and item.resource in homes:
                    connection.execute(
                        SQL["keep_validators"],
                        {
                            **_key(homes[item.resource]),
                            "etag": rows.clean(item.validators.etag),
                            "last_modified": rows.clean(item.validators.last_modified),
                        },
                    )
            return [
                record_one(connection, homes[item.resource].bucket, item) if item.resource in homes else item.check
                for item in records
            ]

    def accept_version(
        self, resource: int, version: int | None = None, *, by: str, now: float, teach: bool = False
    ) -> KeptLink:
        with self._database.writing() as connection:
            return _decide(connection, resource, version, accepts=True, by=by, now=now, teach=teach)

    def compare_with(self, resource: int, version: int, *, by: str, now: float) -> KeptLink:
        with self._database.writing() as connection:
            key = _key(find_home(connection, resource))
            connection.execute(SQL["make_link"], key)
            number = _version_of(connection, get(connection, resource), version, key)
            connection.execute(SQL["compare_with"], {**key, "version": number, "by": rows.clean(by), "now": now})
            return get(connection, resource)

    def reject_version(
        self, resource: int, version: int | None = None, *, by: str, now: float, teach: bool = False
    ) -> KeptLink:
        with self._database.writing() as connection:
            return _decide(connection, resource, version, accepts=False, by=by, now=now, teach=teach)

    def set_usage(self, resource: int, usage: Usage) -> KeptLink:
        with self._database.writing() as connection:
            key = _key(find_home(connection, resource))
            connection.execute(SQL["make_link"], key)
            connection.execute(SQL["set_usage"], {**key, "usage": usage})
            return get(connection, resource)

    def keep_copies(self, copies: Mapping[int, str]) -> None:
        with self._database.writing() as connection:
            known = {int(row["resource"]) for row in connection.execute(SQL["links_with_copies"], {}).fetchall()}
            there = {home.resource for home in find_homes(connection, sorted(known | copies.keys()))}
            kept = {number: url for number, url in copies.items() if number in there}
            connection.executemany(
                SQL["keep_copy"], [{"resource": str(number), "url": rows.clean(url)} for number, url in kept.items()]
            )
            gone = sorted(known - there)  # links that were removed
            connection.executemany(SQL["forget_copy"], [{"resource": str(number)} for number in gone])

    def take_address(
        self, resource: int, *, url: str, site: str, now: float, seen: CheckStatus | None = None
    ) -> KeptLink:
        with self._database.writing() as connection:
            known = get(connection, resource)
            is_elsewhere = rows.clean(known.url) != rows.clean(url)
            number = relocate(connection, resource, url=url, site=site, now=now)
            if is_elsewhere:
                key = {"id": resource, "bucket": bucket_in(number)}
                connection.execute(SQL["take_address"], {**key, "now": now})
                if seen is not None:
                    connection.execute(SQL["seen_there"], {**key, "status": seen, "at": known.state.checked})
            return get(connection, resource)

    def link_checks(self, resource: int, *, before: int | None = None, limit: int = 100) -> list[Check]:
        values = {"id": resource, "before": NEWEST if before is None else before, "limit": limit}
        return self._read("checks_of_link", values, _to_check)

    def versions(self, resource: int, *, limit: int = 100) -> list[Version]:
        return self._read("versions_of_link", {"id": resource, "limit": limit}, _to_version)

    def version(self, number: int) -> Version:
        found = self._first("version_by_id", {"version": number}, _to_version)
        if found is None:
            raise VersionNotFound(number)
        return found

    def version_body(self, number: int) -> bytes:
        found = self._first("version_body", {"version": number}, _to_body)
        if found is None:
            raise VersionNotFound(number)
        return found

    def add_version(self, resource: int | None, version: NewVersion, *, keep: int = 10) -> int:
        with self._database.writing() as connection:
            return _add_version(connection, resource, version, keep)


def _to_body(row: Record) -> bytes:
    return unpack(row["body"], None if row["base"] is None else unpack(row["base"]))


def get(connection: Session, resource: int) -> KeptLink:
    row = connection.execute(SQL["link_of_resource"], {"id": resource}).fetchone()
    if row is None:
        raise ResourceNotFound(str(resource))
    return _to_link(row)


def _page(connection: Session, where: LinkFilter, *, after: int, limit: int) -> list[KeptLink]:
    if where == _ALL:
        values = {"after": after, "limit": limit}
        return list(readable(connection.execute(SQL["links_after"], values), _to_link))
    ids = as_set(_numbers(connection, where, after=after, limit=limit))
    return list(readable(connection.execute(SQL["links_by_id"], {"ids": ids}), _to_link))


def _of_page(connection: Session, page: str, limit: int) -> list[KeptLink]:
    found = connection.execute(SQL["links_with_key"], {"key": rows.url_key(page)})
    numbers = [row["id"] for row in found if page_of(row["url"]) == page][:limit]
    return list(readable(connection.execute(SQL["links_by_id"], {"ids": as_set(numbers)}), _to_link)) if numbers else []


def _numbers(connection: Session, where: LinkFilter, *, after: int, limit: int) -> list[int]:
    """The first links behind one that a filter lets through."""
    words = words_sought(where.text)
    values = {
        "after": after,
        "limit": NEWEST if words else limit,  # the database looks for one word only
        "standing": where.standing,
        "status": where.status,
        "folder": None if where.folder is None else folder_value(where.folder),
        "text": longest_run(words),
        **(tag_values(where.tag) if where.tag is not None else {"tag": None, "quoted": ""}),
    }
    is_known = where.standing not in (None, Standing.UNKNOWN)
    found = connection.execute(SQL["numbers_of_standing" if is_known else "numbers_of_links"], values)
    return [row["id"] for row in first_fitting(found, lambda row: has_words(_named(row), words), limit)]


def _named(row: Record) -> Iterator[str]:
    """Where words are looked for."""
    yield row["url"]
    yield row["title"]
    yield row["folder"]
    yield from salvaged_strings(row["tags"])


def _standings(connection: Session) -> Mapping[Standing, int]:
    counts: Counter[Standing] = Counter()
    found = connection.execute(SQL["link_standings"])
    for standing, count in readable(found, lambda row: (Standing(row["standing"]), int(row["links"]))):
        counts[standing] += count
    return +counts


def _key(home: Home) -> dict[str, object]:
    return {"id": home.resource, "bucket": home.bucket}


def record_one(connection: Session, bucket: int, item: CheckRecord) -> Check:
    """A check of a link with what follows from it, as it is kept."""
    key = {"id": item.resource, "bucket": bucket}
    connection.execute(SQL["make_link"], key)
    version = None
    if item.version is not None:
        version = keep_version(connection, bucket, item.resource, item.version)
        if item.becomes_reference:
            connection.execute(SQL["first_reference"], {**key, "version": version, "now": item.check.at})
        elif item.becomes_candidate:
            connection.execute(SQL["first_candidate"], {**key, "version": version})
    connection.execute(SQL["record_link"], {**key, **_from_state(item.state)})
    check = item.check
    if check.title:
        connection.execute(SQL["name_link"], {**key, "title": rows.clean(check.title)})
    probability = rows.finite(check.probability)
    compared = None if probability is None else connection.execute(SQL["reference_of_link"], key).fetchone()
    against = None if compared is None else compared["reference_id"]
    values = {
        "at": check.at,
        "url": rows.clean(check.final_url),
        "http": check.http,
        "status": check.status,
        "size": check.size,
        "snapshot": version,
        "against": against,
        "probability": probability,
        "turned": check.turned,
        "new_url": rows.clean(check.new_url),
        "message": rows.clean(check.detail),
    }
    kept = connection.execute(SQL["add_check"], {**key, **values}).fetchone()
    _trim_checks(connection, key, item.keep_checks)
    if version is not None:
        trim_versions(connection, bucket, item.resource, item.keep_versions)
    return replace(check, id=kept["id"], version=version, against=against)


def _put_off(connection: Session, homes: Mapping[int, Home], records: Sequence[CheckRecord], rest: float) -> None:
    """Links that were looked at just now need not be looked at again as soon as the daemon runs."""
    sites: set[int] = set()
    for item in records:
        if item.resource in homes and item.check.standing is not Standing.UNKNOWN:
            home = homes[item.resource]
            late = connection.execute(SQL["put_off"], {**_key(home), "due": item.check.at + rest}).fetchone()
            if late is not None:
                sites.add(home.site)
            if late is not None and late["frequency"]:  # it was a page once, and has its part of the site's pace
                connection.execute(SQL["stand_still"], _key(home))
                connection.execute(SQL["slow_sites"], {"sites": as_set([home.site]), "frequency": late["frequency"]})
    connection.execute(SQL["refresh_ready"], {"sites": as_set(sites)})


def follow_page(connection: Session, report: Report, site: int) -> None:
    """Other links to the page of a visit: checked with it and due behind it, those that are watched still.

    Of a page that is visited no more, the next of them finds that out by itself.
    """
    homes = {
        home.resource
        for home in find_homes(connection, [part.resource for part in report.parts])
        if home.is_active and home.site == site
    }
    visit, bucket = report.visit, bucket_in(site)
    for part in report.parts:
        if part.resource not in homes:
            continue
        record_one(connection, bucket, part)
        if math.isfinite(report.resource.due):
            values = {
                "id": part.resource,
                "bucket": bucket,
                "at": visit.finished,
                "started": visit.started,
                "due": report.resource.due + _BEHIND,
                "is_success": int(visit.result.is_success),
                "result": visit.result,
                "error": rows.clean(visit.error),
                "reason": rows.clean(report.resource.reason),
            }
            connection.execute(SQL["follow_page"], values)


def _trim_checks(connection: Session, key: Mapping[str, object], keep: int) -> None:
    gone = [row["id"] for row in connection.execute(SQL["trim_checks"], {**key, "keep": keep}).fetchall()]
    if gone:
        labels = connection.execute(SQL["labels_of_checks"], {"checks": as_set(gone)}).fetchall()
        connection.executemany(SQL["forget_check_of_label"], [{"id": row["id"]} for row in labels])


def keep_version(connection: Session, bucket: int, resource: int | None, new: NewVersion) -> int:
    """The number of the version: a new one, or the newest if its text is the same (or any, for an archive's)."""
    key = {"id": resource, "bucket": bucket}
    if resource is not None:
        if new.origin is Origin.CHECK:
            known = connection.execute(SQL["newest_version"], key).fetchone()
            is_known = known is not None and known["mark"] == new.mark
        else:  # history arrives in any order
            known = connection.execute(SQL["version_with_mark"], {**key, "mark": new.mark}).fetchone()
            is_known = known is not None
        if is_known:
            connection.execute(SQL["see_again"], {"bucket": bucket, "version": known["id"], "at": new.at})
            if new.picture and known["picture_id"] is None:
                keep_picture(connection, bucket, resource, known["id"], new.picture)
            return int(known["id"])
    base, body = _packed(connection, key, new.body)
    values = {
        "bucket": bucket,
        "resource": resource,
        "at": new.at,
        "origin": new.origin,
        "url": rows.clean(new.url),
        "title": rows.clean(new.title),
        "content_type": rows.clean(new.content_type),
        "mark": new.mark,
        "size": len(new.body),
        "stored": len(body),
        "body": body,
        "base": base,
        "number": 0 if resource is None else int(connection.execute(SQL["last_number"], key).fetchone()[0]) + 1,
    }
    number = int(connection.execute(SQL["add_version"], values).fetchone()[0])
    if new.picture and resource is not None:
        keep_picture(connection, bucket, resource, number, new.picture)
    return number


def _packed(connection: Session, key: Mapping[str, int | None], body: bytes) -> tuple[int | None, bytes]:
    """The version it is packed on, if that is much shorter; None: by itself."""
    alone = pack(body)
    base = None if key["id"] is None else connection.execute(SQL["base_of_versions"], key).fetchone()
    if base is None:
        return None, alone
    packed = pack(body, unpack(base["body"]))
    return (int(base["id"]), packed) if 2 * len(packed) < len(alone) else (None, alone)


def _add_version(connection: Session, resource: int | None, new: NewVersion, keep: int) -> int:
    bucket = _EXAMPLES if resource is None else find_home(connection, resource).bucket
    number = keep_version(connection, bucket, resource, new)
    if resource is not None:
        trim_versions(connection, bucket, resource, keep)
    return number


def trim_versions(connection: Session, bucket: int, resource: int, keep: int, *, before: float | None = None) -> None:
    """Forgets the oldest versions past a limit, those from before a time, and pictures that none has any more."""
    key = {"id": resource, "bucket": bucket}
    gone = []
    if before is not None:
        gone += connection.execute(SQL["trim_old_versions"], {**key, "before": before}).fetchall()
    gone += connection.execute(SQL["trim_versions"], {**key, "keep": keep}).fetchall()
    connection.executemany(SQL["forget_version_in_checks"], [{**key, "version": row["id"]} for row in gone])
    connection.execute(SQL["trim_pictures"], key)


def _decide(
    connection: Session,
    resource: int,
    version: int | None,
    *,
    accepts: bool,
    by: str,
    now: float,
    teach: bool,
) -> KeptLink:
    """A person accepts or rejects a version; the check that brought it is overruled where it said otherwise."""
    key = _key(find_home(connection, resource))
    known = get(connection, resource)
    connection.execute(SQL["make_link"], key)
    number = _version_of(connection, known, version, key)
    if accepts and (why := nothing_to_accept(known)):
        raise NothingToAccept(why)
    check = connection.execute(SQL["check_of_version"], {**key, "version": number}).fetchone()
    said = CheckStatus.SIMILAR if accepts else CheckStatus.DIFFERENT
    if check is not None and _is_same(check["status"]) is not accepts:
        connection.execute(SQL["overrule_check"], {"bucket": key["bucket"], "check": check["id"], "status": said})
    old = known.state.reference
    if teach and old is not None and old != number:
        values = {
            "old": old,
            "new": number,
            "check": None if check is None else check["id"],
            "verdict": "equal" if accepts else "different",
            "machine": None if check is None else check["status"],
            "by": rows.clean(by),
            "now": now,
        }
        connection.execute(SQL["add_correction"], values)
    values = {**key, "version": number, "by": rows.clean(by), "now": now}
    connection.execute(SQL["accept_version" if accepts else "reject_version"], values)
    if accepts and known.state.usage is Usage.REFERENTIAL:
        count = int(connection.execute(SQL["accepted_changes"], key).fetchone()["accepted"])
        if count >= _CHANGES:
            connection.execute(SQL["set_usage"], {**key, "usage": Usage.CHANGING})
    if not accepts and number == old:  # nobody compares with what is not the page
        before = connection.execute(SQL["version_before"], {**key, "version": number}).fetchone()
        if before is not None:
            connection.execute(SQL["compare_with"], {**values, "version": before["id"]})
    return get(connection, resource)


def _version_of(connection: Session, known: KeptLink, version: int | None, key: Mapping[str, object]) -> int:
    if version is None:
        newest = connection.execute(SQL["newest_version"], key).fetchone()
        if newest is None:
            raise UsageError(no_version(known))
        return int(newest["id"])
    row = connection.execute(SQL["version_by_id"], {"version": version}).fetchone()
    if row is None or row["resource_id"] != known.id:
        raise UsageError(f"version {version} is none of {known.url}; its history lists those that are stored")
    return version


def _is_same(status: str) -> bool:
    return CheckStatus(status) in (CheckStatus.NEW, CheckStatus.EQUAL, CheckStatus.SIMILAR)


def _to_version(row: Record) -> Version:
    return read_row(Version, row, resource=row["resource_id"])


def _to_check(row: Record) -> Check:
    return read_row(
        Check,
        row,
        url=row["link"],
        final_url=row["url"],
        version=row["snapshot_id"],
        against=row["against_id"],
        detail=row["message"],
    )


def _to_link(row: Record) -> KeptLink:
    return read_row(
        KeptLink,
        row,
        tags=salvaged_strings(row["tags"]),
        is_watched=row["watching"] == "active",
        state=_to_state(row),
        archived=row["archived"] or "",
        model=EVERYBODYS if row["model_choice"] is None else ModelChoice.parse(row["model_choice"]),
    )


def _to_state(row: Record) -> LinkState:
    running = EntryStatus.RUNNING if row["is_running"] else None
    if row["resource_id"] is None:
        return LinkState(entry=running or EntryStatus.WAITING)
    return read_row(
        LinkState,
        row,
        entry=running or EntryStatus(row["entry"]),
        reference=row["reference_id"],
        rejected=row["rejected_id"],
    )


def _from_state(state: LinkState) -> Mapping[str, object]:
    entry = state.entry if state.entry is not EntryStatus.RUNNING else EntryStatus.WAITING
    return {
        "entry": entry,
        "standing": state.standing,
        "status": state.status,
        "checked": state.checked,
        "probability": rows.finite(state.probability),
        "step": rows.finite(state.step),
        "drifted": int(state.drifted),
        "turned": state.turned,
        "new_url": rows.clean(state.new_url),
        "failures": state.failures,
        "failing_days": state.failing_days,
        "failing_day": state.failing_day,
        "failing_since": state.failing_since,
        "changed": state.changed,
        "detail": rows.clean(state.detail),
    }
