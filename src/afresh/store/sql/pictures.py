"""Pictures of versions: each once, packed on an earlier one of its page, gone with the last version that has it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha1
from typing import TYPE_CHECKING

from afresh.store.sql.packing import pack, unpack
from afresh.store.sql.statements import SQL

if TYPE_CHECKING:
    from afresh.store.session import Record, Session

_LITTLE = 4  # times less than a picture that is packed by itself


def keep_picture(connection: Session, bucket: int, resource: int, version: int, picture: bytes) -> None:
    """The picture of a version that has none yet."""
    key = {"id": resource, "bucket": bucket}
    mark = sha1(picture, usedforsecurity=False).digest()
    known = connection.execute(SQL["picture_with_mark"], {**key, "mark": mark}).fetchone()
    number = known["id"] if known is not None else _add(connection, key, mark, picture)
    connection.execute(SQL["give_picture"], {"bucket": bucket, "version": version, "picture": number})


def _add(connection: Session, key: Mapping[str, int], mark: bytes, picture: bytes) -> int:
    base, content = _packed(connection, key, picture)
    values = {**key, "mark": mark, "content": content, "base": base}
    return int(connection.execute(SQL["add_picture"], values).fetchone()["id"])


def _packed(connection: Session, key: Mapping[str, int], picture: bytes) -> tuple[int | None, bytes]:
    """The picture it is packed on, if that is much shorter; None: by itself."""
    base = connection.execute(SQL["base_of_pictures"], key).fetchone()
    if base is not None:
        packed = pack(picture, unpack(base["content"]))
        if _LITTLE * len(packed) < len(base["content"]):
            return int(base["id"]), packed
    return None, pack(picture)


def to_picture(row: Record) -> bytes:
    return unpack(row["content"], None if row["base"] is None else unpack(row["base"]))
