"""Pages in turn: announcements, what signals proved worth, prices and paces of sites."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import orjson

from afresh.base.errors import ModelError
from afresh.base.models import Report, Resource
from afresh.base.records.pages import Announcement, Floats, Hastened, SignalCounts, SitePages, SitePlan, Waiting
from afresh.store.buckets import bucket_in
from afresh.store.sql import rows
from afresh.store.sql.reading import read_row
from afresh.store.sql.resource_sites import find_homes, sites_of
from afresh.store.sql.salvage import to_resource
from afresh.store.sql.sites import named
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

_CHUNK = 5_000


class Pages(StorePart):
    """Implements ``base.store_parts.RevisitStore``."""

    def announce(self, told: Sequence[Announcement], *, signal: str) -> list[Resource]:
        if not told:
            return []
        with self._database.writing() as connection:
            return _announce(connection, told, signal)

    def hasten(self, pages: Sequence[Hastened], *, now: float) -> None:
        if pages:
            with self._database.writing() as connection:
                _hasten(connection, pages, now)

    def signals(self, site: str) -> Mapping[str, SignalCounts]:
        with self._database.reading() as connection:
            return _signals(connection, site)

    def first_in_turn(self, site: str, *, besides: int, limit: int) -> Waiting:
        asked = {**named(site), "besides": besides, "limit": limit}
        with self._database.reading() as connection:
            return _waiting(connection.execute(SQL["first_in_turn"], asked).fetchall())

    def site_pages(self, *, after: int = 0, limit: int = 5_000) -> list[SitePages]:
        with self._database.reading() as connection:
            return _site_pages(connection, after=after, limit=max(1, limit))

    def plan_sites(self, plans: Sequence[SitePlan], *, now: float) -> None:
        if plans:
            with self._database.writing() as connection:
                _plan_sites(connection, plans, now)


def _announce(connection: Session, told: Sequence[Announcement], signal: str) -> list[Resource]:
    """Notes what is news; the pages it is about."""
    signal = rows.clean(str(signal))  # a member of an enumeration is no key of a JSON object
    heard: list[Resource] = []
    for start in range(0, len(told), _CHUNK):
        wanted = {item.url: item.at for item in told[start : start + _CHUNK]}
        keys = as_set(rows.url_key(url) for url in wanted)
        heard += [
            to_resource(row)
            for row in connection.execute(SQL["announced_pages"], {"keys": keys}).fetchall()
            if row["url"] in wanted and _note(connection, row, wanted[row["url"]], signal)
        ]
    return heard


def _noted(text: str) -> dict[str, tuple[int, float | None]]:
    """What was announced so far; damaged, nothing was."""
    try:
        return dict(orjson.loads(text)) if text else {}
    except (ValueError, TypeError):
        return {}


def _note(connection: Session, row: Record, at: float | None, signal: str) -> bool:
    at = rows.finite(at)
    noted = _noted(row["announced"])
    count, latest = noted.get(signal, (0, None))
    if at is not None and (at <= row["last_ok"] or (latest is not None and at <= latest)):
        return False
    noted[signal] = (count + 1, latest if at is None else at)
    bucket = bucket_in(row["site_id"])
    said = {"bucket": bucket, "id": row["id"], "announced": orjson.dumps(noted).decode()}
    connection.execute(SQL["note_announcement"], said)
    connection.execute(SQL["know_signal"], {"bucket": bucket, "site_id": row["site_id"], "kind": signal})
    return True


def learn(connection: Session, reports: Sequence[tuple[Report, int]]) -> None:
    """What visits say about the signals that went before them; each report with the number of its site."""
    for report, site in reports:
        heard = report.heard
        if heard is None:
            continue
        for kind, count in heard.announced.items():
            values = {"right": float(heard.changed), "wrong": 0.0 if heard.changed else float(count)}
            values["elapsed"] = heard.elapsed
            connection.execute(SQL["learn_announced"], {"site_id": site, "kind": kind, **values})
        silent = {"changed": float(heard.changed), "elapsed": heard.elapsed, "kinds": as_set(heard.announced)}
        connection.execute(SQL["learn_silent"], {"site_id": site, **silent})


def _signals(connection: Session, site: str) -> Mapping[str, SignalCounts]:
    found = connection.execute(SQL["signals_of_site"], named(site))
    return {row["kind"]: read_row(SignalCounts, row) for row in found}


def _hasten(connection: Session, pages: Sequence[Hastened], now: float) -> None:
    seconds = {page.resource: _seconds(page) for page in pages}
    homes = find_homes(connection, seconds)
    values = [
        {"bucket": home.bucket, "id": home.resource, "seconds": seconds[home.resource], "now": now} for home in homes
    ]
    connection.executemany(SQL["hasten_page"], values)
    sites = sites_of(homes)
    connection.execute(SQL["hasten_sites"], {"sites": sites, "pages": as_set(seconds), "now": now})
    connection.execute(SQL["refresh_ready"], {"sites": sites})


def _seconds(page: Hastened) -> float:
    if not page.seconds >= 0.0:
        raise ModelError(f"resource {page.resource} cannot be hastened by {page.seconds} seconds")
    return min(page.seconds, 1e15)


def _site_pages(connection: Session, *, after: int, limit: int) -> list[SitePages]:
    """Whole sites: a last one that may be cut off is left for the next call, unless it is the only one."""
    if not connection.execute(SQL["has_pages"]).fetchone()[0]:
        return []
    found = connection.execute(SQL["pages_in_turn"], {"after": after, "limit": limit}).fetchall()
    if len(found) == limit:
        whole = [row for row in found if row["site_id"] != found[-1]["site_id"]]
        found = whole or connection.execute(SQL["pages_in_turn_of_site"], {"site": found[-1]["site_id"]}).fetchall()
    pages = {site: list(group) for site, group in groupby(found, key=lambda row: int(row["site_id"]))}
    sites = connection.execute(SQL["sites_to_plan"], {"sites": as_set(pages)})
    return [_site(row, pages[row["id"]]) for row in sites]


def call(connection: Session, called: Sequence[tuple[int, int, float]]) -> None:
    """Gives pages, each by bucket, number and turn, the first place at their sites."""
    if called:
        values = [{"bucket": bucket, "id": page, "turn": turn} for bucket, page, turn in called]
        connection.executemany(SQL["call_page"], values)


def _site(row: Record, pages: Sequence[Record]) -> SitePages:
    return read_row(SitePages, row, site=row["id"], state=rows.to_site_state(row), pages=_waiting(pages))


def _waiting(pages: Sequence[Record]) -> Waiting:
    return Waiting(
        ids=np.array([page["id"] for page in pages], dtype=np.int64),
        turn=_column(pages, "turn"),
        last=_column(pages, "last_ok"),
        hastened=np.nan_to_num(
            np.maximum(0.0, _column(pages, "last_ok") + _column(pages, "last_interval") - _column(pages, "due"))
        ),
        weight=_column(pages, "weight"),
        shortest=_column(pages, "shortest"),
        longest=_column(pages, "longest"),
        state_of=tuple(page["state_of"] for page in pages),
        state=table([page["state"] for page in pages]),
    )


def _column(pages: Sequence[Record], name: str) -> Floats:
    """A column as numbers; nothing is NaN."""
    return np.array([page[name] for page in pages], dtype=np.float64)


def table(blobs: Sequence[bytes]) -> Floats:
    """Packed rows as one array; shorter ones are filled up with NaN."""
    nothing = rows.pack_floats(np.array([math.nan]))
    blobs = [b"" if len(blob) % len(nothing) else blob for blob in blobs]  # damaged: as if nothing was learnt
    width = max(map(len, blobs), default=0)
    if not blobs:
        return np.empty((0, 0))
    filled = b"".join(blob + nothing * ((width - len(blob)) // len(nothing)) for blob in blobs)
    return rows.unpack_floats(filled).reshape(len(blobs), -1)


def _plan_sites(connection: Session, plans: Sequence[SitePlan], now: float) -> None:
    for plan in plans:
        if not (math.isfinite(plan.frequency) and plan.frequency >= 0.0 and plan.price >= 0.0):
            raise ModelError(
                f"site {plan.site} cannot have the price {plan.price} and {plan.frequency} visits a second"
            )
    values = [
        {
            "site": plan.site,
            "price": min(plan.price, 1e300),
            "frequency": plan.frequency,
            "next_turn": rows.finite(plan.next_turn) or 0.0,
            "now": now,
        }
        for plan in plans
    ]
    connection.executemany(SQL["plan_site"], values)
    connection.execute(SQL["refresh_ready"], {"sites": as_set(plan.site for plan in plans)})
