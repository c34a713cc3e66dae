"""Where nobody has made a store, a look makes none: it says what does."""

import shlex
from pathlib import Path

import pytest

from afresh.base.errors import NoFrontier, NoStore
from afresh.doors.cli.main import run
from afresh.store import open_store
from afresh.store.frontier import open_frontier

LOOKS = (
    "status",
    "list",
    "show 1",
    "entries",
    "why 1",
    "export",
    "refresh",
    "set 1 --pause",
    "remove 1",
    "poll --all",
    "page versions 1",
    "page watch --site a.example",
    "feed list",
    "feed show a",
    "notice list",
    "link list",
    "link show 1",
    "link export",
    "learn next",
    "learn models",
    "sink list",
    "sink list --frontier",
    "doctor",
)
WRITES = (
    "init --no-discovery",
    "add https://a.example/",
    "import links.txt",
    "link add https://a.example/",
    "feed create 'CREATE FEED a AS RETURN ALL'",
    "notice add https://a.example/ --entries",
    "page watch --site a.example --css p",
    "refresh --folder News --mean-delay 20m",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.txt").write_text("https://a.example/\n")
    return tmp_path


@pytest.mark.parametrize("words", LOOKS)
@pytest.mark.parametrize("form", ["", " --json"])
def test_a_look_makes_no_store(folder: Path, words: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = run((words + form).split())
    printed = capsys.readouterr()
    assert [file.name for file in folder.iterdir()] == ["links.txt"]
    if words == "doctor":  # nothing is wrong with it
        assert NoStore(folder / "afresh.db").words.format(folder / "afresh.db") in printed.out
        return
    error = NoFrontier(folder / "frontier.db") if "--frontier" in words else NoStore(folder / "afresh.db")
    assert (code, printed.out, printed.err) == (2, "", f"afresh: {error}\n")


@pytest.mark.parametrize("words", WRITES)
def test_whoever_puts_something_in_makes_it(folder: Path, words: str) -> None:
    assert run(shlex.split(words)) == 0
    assert (folder / "afresh.db").exists()


def test_the_words_say_where_and_what_makes_one() -> None:
    assert str(NoStore("/a/afresh.db")) == (
        "there is no store at /a/afresh.db; `afresh init`, `afresh add` or `afresh import` makes one"
    )
    assert str(NoFrontier("/a/frontier.db")) == "there is no frontier at /a/frontier.db; `afresh serve` makes one"


@pytest.mark.parametrize("has_store", [True, False])
def test_status_tells_of_a_frontier_beside(folder: Path, has_store: bool, capsys: pytest.CaptureFixture[str]) -> None:
    open_frontier("frontier.db").close()
    if has_store:
        open_store("afresh.db").close()
    assert run(["status"]) == (0 if has_store else 2)
    line = "frontier  frontier.db: `afresh serve` runs it, with a page that shows it"
    assert line in capsys.readouterr().out.splitlines()
    assert (folder / "afresh.db").exists() is has_store


def test_a_check_that_has_nothing_to_compare_with_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--store", "other.db", "http://127.0.0.1:9/"])  # which is not asked: it is a private address
    assert f"nothing to compare with: {NoStore(folder / 'other.db')}\n" in capsys.readouterr().err
    assert not (folder / "other.db").exists()
