"""Opening a store: which file, whose, and what is said when it cannot be used."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.base.errors import ConfigError, SchemaMismatch, StoreBusy, StoreError
from afresh.base.records.history import Document
from afresh.base.store_url import database_path
from afresh.store import open_store
from afresh.store.frontier import open_frontier
from tests.laws.store_material import NOW, entry, feeds, report, take


def one_line(error: pytest.ExceptionInfo[BaseException]) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("url", "path"), [("a b.db", "a b.db"), ("sqlite:///a%20b.db", "a b.db"), ("sqlite:////x/y.db", "/x/y.db")]
)
def test_a_url_names_a_file(url: str, path: str) -> None:
    assert database_path(url) == Path(path)


@pytest.mark.parametrize("url", ["mysql://x", "sqlite://host/x", "sqlite:///", "", ":memory:"])
def test_an_unusable_url_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(ConfigError) as error:
        open_store(url)
    assert "feeds.db" in one_line(error)
    assert error.value.option == "store"


def test_a_new_file_is_marked_as_ours_and_logs_ahead(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    path.touch()  # an empty file is as good as none
    open_store(str(path)).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone()[0] == 0x61667273
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    connection.close()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match="another program") as error:
        open_store(str(path))
    assert str(path) in one_line(error)
    assert path.read_bytes() == before


def test_a_newer_schema_asks_for_an_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    open_store(str(path)).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(SchemaMismatch, match=r"schema 99.*upgrade") as error:
        open_store(str(path))
    assert str(path) in one_line(error)


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader, this is not a database. " * 50)
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match="not a database") as error:
        open_store(str(path), exclusive=True)
    assert str(path) in one_line(error)
    assert path.read_bytes() == before


@pytest.mark.parametrize("exclusive", [False, True])
def test_a_place_that_cannot_hold_a_file_is_named(tmp_path: Path, exclusive: bool) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "no" / "such.db", tmp_path / "file" / "x.db", tmp_path, Path("/proc/afresh.db")):
        with pytest.raises(StoreError) as error:
            open_store(str(path), exclusive=exclusive)
        assert str(path) in one_line(error)


def test_a_full_disk_is_said_and_loses_nothing(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "a.db"))
    store.add(feeds(3), now=NOW)
    pages = store._database._writer.execute("PRAGMA page_count").fetchone()[0]
    store._database._writer.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(StoreError, match="disk is full") as error:
        store.add(feeds(5000), now=NOW)
    assert "a.db" in one_line(error)
    assert store.count() == 3
    store._database._writer.execute("PRAGMA max_page_count = 1000000")
    store.add(feeds(50), now=NOW)
    assert store.count() == 50
    store.close()


def test_a_second_daemon_is_told_who_has_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    daemon = open_store(str(path), exclusive=True)
    with pytest.raises(StoreBusy) as error:
        open_store(str(path), exclusive=True)
    assert str(path) in one_line(error)
    assert str(os.getpid()) in one_line(error)
    alongside = open_store(str(path))
    alongside.add(feeds(1), now=NOW)
    assert daemon.count() == 1
    alongside.close()
    daemon.close()
    open_store(str(path), exclusive=True).close()


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    code = (
        "import sys; from afresh.store import open_store\n"
        "store = open_store(sys.argv[1], exclusive=True); print('open', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy, match=str(child.pid)):
            open_store(str(path), exclusive=True)
        child.kill()
    open_store(str(path), exclusive=True).close()


def test_an_open_that_fails_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("no database" * 100)
    with pytest.raises(SchemaMismatch):
        open_store(str(path), exclusive=True)
    path.unlink()
    open_store(str(path), exclusive=True).close()


def test_documents_stay_within_their_limits(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "a.db"), keep_documents=3, keep_document_bytes=2500)
    store.add(feeds(6), now=NOW)
    leases = take(store)
    for size, lease in zip((10, 10, 10, 10, 3000, 2400), leases, strict=True):
        body = os.urandom(size)  # does not compress
        document = Document(resource=lease.resource.id, at=float(size), why="news", headers="", body=body)
        store.record([report(lease, document=document)])
        kept = [len(document.body) for document in store.documents()]
        assert len(kept) <= 3
        assert sum(kept) <= 2500
    assert kept == [2400, 10, 10]
    store.close()


def test_an_error_in_the_middle_of_a_batch_leaves_no_trace(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "a.db"))
    store.add(feeds(2), now=NOW)
    good, bad = take(store)
    reports = [report(good, entries=(entry("x"),)), report(bad, due=float("nan"))]
    with pytest.raises(ValueError, match="not a time"):
        store.record(reports)
    assert (store.entries(), store.visits()) == ([], [])
    assert store.record([reports[0], report(bad)]) == [True, True]
    store.close()


def modes(folder: Path) -> dict[str, str]:
    return {file.name: f"{stat.S_IMODE(file.stat().st_mode):04o}" for file in folder.iterdir()}


def opened(kind: str, path: Path) -> object:
    return open_store(str(path), exclusive=True) if kind == "store" else open_frontier(str(path))


@pytest.fixture
def _generous() -> Iterator[None]:
    """As on most machines: what is made can be read by everybody."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_generous")
@pytest.mark.parametrize("kind", ["store", "frontier"])
def test_only_its_owner_reads_a_database(tmp_path: Path, kind: str) -> None:
    store = opened(kind, tmp_path / "x.db")
    reader = sqlite3.connect(tmp_path / "x.db")
    reader.execute("SELECT * FROM sqlite_master").fetchall()  # the files beside it are made when they are needed
    files = {"x.db", "x.db-wal", "x.db-shm"} | ({"x.db.lock"} if kind == "store" else set())
    assert modes(tmp_path) == dict.fromkeys(files, "0600")
    reader.close()
    store.close()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("_generous")
@pytest.mark.parametrize("kind", ["store", "frontier"])
def test_a_database_others_can_read_is_closed_to_them(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.db"
    first = opened(kind, path)
    for file in tmp_path.iterdir():
        file.chmod(0o644)
    first_connection = sqlite3.connect(path)  # keeps the log beside it
    first_connection.execute("SELECT * FROM sqlite_master").fetchall()
    first.close()  # type: ignore[attr-defined]
    again = opened(kind, path)
    assert set(modes(tmp_path).values()) == {"0600"}
    assert f"{path} could be read by others (mode 0644)" in caplog.text
    again.close()  # type: ignore[attr-defined]
    first_connection.close()


def test_files_of_other_programs_keep_their_modes(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    path.chmod(0o644)
    for kind in ("store", "frontier"):
        with pytest.raises(SchemaMismatch):
            opened(kind, path)
    assert modes(tmp_path)["other.db"] == "0644"
