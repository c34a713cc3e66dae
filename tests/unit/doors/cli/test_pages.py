"""Pages and sitemaps on the command line: added, imported, explained, bad input refused in words that help."""

import gzip
import json
from pathlib import Path

import pytest

from afresh.doors.cli.main import run
from tests.fakes.desk import Desk

MAP = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/1</loc></url></urlset>'
INDEX = MAP.replace(b"urlset", b"sitemapindex").replace(b"<url>", b"<sitemap>").replace(b"</url>", b"</sitemap>")


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_a_bare_site_means_its_robots(desk: Desk) -> None:
    desk.run("add", "--sitemap", "a.example", "--sitemap", "https://b.example/map.xml.gz")
    assert desk.kinds() == {"https://a.example/robots.txt": "sitemap", "https://b.example/map.xml.gz": "sitemap"}


def test_files_and_addresses_can_be_imported(desk: Desk) -> None:
    for name, body in (
        ("map.xml", MAP),
        ("map.xml.gz", gzip.compress(MAP.replace(b"/1", b"/2"))),
        ("index.xml", INDEX),
    ):
        (desk.folder / name).write_bytes(body)
    desk.run("import", str(desk.folder / "map.xml"))
    desk.run("import", str(desk.folder / "map.xml.gz"))
    desk.run("import", "--kind", "sitemap", "https://c.invalid/sitemap.xml")  # the daemon reads it when it can
    assert desk.kinds() == {
        "https://a.example/1": "page",
        "https://a.example/2": "page",
        "https://c.invalid/sitemap.xml": "sitemap",
    }
    (desk.folder / "index.xml").write_bytes(INDEX.replace(b"/1", b"/more.xml"))
    desk.run("import", str(desk.folder / "index.xml"))
    assert desk.kinds()["https://a.example/more.xml"] == "sitemap"


def test_bookmarks_are_imported_and_other_xml_is_refused_whole(desk: Desk) -> None:
    marks = "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF='https://m.example/feed'>M</A></DL>"
    (desk.folder / "marks").write_text(marks, encoding="utf-8")
    assert desk.run("import", str(desk.folder / "marks")).startswith("1 added")
    assert desk.kinds() == {"https://m.example/feed": "link"}
    desk.run("remove", "https://m.example/feed")
    desk.run("import", "--kind", "feed", str(desk.folder / "marks"))
    assert desk.kinds() == {"https://m.example/feed": "feed"}
    (desk.folder / "feed").write_text("<?xml version='1.0'?>\n<rss><channel/></rss>", encoding="utf-8")
    assert "an RSS feed" in desk.run("import", str(desk.folder / "feed"), code=2)


def test_why_a_page(desk: Desk) -> None:
    desk.run("add", "--kind", "page", "https://a.example/")
    told = json.loads(desk.run("why", "https://a.example/", "--json"))
    assert {"rate_per_day", "price", "site_price", "expected_freshness", "interval"} <= set(told["numbers"])
    assert "chosen by a person" in desk.run("why", "https://a.example/")


@pytest.mark.parametrize(
    "words",
    [
        ["add"],
        ["add", "--kind", "page", "https://a.example/", "--weight", "0"],
        ["add", "--kind", "page", "https://a.example/", "--weight", "-3"],
        ["add", "--kind", "page", "https://a.example/", "--weight", "nan"],
        ["add", "--sitemap", "javascript:alert(1)"],
        ["--set", "revisit.shortest=2d", "--set", "revisit.longest=1d", "status"],
        ["--set", "revisit.day=0", "status"],
        ["--set", "revisit.longest=nan", "status"],
    ],
)
def test_nonsense_is_refused(desk: Desk, words: list[str]) -> None:
    code = run(["--store", str(desk.folder / "desk.db"), *words])
    assert code != 0
    printed = desk._capsys.readouterr()
    assert "Traceback" not in printed.err
    assert (printed.err + printed.out).strip()
    if words[0] == "add":
        assert desk.kinds() == {}
