"""A store is made of parts, one a noun, and does what they do."""

from pathlib import Path
from typing import get_type_hints

import pytest

from afresh.base.protocols import Store
from afresh.store import SqlStore, open_store
from tests.laws.store_material import NOW, feeds

PARTS = {name: get_type_hints(part.fget)["return"] for name, part in vars(Store).items() if isinstance(part, property)}


def methods(protocol: type) -> set[str]:
    return {name for kind in protocol.__mro__ for name in vars(kind) if not name.startswith("_") and kind is not object}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_the_methods_of_its_noun_and_the_store_has_them_too(part: str, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "afresh.db"))
    assert methods(PARTS[part]) <= set(dir(getattr(store, part)))
    assert methods(PARTS[part]) <= set(dir(store))
    store.close()


def test_every_method_belongs_to_one_part() -> None:
    shared = [sorted(methods(a) & methods(b)) for a in PARTS.values() for b in PARTS.values() if a is not b]
    assert [names for names in shared if names] == []
    assert methods(SqlStore) == set().union(*map(methods, PARTS.values())) | {"close"}


def test_a_part_sees_what_the_store_keeps(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "afresh.db"))
    store.add(feeds(2), now=NOW)
    assert store.resources.count() == store.count() == 2
    store.totals.put_setting("a", "1")
    assert store.get_setting("a") == "1"
    store.close()
