"""Folders and tags on the command line: shown, asked for with what is below them, and missed in words."""

from pathlib import Path

import pytest

from afresh.doors.cli.main import run
from afresh.store import open_store
from tests.fakes.desk import Desk
from tests.laws.store_material import NOW, entry, report, take


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    made = Desk(tmp_path, capsys)
    made.run("add", "https://a.example/feed", "--folder", "News/Local", "--tag", "daily")
    made.run("add", "https://b.example/feed", "--folder", "Blogs")
    made.run("add", "https://c.example/feed")
    return made


def said(desk: Desk, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command says on standard error."""
    assert run(["--store", str(desk.folder / "desk.db"), *words]) == code
    return capsys.readouterr().err.strip()


def urls(desk: Desk, *words: str) -> list[str]:
    return [item["url"] for item in desk.json("list", *words)]


def test_a_list_shows_folders_and_finds_what_is_below_them(desk: Desk) -> None:
    assert desk.run("list").split()[:5] == ["#", "kind", "title", "folder", "url"]
    assert "News/Local" in desk.run("list")
    assert urls(desk, "--folder", "News") == urls(desk, "--folder", "News/Local/") == ["https://a.example/feed"]
    assert urls(desk, "--search", "local a.example") == ["https://a.example/feed"]


def test_the_folders_there_are(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [line.split() for line in desk.run("list", "--folders").splitlines()] == [
        ["folder", "resources", "#"],
        ["Blogs", "1"],
        ["News", "1"],
        ["News/Local", "1"],
    ]
    assert [item["path"] for item in desk.json("list", "--folders")] == ["Blogs", "News", "News/Local"]
    (tmp_path / "empty").mkdir()
    open_store(str(tmp_path / "empty" / "desk.db")).close()
    other = Desk(tmp_path / "empty", capsys)
    assert said(other, capsys, "list", "--folders").startswith("nothing is in a folder; `afresh set")


def test_a_folder_or_tag_that_is_not_there_is_told_with_those_that_are(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    no_tag = "nothing is tagged nonexist; tags are: daily"
    no_folder = "nothing is in folder Nws; folders are: Blogs, News/Local"
    for command in ("list", "entries"):
        assert said(desk, capsys, command, "--tag", "nonexist") == no_tag
        assert said(desk, capsys, command, "--folder", "Nws") == no_folder
        assert said(desk, capsys, command, "--folder", "News") == ""
    assert said(desk, capsys, "link", "list", "--folder", "Nws").startswith(no_folder)
    assert said(desk, capsys, "poll", "--folder", "Nws", code=2) == f"afresh: {no_folder}"
    assert said(desk, capsys, "poll", "--tag", "nonexist", code=2) == f"afresh: {no_tag}"


def test_entries_of_a_folder_a_tag_or_with_words(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(str(desk.folder / "desk.db"))
    made = {"https://a.example/feed": ("a1", "a2"), "https://b.example/feed": ("b1",)}
    for lease in take(store, NOW + 10**9):
        entries = tuple(entry(name) for name in made.get(lease.resource.url, ()))
        store.record([report(lease, NOW + 10**9, entries=entries)])
    store.close()

    def titles(*words: str) -> list[str]:
        return [item["title"] for item in desk.json("entries", *words)["entries"]]

    assert titles("--folder", "News") == titles("--tag", "daily") == ["a2", "a1"]
    assert titles("--folder", "News", "--after", "0") == ["a1", "a2"]
    assert titles("--folder", "News", "--limit", "1") == ["a2"]
    assert titles("--folder", "News", "--tag", "other") == []
    assert titles("--search", "example.org B1") == ["b1"]
    assert titles("--since", "2100-01-01") == titles("--until", "1970-01-01") == []
    assert titles("--since", "1970-01-01", "--until", "2100-01-01") == ["b1", "a2", "a1"]
    assert "not a time: 'soon'" in said(desk, capsys, "entries", "--since", "soon", code=2)
    desk.run("set", "https://a.example/feed", "--title", "The a's")
    named = desk.run("entries")
    assert (named.count("  The a's  "), named.count("  b.example  ")) == (2, 1)
    after = desk.json("entries", "--folder", "News", "--after", "0", "--limit", "1")["next"]
    assert titles("--folder", "News", "--after", str(after)) == ["a2"]
    last = desk.json("entries", "--after", "0")["next"]
    assert desk.json("entries", "--folder", "Blogs", "--after", str(last)) == {"entries": [], "next": last}
