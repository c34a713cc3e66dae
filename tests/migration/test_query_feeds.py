"""A database from before query feeds: what it holds is not matched anew, what comes later is."""

import sqlite3
from pathlib import Path

from afresh.feeds.queries.creating import create
from afresh.feeds.queries.matching import Matcher
from afresh.store import open_store
from tests.laws.store_material import NOW
from tests.migration.test_sqlite_schema import make_version_1


def test_matching_starts_behind_the_old_entries(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    make_version_1(path)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO site (id, name) VALUES (1, 'a.example')")
    connection.execute(
        "INSERT INTO resource (id, site_id, url_key, kind, status, due, added, weight, url)"
        " VALUES (1, 1, 5, 'feed', 'active', 0, 0, 1, 'http://a.example/')"
    )
    connection.execute(
        "INSERT INTO entry (seq, resource_id, uid, published, found, initial, after_gap, date_source, native_id, title,"
        " link, author, categories, summary, content)"
        " VALUES (7, 1, x'00', 1, 1, 0, 0, '', '', 'cat', '', '', '[]', '', '')"
    )
    connection.commit()
    connection.close()
    store = open_store(str(path))
    assert store.queries.query_state().cursor == 7
    create(store, "CREATE FEED f AS RETURN ALL", now=NOW)
    assert Matcher(store.queries, now=lambda: NOW).catch_up() == 0
    assert store.queries.query("f").places == 1  # made with what is known
    store.close()
