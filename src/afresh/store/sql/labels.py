"""Ratings, and the models trained on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from afresh.base.errors import UsageError
from afresh.base.records.labels import (
    KeptModel,
    Label,
    LabelNotFound,
    ModelNotFound,
    NewLabel,
    NewModel,
    Rating,
    RatingPair,
)
from afresh.base.records.links import EVERYBODYS, ModelChoice, VersionNotFound
from afresh.store.sql import links, rows
from afresh.store.sql.reading import read_row
from afresh.store.sql.resource_sites import find_homes
from afresh.store.sql.statements import SQL, as_set
from afresh.store.sql.store_part import StorePart

if TYPE_CHECKING:
    from afresh.store.session import Record, Session


class Labels(StorePart):
    """Implements ``base.store_parts.LearningStore``."""

    def pairs_to_rate(self, *, limit: int = 20, rater: str = "") -> list[RatingPair]:
        return self._read("pairs_to_rate", {"limit": limit, "rater": rows.clean(rater)}, _to_pair)

    def add_label(self, new: NewLabel, *, now: float) -> Label:
        values: dict[str, object] = {name: rows.clean(getattr(new, name)) for name in ("rater", "session", "note")}
        values |= {"old": new.old, "new": new.new, "check": new.check, "verdict": new.verdict.value}
        values |= {"machine": new.machine or None, "origin": new.origin.value, "now": now}
        with self._database.writing() as connection:
            for version in (new.old, new.new):
                if connection.execute(SQL["version_by_id"], {"version": version}).fetchone() is None:
                    raise VersionNotFound(version)
            number = int(connection.execute(SQL["add_label"], values).fetchone()[0])
            return _label(connection, number)

    def label(self, number: int) -> Label:
        with self._database.reading() as connection:
            return _label(connection, number)

    def labels(self, *, after: int = 0, limit: int = 100, session: str | None = None) -> list[Label]:
        name = "labels_after" if session is None else "labels_of_session"
        values = {"after": after, "limit": limit, "session": rows.clean(session or "")}
        return self._read(name, values, _to_label)

    def change_label(self, number: int, *, weight: float | None = None, verdict: Rating | None = None) -> Label:
        if weight is not None and not 0.0 <= weight <= 1e6:
            raise UsageError(f"an example cannot count {weight} times; give 0 (devalued) or more")
        with self._database.writing() as connection:
            if weight is not None:
                connection.execute(SQL["weigh_label"], {"id": number, "weight": weight})
            if verdict is not None:
                connection.execute(SQL["rate_label"], {"id": number, "verdict": verdict.value})
            return _label(connection, number)

    def remove_label(self, number: int) -> None:
        with self._database.writing() as connection:
            removed = connection.execute(SQL["remove_label"], {"id": number}).fetchall()
            if not removed:
                raise LabelNotFound(number)
            _drop_pages(connection, removed)

    def end_session(self, session: str, *, saves: bool) -> int:
        if not session:
            return 0
        values = {"session": rows.clean(session)}
        with self._database.writing() as connection:
            if saves:
                return connection.execute(SQL["save_session"], values).rowcount
            discarded = connection.execute(SQL["discard_session"], values).fetchall()
            _drop_pages(connection, discarded)
            return len(discarded)

    def label_counts(self) -> Mapping[str, int]:
        with self._database.reading() as connection:
            found = {row["verdict"]: row for row in connection.execute(SQL["label_counts"], {})}
        counts = {rating.value: int(found[rating]["number"]) if rating in found else 0 for rating in Rating}
        counts["examples"] = sum(int(found[rating]["counting"]) for rating in ("equal", "different") if rating in found)
        return counts

    def add_model(self, new: NewModel, *, now: float) -> KeptModel:
        owner = rows.clean(new.owner)
        with self._database.writing() as connection:
            version = connection.execute(SQL["next_version"], {"owner": owner}).fetchone()[0]
            values = {
                "owner": owner,
                "version": version,
                "parent": new.parent,
                "now": now,
                "kernel": new.kernel,
                "measures": json.dumps(new.measures),
                "examples": new.examples,
                "settings": json.dumps(dict(new.settings), default=str),
                "figures": json.dumps(dict(new.figures), default=str),
                "body": new.body,
                "note": rows.clean(new.note),
            }
            number = int(connection.execute(SQL["add_model"], values).fetchone()[0])
            return _model(connection, number)

    def models(self, *, owner: str | None = None) -> Sequence[KeptModel]:
        return [model for model in self._read("models", {}, _to_model) if owner is None or model.owner == owner]

    def model(self, number: int) -> KeptModel:
        with self._database.reading() as connection:
            return _model(connection, number)

    def model_body(self, number: int) -> str:
        found = self._first("model_body", {"id": number}, lambda row: str(row[0]))
        if found is None:
            raise ModelNotFound(number)
        return found

    def active_model(self, owner: str = "") -> KeptModel | None:
        return self._first("active_model", {"owner": rows.clean(owner)}, _to_model)

    def activate_model(self, number: int | None, *, owner: str = "", now: float) -> None:
        whose = rows.clean(owner)
        with self._database.writing() as connection:
            connection.execute(SQL["put_models_away"], {"owner": whose})
            if number is None:
                return
            values = {"id": number, "owner": whose, "now": now}
            if connection.execute(SQL["activate_model"], values).rowcount == 0:
                raise ModelNotFound(number)

    def choose_model(self, resource: int, choice: ModelChoice) -> None:
        with self._database.writing() as connection:
            links.get(connection, resource)
            if choice.number:
                _model(connection, choice.number)
            _forget_link_models(connection)
            values = {"resource": str(resource)}
            if choice == EVERYBODYS:
                connection.execute(SQL["unchoose_link_model"], values)
            else:
                connection.execute(SQL["choose_link_model"], {**values, "choice": rows.clean(str(choice))})


def _drop_pages(connection: Session, forgotten: Sequence[Record]) -> None:
    """Pages that were kept for the sake of these ratings only."""
    ids = {row[side] for row in forgotten for side in ("old_id", "new_id")}
    while ids:
        dropped = connection.execute(SQL["drop_pages"], {"ids": as_set(ids)}).fetchall()
        ids = {row["base_id"] for row in dropped if row["base_id"] is not None}  # what they were packed on


def _forget_link_models(connection: Session) -> None:
    """Choices for links that were removed; hardly any link has one."""
    chosen = [int(row["resource"]) for row in connection.execute(SQL["link_models"], {}).fetchall()]
    gone = set(chosen) - {home.resource for home in find_homes(connection, chosen)}
    connection.executemany(SQL["unchoose_link_model"], [{"resource": str(number)} for number in sorted(gone)])


def _label(connection: Session, number: int) -> Label:
    row = connection.execute(SQL["label_by_id"], {"id": number}).fetchone()
    if row is None:
        raise LabelNotFound(number)
    return _to_label(row)


def _model(connection: Session, number: int) -> KeptModel:
    row = connection.execute(SQL["model_by_id"], {"id": number}).fetchone()
    if row is None:
        raise ModelNotFound(number)
    return _to_model(row)


def _to_pair(row: Record) -> RatingPair:
    return read_row(
        RatingPair, row, check=row["check_id"], resource=row["resource_id"], old=row["old_id"], new=row["new_id"]
    )


def _to_label(row: Record) -> Label:
    return read_row(
        Label, row, old=row["old_id"], new=row["new_id"], check=row["check_id"], machine=row["machine"] or ""
    )


def _to_model(row: Record) -> KeptModel:
    return read_row(
        KeptModel,
        row,
        parent=row["parent_id"],
        is_active=bool(row["active"]),
        measures=tuple(json.loads(row["measures"])),
        settings=json.loads(row["settings"]),
        figures=json.loads(row["figures"]),
    )
