"""New addresses in place of old ones: in files, byte for byte otherwise; and copies of what is gone."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import web

from afresh.doors.cli.main import run
from tests.fakes.every_status import PROSE, answering

Afresh = Callable[..., tuple[int, str]]


ASKED: dict[str, str] = {}  # by path: as of when an archive was asked
SAID: dict[str, str] = {}  # by path: pages that change


async def answer(request: web.BaseRequest) -> web.StreamResponse:
    path = request.path
    if "Accept-Datetime" in request.headers:
        ASKED[path] = request.headers["Accept-Datetime"]
    if path.startswith("/archive/"):
        if "gone" not in path:
            return web.Response(status=404)
        if not path.startswith("/archive/2020/"):
            return web.Response(status=302, headers={"Location": path.replace("/archive/", "/archive/2020/", 1)})
        return web.Response(text="<p>a copy</p>", headers={"Memento-Datetime": "Wed, 01 Jan 2020 00:00:00 GMT"})
    if path.startswith("/busy/"):
        return web.Response(status=500)
    if path in SAID:
        return web.Response(text=SAID[path], content_type="text/html")
    match path:
        case "/old":
            return web.Response(status=301, headers={"Location": "/new?a=1&b=2"})
        case "/twice":
            return web.Response(status=301, headers={"Location": "/for-now"})
        case "/given-up":  # by its owner: another site has the address, and sends all to its front page
            return web.Response(status=301, headers={"Location": f"http://others.localhost:{request.url.port}/"})
        case "/":
            return web.Response(text=f"<title>Front</title><h1>Welcome</h1><p>{PROSE}</p>", content_type="text/html")
        case "/for-now":
            return web.Response(status=302, headers={"Location": "/new"})
        case "/notice":
            text = f"<meta http-equiv=refresh content='0; url=/new'><p>{PROSE}</p>"
            return web.Response(text=text, content_type="text/html")
        case "/new":
            text = f"<html><head><title>Plans</title></head><body><h1 id=part>Plans</h1><p>{PROSE}</p></body></html>"
            return web.Response(text=text, content_type="text/html")
        case _:
            return web.Response(status=404)


@pytest.fixture(scope="module")
def town() -> Iterator[str]:
    with answering(answer) as address:
        yield address


@pytest.fixture
def afresh(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Afresh:
    monkeypatch.chdir(tmp_path)
    settings = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0s"]

    def call(*arguments: str) -> tuple[int, str]:
        code = run([*settings, *arguments])
        return code, capsys.readouterr().out

    return call


FILES = {
    "a.md": "# Ü\r\n\r\n* [one]({old}#part), <{old}>, {old}. `{old}`\r\n[r]: {old} 'T'\r\n[t]({now}) [n]({notice})\n\n"
    "<a href='{old}'>x</a>",
    "b.html": "\ufeff<p>  <A  HREF='{old}' >x</A>\n<!-- {old} --><img src={old}>",
    "marks.html": '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF="{old}#part" ADD_DATE="1" TAGS="x">N</A>\n'
    "<DD>note {old}\n</DL>",
    "feeds.opml": "<?xml version='1.0'?>\n<opml version='2.0'><body><outline text='A &amp; B' xmlUrl='{old}'/>"
    "</body></opml>\n",
    "saved.csv": 'title,url,note\r\n"A, B",{old},{old}\r\n"C","{old}#part","said ""{old}"""\r\n,{now},\r\n',
    "others.csv": 'Name;Link\n"a\nb"; {old};x\n',
    "links.txt": "# {old}\r\n  {old}  My {old}\r\n{old}#part\tT\n{now}\n{old}",
    "pins.json": '[{{"href": "{old}", "description": "{old}",\n  "extended":"\\u00e9 \\"{old}\\"", "tags": "a b"}},'
    '\n{{"href":"{old}#part"}}]',
    "firefox.json": '{{"children": [{{"title": "x", "type": "text/x-moz-place", "uri": "{old}"}}, "{old}"]}}',
}
NEW_ONES = {"a.md": 5, "b.html": 2, "marks.html": 1, "feeds.opml": 1, "saved.csv": 2, "others.csv": 1, "links.txt": 3}
NEW_ONES |= {"pins.json": 2, "firefox.json": 2}


