"""Lists of pages that other programs watch: what of each page is carried over, and what is told."""

import json
import sys
from pathlib import Path

import pytest

from afresh.base.errors import ParseError
from afresh.base.models import Kind
from afresh.base.records.visiting import Visiting
from afresh.base.records.watches import Only, Watch
from afresh.base.settings import Settings
from afresh.engine.add import add
from afresh.engine.importing import Import, read_import
from afresh.engine.watch_pages import change_watch, page_scope
from afresh.pages.watching import Watches
from afresh.store import open_store

BACKUP = {
    "note": "Hello! If you change this file manually, please be sure to restart your changedetection.io instance!",
    "watching": {
        "0f1c": {
            "url": "https://shop.example/chair",
            "title": "Chair",
            "tags": ["aa-1"],
            "date_created": 1700000000,
            "include_filters": [".price", "xpath://h1", "//p[1]"],
            "subtractive_selectors": ["nav", "//footer"],
            "ignore_text": ["visitors (today)", "/updated \\d+/"],
            "trigger_text": ["In stock", "/in\\s+stock/"],
            "text_should_not_be_present": ["Sold out"],
            "fetch_backend": "html_webdriver",
            "filter_text_added": True,
            "filter_text_removed": False,
            "filter_text_replaced": False,
            "headers": {"X-Key": "1"},
            "time_between_check_use_default": False,
            "time_between_check": {"weeks": None, "days": None, "hours": 1, "minutes": 30, "seconds": None},
            "last_checked": 1,
        },
        "0f1d": {"url": "https://api.example/status", "tag": "status, work", "include_filters": ["json:$.version"]},
        "0f1e": {"url": "https://plain.example/", "include_filters": ["p[", "jq:.a"], "processor": "restock_diff"},
        "0f1f": "damaged",
    },
    "settings": {
        "application": {
            "tags": {"aa-1": {"title": "furniture", "uuid": "aa-1"}},
            "notification_urls": ["mailto://me:secret@mail.example"],
        }
    },
}
JOBS = """\
name: "Releases"
url: "https://code.example/releases"
filter:
  - css:
      selector: ul#releases
      exclude: time
      maxitems: 1
  - html2text
  - re.sub: '\\d+ stars'
  - grepi: advert
  - shellpipe: sort
---
navigate: https://app.example/
filter: element-by-id:main,html2text
timeout: 30
---
name: disk
command: df
---
url: https://b.example/
tags: [one, two]
filter:
  - xpath: //main
  - element-by-class: news
"""


def watches(found: Import) -> list[Watch]:
    assert {wanted.kind for wanted in found.wanted} == {Kind.PAGE}
    return [Watch.from_text(wanted.watch) for wanted in found.wanted]


def test_changedetections_backup_comes_with_what_it_watches() -> None:
    found = read_import(json.dumps(BACKUP).encode(), name="url-watches.json")
    assert found.format == "a list of changedetection.io"
    chair, status, plain = watches(found)
    assert chair == Watch(
        css=(".price",),
        xpath=("//h1", "//p[1]"),
        without_css=("nav",),
        ignore=(r"(?i).*visitors\ \(today\).*", r".*(?:updated \d+).*"),
        appears=("In stock",),
        vanishes=("Sold out",),
        only=Only.ADDED,
        render=True,
    )
    assert status == Watch(json_path=("$.version",))
    assert plain == Watch()
    first, second, _ = found.wanted
    assert (first.title, first.tags, first.saved) == ("Chair", ("furniture",), 1_700_000_000.0)
    assert second.tags == ("status", "work")


def test_what_changedetection_has_and_we_have_not_is_told() -> None:
    told = "\n".join(read_import(json.dumps(BACKUP).encode()).lost)
    for words in ("headers", "time_between_check", "trigger_text with a pattern", "//footer", "jq:.a", "restock_diff"):
        assert words in told
    assert "'p[' is no CSS selector" in told
    assert "filter_text" not in told
    assert "selector jq:.a (1 page: https://plain.example/)" in told
    assert "notification_urls of the whole list (1): `afresh notice add TARGET --pages`" in told
    assert "secret" not in told


