"""A store does what every visit needs; what a domain keeps is a part of it, loaded with the first question."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from afresh.base import protocols, records, store_parts
from afresh.store import SqlStore, open_store
from afresh.store.sql.store import PARTS
from tests.laws.store_material import NOW, feeds

MODULES = sorted(place.partition(":")[0] for place in PARTS.values())
RECORDS = [
    store_parts,
    *(import_module(f"afresh.base.records.{item.name}") for item in iter_modules(records.__path__)),
]
#: part: what it promises, by the name that stands in its annotation
PROTOCOLS = {
    part: next(vars(module)[name] for module in RECORDS if name in vars(module))
    for part, name in ((part, said.rpartition(".")[2]) for part, said in SqlStore.__annotations__.items())
}


def methods(protocol: type) -> set[str]:
    return {name for kind in protocol.__mro__ for name in vars(kind) if not name.startswith("_") and kind is not object}


@pytest.mark.parametrize("part", PROTOCOLS)
def test_a_part_has_the_methods_of_its_noun(part: str, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "afresh.db"))
    assert methods(PROTOCOLS[part]) <= set(dir(getattr(store, part)))
    assert getattr(store, part) is getattr(store, part)
    store.close()


def test_every_method_has_one_place() -> None:
    assert set(PARTS) == set(PROTOCOLS)
    shared = [sorted(methods(a) & methods(b)) for a in PROTOCOLS.values() for b in PROTOCOLS.values() if a is not b]
    assert [names for names in shared if names] == []
    assert methods(SqlStore) == methods(protocols.Store) - set(PARTS)
    with pytest.raises(AttributeError):
        SqlStore.__getattr__(object.__new__(SqlStore), "list_links")


def test_a_part_sees_what_the_store_keeps(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "afresh.db"))
    store.add(feeds(2), now=NOW)
    assert store.queries.offered(limit=9) == []
    assert store.notices.last_visit_number() == 0
    store.close()


def test_threads_that_ask_at_once_all_get_a_part(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "afresh.db"))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: store.links.link_standings(), range(64)))
    assert found == [found[0]] * 64
    store.close()


def test_a_store_of_feeds_loads_no_part(tmp_path: Path) -> None:
    code = (
        "import sys; from afresh.store import open_store; from tests.laws.store_material import NOW, feeds;"
        f"store = open_store({str(tmp_path / 'afresh.db')!r}); store.add(feeds(2), now=NOW);"
        "leases = store.lease(holder='me', now=NOW, until=NOW + 60, limit=2);"
        f"print([name for name in {MODULES} if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
