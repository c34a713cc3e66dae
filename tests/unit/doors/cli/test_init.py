"""``afresh init``: three answers and everything is there; twice the same answers change nothing."""

import json
import os
import pty
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from afresh.base.records.notices import Topic
from afresh.base.settings import load_settings
from afresh.doors.cli.main import EXIT_USAGE, run
from afresh.store import open_store
from tests.fakes.served import served

OPML = '<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/feed"/></body></opml>'
BOOKMARKS = '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://b.example/page">B</A></DL>'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.opml").write_text(OPML, encoding="utf-8")
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS, encoding="utf-8")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run(["init", "--json", "--no-discovery", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


ANSWERS = (
    *("--watch", "mine.opml", "--watch", "bookmarks.html", "--watch", "https://c.example/feed"),
    *("--tell", "https://hook.example/x", "--requests-per-hour", "120"),
)


def test_file_list_and_notices_are_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = told(capsys, *ANSWERS)
    assert (done["is_new_file"], done["added"], done["requests_per_hour"]) == (True, 3, 120.0)
    assert load_settings(file=folder / "afresh.toml").settings.budget.requests_per_hour == 120.0
    store = open_store(str(folder / "afresh.db"))
    kinds = {item.url: (str(item.kind), item.tags) for item in store.list_resources()}
    notices = store.notices.list_notices()
    store.close()
    assert kinds == {
        "https://a.example/feed": ("feed", ()),
        "https://b.example/page": ("link", ()),
        "https://c.example/feed": ("feed", ()),
    }
    assert {notice.topic for notice in notices} == {Topic.ENTRIES, Topic.PAGES, Topic.FAILING, Topic.BROKEN}
    assert {notice.secret for notice in notices} == {done["secret"]}


def test_again_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, *ANSWERS)
    before = (folder / "afresh.toml").read_bytes()
    again = told(capsys, *ANSWERS)
    assert (again["is_new_file"], again["added"], again["known"], again["notices"]) == (False, 0, 3, [])
    assert (folder / "afresh.toml").read_bytes() == before


def test_a_notice_of_tagged_entries_made_by_an_earlier_version_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It goes on; with the one for all entries some would be told twice."""
    target = "https://hook.example/x"
    assert run(["notice", "add", target, "--tag", "told"]) == 0
    capsys.readouterr()
    assert run(["init", "--no-discovery", "--tell", target]) == 0
    assert "so that these are not told twice: afresh notice drop 1" in capsys.readouterr().err


def test_what_a_file_says_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "afresh.toml"
    file.write_text('# mine\n[politeness]\ndelay = "7s"\n', encoding="utf-8")
    assert told(capsys, "--requests-per-hour", "60")["requests_per_hour"] == 60.0
    assert file.read_text(encoding="utf-8").startswith('# mine\n[politeness]\ndelay = "7s"\n')
    loaded = load_settings(file=file).settings
    assert (loaded.politeness.delay, loaded.budget.requests_per_hour, loaded.budget.spend) == (7.0, 60.0, "needed")
    before = file.read_bytes()
    assert run(["init", "--requests-per-hour", "90"]) == 0
    assert "which stays as it is" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--requests-per-hour", "many"], "'many' is no number of requests an hour; write it like 60"),
        (["--tell", "nonsense"], "nonsense"),
        (["--watch", "bookmarks.html", "--tell", "http://127.0.0.1:9/x"], "fetch.allow_private = true"),
    ],
)
def test_a_wrong_answer_leaves_nothing_behind(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(["init", *words]) == EXIT_USAGE
    assert said in capsys.readouterr().err
    assert not (folder / "afresh.toml").exists()
    assert not (folder / "afresh.db").exists()


def test_settings_of_the_call_are_kept_in_a_new_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What init could do, run can do as well; secrets are not written down."""
    given = (
        "--set",
        'fetch.allowed_networks=["127.0.0.0/8"]',
        "--set",
        "politeness.delay=2s",
        "--set",
        "fetch.proxy=http://p",
    )
    assert run([*given, "init", "--requests-per-hour", "60"]) == 0
    settings = load_settings(file=folder / "afresh.toml").settings
    assert (settings.fetch.allowed_networks, settings.politeness.delay) == (("127.0.0.0/8",), 2.0)
    assert 'allowed_networks = ["127.0.0.0/8"]\n' in (folder / "afresh.toml").read_text(encoding="utf-8")
    assert (settings.budget.requests_per_hour, settings.budget.spend) == (60.0, "needed")
    assert settings.fetch.proxy == ""
    capsys.readouterr()
    assert run(["--set", "politeness.delay=3s", "init"]) == 0
    assert "afresh.toml stays as it is: politeness.delay=3s holds for this command only" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answers", "questions"), [(b"mine.opml\n\n30\n", 3), (b"mine.opml\nnonsense\n\nthirty\n30\n", 5)]
)
def test_a_person_is_asked_three_questions_and_again_what_cannot_be(
    folder: Path, answers: bytes, questions: int
) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "afresh", "init"],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, text=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, answers)
        out, err = process.communicate(timeout=120)
    os.close(ours)
    assert process.returncode == 0, err
    assert err.count("?") == questions, err
    assert "1 added, 0 already known" in out
    assert '30 requests an hour at most, and no more than are worth it (budget.spend = "needed")' in out
    assert out.endswith("begin with: afresh run\n")


