"""URLFrontier's dump is read and written, and a frontier comes out of it as it went in."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from afresh.base.errors import NoFrontier
from afresh.base.records.queues import Put
from afresh.doors.cli.main import cli
from afresh.doors.cli.main import run as afresh
from afresh.store.frontier import open_frontier

LINES = [
    {
        "known": {
            "info": {
                "url": "http://a.example/1",
                "key": "a.example",
                "metadata": {"k": {"values": ["v", "ü"]}},
                "crawlID": "DEFAULT",
            },
            "refetchableFromDate": "1794850000",
        },
        "creationDate": "1700000000",
    },
    {
        "known": {"info": {"url": "http://a.example/2", "key": "a.example", "crawlID": "DEFAULT"}},
        "creationDate": "1700000001",
    },
    {
        "known": {"info": {"url": "http://b.example/", "key": "mine", "crawlID": "other"}, "refetchableFromDate": "7"},
        "creationDate": "1700000002",
    },
]


def run(folder: Path, *arguments: str, given: str | None = None) -> tuple[int, str]:
    settings = ["--set", f"frontier.url={folder}/frontier.db"]
    found = CliRunner().invoke(cli, [*settings, *arguments], input=given, obj=None)
    return found.exit_code, found.stdout


def test_what_was_exported_is_what_was_imported(tmp_path: Path) -> None:
    file = tmp_path / "dump.json.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, LINES)).encode()))
    code, told = run(tmp_path, "import", "--format", "urlfrontier", str(file), "--json")
    assert (code, json.loads(told)) == (0, {"new": 3, "updated": 0, "known": 0, "refused": 0})
    code, dumped = run(tmp_path, "export", "--format", "urlfrontier")
    assert code == 0
    order = [json.dumps(line, sort_keys=True) for line in LINES]
    assert sorted(json.dumps(json.loads(line), sort_keys=True) for line in dumped.splitlines()) == sorted(order)
    code, told = run(tmp_path, "import", "--format", "urlfrontier", "-", given=dumped)
    assert told == "0 new, 3 updated, 0 known, 0 refused\n"


def test_found_urls_older_names_and_nonsense(tmp_path: Path) -> None:
    lines = [
        {"discovered": {"info": {"url": "http://a.example/"}}},
        {"known": {"info": {"url": "http://b.example/"}, "refetchable_from_date": 9}},
        {"discovered": {"info": {"url": "nonsense"}}},
    ]
    given = "\n".join(map(json.dumps, lines)) + "\n\n"
    assert run(tmp_path, "import", "--format", "urlfrontier", "-", given=given)[1].startswith("2 new, ")


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"known":{}}', "3", '{"known":{"info":[]}}'])
def test_a_line_that_is_no_item_is_named(line: str, tmp_path: Path) -> None:
    given = json.dumps(LINES[0]) + "\n" + line
    settings = ["--set", f"frontier.url={tmp_path}/f.db"]
    found = CliRunner().invoke(cli, [*settings, "import", "--format", "urlfrontier", "-"], input=given)
    assert "line 2" in str(found.exception) + found.output


def test_the_store_that_is_named_is_the_frontier_that_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dump = tmp_path / "dump.json"
    dump.write_text("\n".join(map(json.dumps, LINES)))
    assert afresh(["import", "--format", "urlfrontier", str(dump), "--store", "mine.db"]) == 0
    assert not (tmp_path / "frontier.db").exists()
    with closing(open_frontier("frontier.db")) as stale:
        stale.put("DEFAULT", [Put("http://stale.example/", "stale.example")], now=0.0)
    assert afresh(["--store", "mine.db", "export", "--format", "urlfrontier", "-o", "out.json"]) == 0
    written = (tmp_path / "out.json").read_text()
    assert len(written.splitlines()) == len(LINES)
    assert "stale.example" not in written


def test_a_frontier_that_is_not_there_is_not_exported_nor_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert afresh(["export", "--format", "urlfrontier", "-o", "out.json"]) == 2
    assert capsys.readouterr().err == f"afresh: {NoFrontier(tmp_path / 'frontier.db')}\n"
    assert not list(tmp_path.iterdir())


def test_the_same_of_a_postgresql(postgres: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump, out = tmp_path / "dump.json", str(tmp_path / "out.json")
    dump.write_text("\n".join(map(json.dumps, LINES)))
    assert afresh(["--store", postgres, "export", "--format", "urlfrontier", "-o", out]) == 2
    assert "there is no frontier at postgresql://" in capsys.readouterr().err
    assert afresh(["--store", postgres, "doctor"]) in (0, 1)
    assert afresh(["--store", postgres, "export", "--format", "urlfrontier", "-o", out]) == 2  # a look makes none
    assert afresh(["--store", postgres, "import", "--format", "urlfrontier", str(dump)]) == 0
    assert afresh(["--store", postgres, "export", "--format", "urlfrontier", "-o", out]) == 0
    assert len(Path(out).read_text().splitlines()) == len(LINES)


@pytest.mark.parametrize("command", [["doctor", "--json"], ["store", "check"]])
def test_whoever_looks_at_a_frontier_that_is_named_looks_at_that_one(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(open_frontier("mine.db")) as store:
        store.put("DEFAULT", [Put("http://a.example/", "a.example")], now=0.0)
    with closing(sqlite3.connect("mine.db")) as damaged, damaged:
        damaged.execute("UPDATE site SET urls = 'many'")
    assert afresh(["--store", "mine.db", *command]) == 1
    assert "a.example" in capsys.readouterr().out
    assert not (tmp_path / "frontier.db").exists()
