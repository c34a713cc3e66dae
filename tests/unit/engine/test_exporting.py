"""Export: a file that is imported, exported and imported again asks for the same."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Kind
from afresh.base.protocols import Store
from afresh.base.records.links import LinkRef
from afresh.base.records.watches import Only, Watch
from afresh.base.settings import Settings
from afresh.engine.add import Wanted, add
from afresh.engine.exporting import FORMATS, listed, listed_all
from afresh.engine.importing import read_import
from afresh.store import open_store

NOW = 1_800_000_000.0
LINKS = [
    LinkRef(
        url="https://a.example/feed?x=1&y=2",
        title='The "A" & <b>',
        folder="News/Local",
        tags=("x", "y z", "p|q"),
        note="one\ntwo & <three>",
        saved=1_700_000_000.0,
        home="https://a.example/",
    ),
    LinkRef(url="https://b.example/feed"),
    LinkRef(url="https://c.example/", title="Ç", tags=("x",), folder="News"),
]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    first, second = open_store(str(tmp_path / "1.db")), open_store(str(tmp_path / "2.db"))
    yield first, second
    first.close()
    second.close()


def wanted_by(text: str, form: str) -> list[Wanted]:
    name = {"list": "x.txt", "bookmarks": "x.html"}.get(form, f"x.{form}")
    return sorted(read_import(text.encode(), name=name).wanted, key=lambda wanted: wanted.url)


@pytest.mark.parametrize("form", FORMATS)
def test_export_loses_nothing_that_import_read(form: str, stores: tuple[Store, Store]) -> None:
    first, second = stores
    links = (
        [replace(link, folder="", tags=(), note="", saved=None, home="") for link in LINKS] if form == "list" else LINKS
    )
    wanted = wanted_by(FORMATS[form](links), form)
    assert all(not item.error for item in add(first, wanted, Settings(), now=NOW))
    exported = FORMATS[form]([listed(resource) for resource in first.iterate()])
    assert wanted_by(exported, form) == wanted
    add(second, wanted_by(exported, form), Settings(), now=NOW)
    assert [listed(resource) for resource in second.iterate()] == [listed(resource) for resource in first.iterate()]
    assert {(link.url, link.note, link.saved) for link in map(listed, second.iterate())} == {
        (link.url, link.note, link.saved) for link in links
    }


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "list"])
@pytest.mark.parametrize("kind", Kind)
def test_what_is_watched_and_for_what_is_exported(form: str, kind: Kind, stores: tuple[Store, Store]) -> None:
    watch = Watch(css=(".price > b",), ignore=('a "b" é',), only=Only.NUMBERS).to_text() if kind is Kind.PAGE else ""
    told = [Wanted(url="https://a.example/a", kind=kind, watch=watch), Wanted(url="https://a.example/b", kind=kind)]
    for store in stores:
        add(store, told, Settings(), now=NOW)
        exported = list(listed_all(store, kind))
        told = wanted_by(FORMATS[form](exported), form)
        assert [(link.url, link.kind, link.watch) for link in exported] == [
            ("https://a.example/a", str(kind), watch),
            ("https://a.example/b", str(kind), ""),
        ]
    assert [(item.kind, item.watch) for item in told] == [(kind, watch), (kind, "")]


def test_a_link_has_no_home_of_its_own(stores: tuple[Store, Store]) -> None:
    wanted = read_import(FORMATS["csv"](LINKS).encode(), name="x.csv", kind=Kind.LINK).wanted
    add(stores[0], wanted, Settings(), now=NOW)
    assert {(link.home, link.url) for link in map(listed, stores[0].iterate())} == {("", link.url) for link in LINKS}