def test_an_address_that_the_guard_refuses_is_told_in_its_words(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "--watch", "http://127.0.0.1:9/", "--tell", "", "--requests-per-hour", ""]) in (0, 1)
    said = capsys.readouterr().err
    assert "fetch.allowed_networks" in said
    assert "does not answer" not in said


def test_a_file_whose_budget_is_spent_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "afresh.toml").write_text("[budget]\nrequests_per_hour = 60\n", encoding="utf-8")
    assert run(["init"]) == 0
    assert "60 requests an hour at most, all of which are spent" in capsys.readouterr().out


def test_a_site_that_cannot_be_asked_is_not_watched_as_a_feed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        site = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
        assert run(["--set", "fetch.allowed_networks=127.0.0.0/8", "init", "--watch", site]) == 0
    assert "not watched; try again when it answers" in capsys.readouterr().err
    assert run(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("robots", "page", "why"),
    [
        (503, 200, "robots.txt could not be read: HTTP 503; try again after "),
        (404, 503, "HTTP 503"),
        (404, 429, "HTTP 429"),
    ],
)
def test_a_site_that_cannot_be_asked_now_is_kept_for_the_daemon(
    folder: Path, capsys: pytest.CaptureFixture[str], robots: int, page: int, why: str
) -> None:
    def answer(request: Request) -> Response:
        status = robots if request.url.path == "/robots.txt" else page
        return Response(status_code=status, headers={"Retry-After": "3600"} if status >= 429 else {})

    with served(Starlette(routes=[Route("/{path:path}", answer)])) as site:
        assert run(["--set", "fetch.allowed_networks=127.0.0.0/8", "init", "--watch", site, "--json"]) == 0
        told = capsys.readouterr()
    assert json.loads(told.out)["added"] == 1
    assert f"cannot be asked now ({why}" in told.err
    assert "watched as a feed; the daemon asks it when it can, and says which feeds it announces" in told.err
    assert "asked again at" not in told.err
    assert run(["list", "--json"]) == 0
    assert [item["kind"] for item in json.loads(capsys.readouterr().out)] == ["feed"]


@pytest.mark.parametrize(("answers", "added"), [(b"mine.opml\n\n30\n", 1), (b"mine.opml", 1), (b"", 0)])
def test_answers_come_through_a_pipe_too(folder: Path, answers: bytes, added: int) -> None:
    command = [sys.executable, "-m", "afresh", "init", "--json"]
    done = json.loads(subprocess.run(command, input=answers, capture_output=True, cwd=folder, check=True).stdout)
    assert (done["added"], done["requests_per_hour"]) == (added, 30.0 if b"30" in answers else None)


def test_a_silent_pipe_is_not_waited_for(folder: Path) -> None:
    ours, theirs = os.pipe()
    command = [sys.executable, "-m", "afresh", "init", "--json"]
    done = subprocess.run(command, stdin=ours, capture_output=True, cwd=folder, check=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert json.loads(done.stdout)["added"] == 0


@pytest.mark.parametrize(
    ("limit", "said"), [("1", "the first round of the 3 that were added takes about 4 h"), ("60", "")]
)
def test_a_budget_smaller_than_the_list_says_how_long_the_first_round_takes(
    folder: Path, capsys: pytest.CaptureFixture[str], limit: str, said: str
) -> None:
    """Three visits and the robots.txt of a bookmark."""
    assert run(["init", "--no-discovery", *ANSWERS[:-1], limit]) == 0
    printed = capsys.readouterr().out
    assert said in printed
    assert ("first round" in printed) is bool(said)


def test_the_first_round_reads_robots_txt_of_sites_with_several_feeds(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "two.txt").write_text("https://a.example/one\nhttps://a.example/two\n", encoding="utf-8")
    assert run(["init", "--no-discovery", "--watch", "two.txt", "--tell", "", "--requests-per-hour", "1"]) == 0
    assert "the first round of the 2 that were added takes about 3 h" in capsys.readouterr().out