def test_how_often_another_program_looked_is_kept_if_wanted() -> None:
    body = json.dumps({**BACKUP, "settings": {"requests": {"time_between_check": {"hours": 3}}}}).encode()
    found = read_import(body, keep_intervals=True)
    longest = [Visiting.from_text(item.visits or "{}").longest for item in found.wanted]
    assert longest == [5_400.0, 10_800.0, 10_800.0], "its own, else that of the whole list"
    assert "time_between_check" not in "\n".join(found.lost)
    assert "--keep-intervals" in "\n".join(read_import(body).lost)


def test_a_paused_page_comes_paused_and_its_pace_is_told() -> None:
    watching = {
        "1": {"url": "https://a.example/", "paused": True, "time_between_check": {"hours": 3, "minutes": None}},
        "2": {"url": "https://b.example/", "paused": False, "time_between_check": {"hours": None}},
    }
    found = read_import(json.dumps({**BACKUP, "watching": watching}).encode())
    assert [Visiting.from_text(item.visits or "{}").paused for item in found.wanted] == [True, False]
    told = found.lost[-1]
    assert told.startswith("time_between_check")
    assert told.endswith("(1 page: https://a.example/)")


def test_the_list_of_its_api_is_read_too() -> None:
    listed = {"0f1c": {"url": "https://a.example/", "title": "A", "last_checked": 0, "last_changed": 0}}
    assert watches(read_import(json.dumps(listed).encode())) == [Watch()]


def test_jobs_of_urlwatch_come_with_their_filters() -> None:
    found = read_import(JOBS.encode(), name="urls.yaml")
    releases, app, third = watches(found)
    assert releases == Watch(css=("ul#releases",), without_css=("time",), ignore=(r"\d+ stars", ".*(?:advert).*"))
    assert app == Watch(css=('[id="main"]',), render=True)
    assert third == Watch(xpath=("//main",))
    assert [wanted.title for wanted in found.wanted] == ["Releases", "", ""]
    assert found.wanted[2].tags == ("one", "two")
    told = "\n".join(found.lost)
    for words in ("command", "timeout", "filter shellpipe", "filter css: maxitems", "filter element-by-class"):
        assert words in told


def test_a_table_may_name_selectors() -> None:
    table = b"url,selector,tag\nhttps://a.example/,.price,shop\nhttps://b.example/,//h1,\nhttps://c.example/,,\n"
    found = read_import(table + b"https://d.example/,p[,\n")
    assert watches(found) == [Watch(css=(".price",)), Watch(xpath=("//h1",)), Watch(), Watch()]
    assert found.wanted[0].tags == ("shop",)
    assert found.lost == ("'p[' is no CSS selector: Can't parse CSS selector. (1 page: https://d.example/)",)


def test_a_table_without_selectors_is_of_feeds_as_before() -> None:
    [wanted] = read_import(b"url,tag\nhttps://a.example/,x\n").wanted
    assert (wanted.kind, wanted.watch) == (Kind.FEED, "")


def test_without_a_browser_it_is_told_that_nothing_is_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    found = read_import(JOBS.encode())
    assert not any(watch.render for watch in watches(found))
    assert "[browser]'" in found.lost[-1]


@pytest.mark.parametrize(
    "body",
    [
        b"url: https://a.example/\nfilter: [unclosed\n",
        b"url: https://a.example/\nx: !!python/object/apply:os.system [ls]\n",
        b"url: https://a.example/\n" + b"[" * 5_000,
    ],
)
def test_damaged_yaml_is_refused(body: bytes) -> None:
    with pytest.raises(ParseError, match="not readable as YAML"):
        read_import(body)


def test_what_is_imported_is_watched_and_what_is_known_stays(tmp_path: Path) -> None:
    store, settings = open_store(str(tmp_path / "pages.db")), Settings()
    try:
        [known, *_] = add(store, read_import(JOBS.encode()).wanted[:1], settings, now=1.0)
        assert known.id is not None
        change_watch(store, page_scope(known.id), {"css": (".mine",)})
        for item in add(store, read_import(JOBS.encode()).wanted, settings, now=2.0):
            assert item.id is not None
        kept = [Watches(store).of(store.get(number)) for number in (1, 2, 3)]
    finally:
        store.close()
    assert [watch.css for watch in kept] == [(".mine",), ('[id="main"]',), ()]
    assert kept[1].render
