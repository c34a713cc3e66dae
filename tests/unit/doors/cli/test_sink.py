"""``afresh sink``: what is shown of sinks, and what forgetting one drops."""

import json
import subprocess
import sys
from pathlib import Path

from afresh.base.records.frontier_store import Reported
from afresh.sinks import cursors
from afresh.store import open_store
from afresh.store.frontier import open_frontier
from tests.laws.frontier_material import NOW, fetched, filled, take


def afresh(*arguments: str, folder: Path | None = None) -> tuple[int, str, str]:
    answer = subprocess.run([sys.executable, "-m", "afresh", *arguments], capture_output=True, text=True, cwd=folder)
    return answer.returncode, answer.stdout, answer.stderr


def test_sinks_are_listed_and_forgotten(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    store = open_store(url)
    assert "nothing is written anywhere" in afresh("--store", url, "sink", "list")[1]
    cursors.begin(store, "ndjson:out", "entries")
    cursors.begin(store, "warc:out", "documents")
    cursors.move(store, cursors.Cursor(name="ndjson:out", stream="entries", after=7, lines=7, at=NOW))
    store.put_setting("sinks/documents", "0")
    found = json.loads(afresh("--store", url, "sink", "list", "--json")[1])["items"]
    assert [(item["name"], item["lines"], item["at"]) for item in found] == [
        ("ndjson:out", 7, "2023-11-14T22:13:20.000Z"),
        ("warc:out", 0, None),
    ]
    assert afresh("--store", url, "sink", "forget", "warc:out")[0] == 0
    assert cursors.names(store) == ("ndjson:out",)
    assert store.get_setting("sinks/documents") == ""  # nothing waits any more
    code, _, said = afresh("--store", url, "sink", "forget", "warc:out")
    assert code == 2
    assert "afresh sink list" in said
    store.close()


def test_what_waited_for_a_forgotten_sink_of_a_frontier_is_dropped(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/frontier.db"
    with filled(lambda: open_frontier(url), sites=1, pages=2) as store:
        cursors.begin(store, "nats://a/b", "results")
        sites = [fetched(one) for one in take(store)]
        store.report_many([Reported("one", sites)], now=NOW, revisit_after=1e6, keep=True)
        assert len(store.results(after=0, limit=9)) == 2
        code, _, said = afresh("sink", "forget", "--frontier", "nats://other/b", folder=tmp_path)
        assert (code, "afresh sink list" in said) == (2, True)
        assert afresh("--store", url, "sink", "forget", "--frontier", "nats://a/b")[0] == 0
        assert store.results(after=0, limit=9) == []


def test_beside_a_frontier_alone_the_option_is_named(tmp_path: Path) -> None:
    assert "--frontier" not in afresh("sink", "list", folder=tmp_path)[2]
    open_frontier(str(tmp_path / "frontier.db")).close()
    code, _, said = afresh("sink", "list", folder=tmp_path)
    assert (code, "frontier.db add --frontier" in said) == (2, True)
