"""The demo ends by itself with an honest account."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from afresh.base.models import Kind, ResourceFilter
from afresh.base.protocols import Store
from afresh.base.records.links import CheckStatus
from afresh.feeds.patterns import Pattern
from afresh.store import open_store

PATTERNS = {str(pattern) for pattern in Pattern} - {str(Pattern.UNKNOWN)}


@pytest.mark.slow
def test_the_demo_watches_every_pattern_and_presses_nobody(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "afresh", "--store", str(tmp_path / "demo.db"), "demo", "--for", "25s", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert answer.returncode == 0, answer.stderr
    summary = json.loads(answer.stdout)
    assert set(summary["patterns"]) == PATTERNS
    assert summary["politeness_violations"] == 0, summary["violations"]
    assert summary["polls"] > 60
    assert summary["not_modified"] > 5
    assert summary["entries_found"] > 20
    assert (
        summary["entries_found"] + summary["entries_missed"] + summary["entries_open"] == summary["entries_published"]
    )
    assert 0 < summary["mean_delay_s"] < 10
    assert {"gone", "http_error", "refused", "throttled", "unparsable"} <= set(summary["errors"])
    assert summary["feeds"] == 41, "links are watched beside, and counted apart"
    with closing(open_store(str(tmp_path / "demo.db"))) as store:
        links = store.links.list_links()
        of_feeds = sum(1 for feed in store.iterate(ResourceFilter(kind=Kind.FEED)) for _ in _visits(store, feed.id))
    assert len(links) == 9
    assert {link.folder for link in links} == {"Bookmarks/Outdoors", "Bookmarks/Town"}
    assert all(link.state.reference is not None for link in links), "all were saved before the first one turned"
    assert CheckStatus.SIMILAR in {link.state.status for link in links}
    assert summary["polls"] == of_feeds


def _visits(store: Store, number: int) -> list[object]:
    return [visit for _, visit in store.visits(resource=number, limit=10_000)]
