"""``afresh add``: what may not be meant is said."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.doors.cli.main import run
from afresh.store import open_store
from tests.laws.store_material import report

URL = "https://a.example/news.xml"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://a.example/"], ["http://a.example/ looks like a site; `afresh discover http://a.example/ --add`"]),
        (["http://a.example/feed.xml"], []),
        (["--kind", "page", "http://a.example/"], []),
        (
            ["a.example:82/feed"],
            ["names no scheme, so https is asked; for http: afresh set 1 --url http://a.example:82/"],
        ),
        (["a.example"], ["looks like a site", "names no scheme"]),
    ],
)
def test_a_site_and_a_guessed_scheme_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: list[str]
) -> None:
    assert run(["--store", str(tmp_path / "a.db"), "add", *words]) == 0
    told = capsys.readouterr()
    assert told.out.count("\n") == 1
    assert told.err.count("\n") == len(said)
    for some in said:
        assert some in told.err
    assert run(["--store", str(tmp_path / "a.db"), "add", *words]) == 0
    assert capsys.readouterr().err == "", "it is known"


def test_other_feeds_of_the_page_that_was_named_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "a.db")
    assert run(["--store", place, "add", URL]) == 0
    store = open_store(place)
    now = time.time()
    [lease] = store.lease(holder="test", now=now, until=now + 60, limit=1)
    done = report(lease, now)
    facts = replace(done.resource.facts, also_announced=("https://a.example/comments.xml",))
    assert store.record([replace(done, resource=replace(done.resource, facts=facts))]) == [True]
    store.close()
    capsys.readouterr()
    assert run(["--store", place, "show", "1"]) == 0
    assert "also_announced  https://a.example/comments.xml" in capsys.readouterr().out
    assert run(["--store", place, "why", "1"]) == 0
    said = "also        the page that was named for it announces https://a.example/comments.xml; `afresh add URL`"
    assert said in capsys.readouterr().out