def test_moved_addresses_are_replaced_and_nothing_else(town: str, afresh: Afresh, tmp_path: Path) -> None:
    written = {}
    for name, text in FILES.items():
        made = text.format(old=f"{town}/old", now=f"{town}/for-now", notice=f"{town}/notice").encode()
        (tmp_path / name).write_bytes(made)
        written[name] = made
    _, shown = afresh("check", "--fix", *FILES)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == written, "shown first, not written"
    assert f"-[r]: {town}/old 'T'" in shown
    assert f"+[r]: {town}/new?a=1&b=2 'T'" in shown
    code, _ = afresh("check", "--fix", "--yes", *FILES)
    assert code == 0
    old, plain = f"{town}/old".encode(), f"{town}/new?a=1&b=2".encode()
    for name, before in written.items():
        after = (tmp_path / name).read_bytes()
        escaped = plain.replace(b"&", b"&amp;")
        assert after.count(plain) + after.count(escaped) == NEW_ONES[name], after
        # With the old address put back, it is the file as it was.
        assert after.replace(escaped, old).replace(plain, old) == before
    again, shown = afresh("check", "--fix", "--yes", *FILES)
    assert (again, "replaced" in shown) == (0, False)


def test_a_page_that_was_given_up_for_a_front_page_is_not_replaced(
    town: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = tmp_path / "a.txt"
    lost.write_text(f"{town}/given-up\n{town}/twice\n")
    settings = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0s"]
    run([*settings, "check", "--fix", "--yes", str(lost)])
    told = f"left as it is: 1 address of links that moved, because it leads to a front page now: {town}/given-up\n"
    assert told in capsys.readouterr().err
    assert lost.read_text() == f"{town}/given-up\n{town}/for-now\n"


def test_fix_and_export_take_the_same_addresses_and_name_what_they_leave(
    town: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0s"]
    marks, SAID["/leaves"] = tmp_path / "a.txt", f"<title>Plans</title><h1>Plans</h1><p>{PROSE}</p>"
    marks.write_text("".join(f"{town}/{name}\n" for name in ("given-up", "notice", "leaves", "old")))
    run([*settings, "check", "--save", "a.txt"])
    SAID["/leaves"] = f"<meta http-equiv=refresh content='0; url={town}/new'><p>This page has moved.</p>"
    run([*settings, "check", "--save", "a.txt"])
    capsys.readouterr()
    run([*settings, "link", "export", "--moved", "--like", "a.txt"])
    by_export = capsys.readouterr()
    run([*settings, "link", "export", "--moved", "--json"])
    as_bookmarks = capsys.readouterr()
    run([*settings, "check", "--fix", "--yes", "a.txt"])
    by_fix = capsys.readouterr()
    assert by_export.out == marks.read_text() == f"{town}/given-up\n{town}/notice\n{town}/new\n{town}/new?a=1&b=2\n"
    assert [link["url"] for link in json.loads(as_bookmarks.out)] == by_export.out.split()
    left = [[line for line in shown.err.splitlines() if "left" in line] for shown in (by_export, as_bookmarks, by_fix)]
    assert left[0] == left[1] == left[2]
    assert [line.partition("because ")[2].partition(",")[0] for line in left[0]] == [
        f"it leads to a front page now: {town}/given-up",
        "only the page itself says that it moved there",
    ]
    assert left[0][1].endswith(f": {town}/notice")


def test_no_address_is_replaced_by_a_page_nobody_looked_at(afresh: Afresh) -> None:
    assert afresh("check", "--status-only", "--fix", "https://a.example/")[0] == 2


def test_a_report_for_programs_stays_one_beside_what_would_change(town: str, afresh: Afresh, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"[a]({town}/old)\n")
    assert [row["standing"] for row in json.loads(afresh("check", "--fix", "--json", "a.md")[1])] == ["moved"]


def test_kept_links_write_a_file_like_the_one_they_came_from(town: str, afresh: Afresh, tmp_path: Path) -> None:
    marks = tmp_path / "marks.html"
    marks.write_text(FILES["marks.html"].format(old=f"{town}/old"))
    assert afresh("check", "--save", "marks.html")[0] == 0
    _, out = afresh("link", "export", "--moved", "--like", "marks.html")
    assert out == marks.read_text().replace(f'"{town}/old#part"', f'"{town}/new?a=1&amp;b=2#part"')
    assert afresh("link", "export", "--like", "marks.html")[0] == 2
    code, _ = afresh("link", "set", f"{town}/old", "--address", f"{town}/elsewhere")
    assert code == 0
    _, wanted = afresh("link", "export", "--moved", "--like", "marks.html")
    assert wanted == marks.read_text().replace(f'"{town}/old#part"', f'"{town}/elsewhere#part"')
    assert afresh("link", "set", "1", "--address", f"{town}/elsewhere")[0] == 0  # where it is already
    for _ in range(2):
        code, out = afresh("check", "--save", "--json", "marks.html")
        row = json.loads(out)[0]
        assert (code, row["standing"], row["new_url"]) == (0, "moved", f"{town}/elsewhere#part")
    assert json.loads(afresh("link", "show", "1", "--json")[1])["standing"] == "unknown"  # not by the old address
    _, told = afresh("link", "add", "marks.html")
    assert told.startswith("0 added")  # the address it had is not another link
    assert afresh("check", "--fix", "--yes", "marks.html")[0] == 0
    assert marks.read_text() == wanted, "what somebody has taken is replaced, too"


def test_an_archive_is_asked_for_copies_of_what_is_gone(town: str, afresh: Afresh) -> None:
    code, out = afresh("check", "--json", "--archive", f"{town}/archive/", f"{town}/gone", f"{town}/no", f"{town}/new")
    assert code == 1
    found = {row["url"].rpartition("/")[2]: row["archived"] for row in json.loads(out)}
    assert found == {"gone": f"{town}/archive/2020/{town}/gone", "no": None, "new": None}


def test_an_archive_is_asked_for_the_page_as_it_was_saved(town: str, afresh: Afresh, tmp_path: Path) -> None:
    marks = '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="{}/{}" ADD_DATE="1546300800">N</A></DL>'
    (tmp_path / "marks.html").write_text(marks.format(town, "gone-1"))
    ASKED.clear()
    afresh("check", "--archive", f"{town}/archive/", "marks.html", f"{town}/gone-2")
    assert set(ASKED.values()) == {"Tue, 01 Jan 2019 00:00:00 GMT"}
    assert not any("gone-2" in path for path in ASKED), "of which nobody knows when it was saved"


def test_a_copy_that_was_found_is_kept_with_its_link(town: str, afresh: Afresh) -> None:
    afresh("check", "--save", "--archive", f"{town}/archive/", f"{town}/gone", f"{town}/no")
    assert f"  archive  {town}/archive/2020/" in afresh("link", "show", f"{town}/gone")[1]
    assert "archive" not in afresh("link", "show", f"{town}/no")[1]


@pytest.mark.parametrize("archive", ["http://127.0.0.1:50009/", "{town}/busy/"])
def test_an_archive_that_does_not_answer_is_told_once(
    town: str, capsys: pytest.CaptureFixture[str], archive: str
) -> None:
    settings = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0s"]
    place = archive.format(town=town)
    assert run([*settings, "check", "--json", "--archive", place, f"{town}/gone", f"{town}/no", f"{town}/new"]) == 1
    told = capsys.readouterr().err.splitlines()
    reason = "HTTP 500" if "busy" in place else "connect"
    assert [line for line in told if line.startswith("afresh: the archive")] == told
    assert len(told) == 1
    assert told[0].startswith(f"afresh: the archive {place} could not be asked about 2 of 2 pages: {reason}")


def test_an_archive_without_copies_is_no_complaint(town: str, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0s"]
    assert run([*settings, "check", "--json", "--archive", f"{town}/archive/", f"{town}/no"]) == 1
    assert capsys.readouterr().err == ""
