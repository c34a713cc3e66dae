"""``afresh store backup``: everything of one moment, while others write."""

import stat
from pathlib import Path

import pytest

from afresh.base.models import NewResource
from afresh.store import open_store
from tests.fakes.desk import Desk
from tests.laws.store_material import NOW


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_copy_has_everything_also_what_is_only_in_the_log(desk: Desk) -> None:
    desk.run("add", "https://a.example/feed")
    writer = open_store(str(desk.folder / "desk.db"))  # a daemon, say: what it wrote last is beside the file
    writer.add([NewResource(url="https://b.example/feed", site="b.example")], now=NOW)
    copy = desk.folder / "copy.db"
    assert desk.json("store", "backup", str(copy))["bytes"] == copy.stat().st_size
    writer.add([NewResource(url="https://c.example/feed", site="c.example")], now=NOW)
    writer.close()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [file.name for file in desk.folder.glob("copy*")] == ["copy.db"]
    desk.run("store", "check", str(copy))
    store = open_store(str(copy))
    assert [one.url for one in store.list_resources()] == ["https://a.example/feed", "https://b.example/feed"]
    store.close()


def test_nothing_is_written_over_and_what_cannot_be_written_is_told(desk: Desk) -> None:
    assert "there is no store" in desk.run("store", "backup", str(desk.folder / "copy.db"), code=2)
    desk.run("add", "https://a.example/feed")
    there = desk.file("there.db", "mine")
    assert "is there already" in desk.run("store", "backup", there, code=2)
    assert Path(there).read_text(encoding="utf-8") == "mine"
    assert "could not be copied" in desk.run("store", "backup", str(desk.folder / "no" / "copy.db"), code=3)
