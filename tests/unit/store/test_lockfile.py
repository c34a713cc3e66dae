"""The lock of a SQLite store: who has it is known, and looking takes it from nobody."""

from pathlib import Path

import pytest

from afresh.base.errors import StoreBusy
from afresh.store.sqlite.lockfile import LockFile


def test_whether_it_is_held_is_known_to_all(tmp_path: Path) -> None:
    ours, theirs = LockFile(tmp_path / "s.db"), LockFile(tmp_path / "s.db")
    assert theirs.is_held() is False, "there is no file yet"
    ours.acquire()
    assert (ours.is_held(), theirs.is_held()) == (True, True)
    ours.release()
    assert theirs.is_held() is False
    ours.acquire()
    ours.release()


@pytest.mark.parametrize(("purpose", "who"), [("", "another afresh"), ("poll", "`afresh poll`")])
def test_who_comes_second_is_told_who_has_it(tmp_path: Path, purpose: str, who: str) -> None:
    first = LockFile(tmp_path / "s.db", purpose=purpose)
    first.acquire()
    with pytest.raises(StoreBusy, match=f"is in use by {who} "):
        LockFile(tmp_path / "s.db").acquire()
    first.release()
