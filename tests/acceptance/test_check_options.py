"""What ``afresh check`` can be told: how answers are judged, which links, who is let in, in which form it reports."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from afresh.doors.cli.main import run
from tests.fakes.every_status import answering

PROSE = "The harbour was rebuilt in stone after the storm, and the council printed the plans for everybody. " * 10
SECRET = "open-sesame-4711"
Check = Callable[..., tuple[int, list[dict[str, Any]]]]


class Site:
    """Pages by path; counts requests and remembers the headers each came with."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.headers: dict[str, dict[str, str]] = {}
        self.pages: dict[str, web.Response | Callable[[web.BaseRequest], web.Response]] = {}
        self.address = ""

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        self.asked[request.path] += 1
        self.headers[request.path] = dict(request.headers)
        made = _PAGES.get(request.path)
        return web.Response(status=404) if made is None else made(request, self)


def page(*links: str, head: str = "", extra: str = "") -> web.Response:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"<html><head><title>Harbour</title>{head}</head><body><h1 id=top>Harbour</h1><p>{PROSE}</p>{anchors}{extra}"
    return web.Response(text=text, content_type="text/html")


def away(status: int, target: str) -> web.Response:
    return web.Response(status=status, headers={"Location": target})


Made = Callable[[web.BaseRequest, Site], web.Response]
_PAGES: dict[str, Made] = {
    "/good": lambda request, site: page("/good#top", "/other", "/deep/one", extra="<p id='part two'>"),
    "/other": lambda request, site: page("/deep/two"),
    "/deep/one": lambda request, site: page("/missing"),
    "/deep/two": lambda request, site: page(),
    "/guarded": lambda request, site: web.Response(status=403, headers={"cf-mitigated": "challenge"}),
    "/to-nothing": lambda request, site: away(302, "/lost"),
    "/split": lambda request, site: away(301, "/good#top"),
    "/bare": lambda request, site: web.Response(text=f"<title>B</title><p>{PROSE}</p>", content_type="text/html"),
    "/resting": lambda request, site: web.Response(status=503, headers={"Retry-After": "3600"}),
    "/forbidden": lambda request, site: web.Response(status=403),
    "/nothing": lambda request, site: web.Response(status=204),
    "/large": lambda request, site: web.Response(body=b"<p>" + b"word " * 600_000, content_type="text/html"),
    "/file.zip": lambda request, site: web.Response(body=b"PK\x03\x04" + bytes(900), content_type="application/zip"),
    "/script": lambda request, site: web.Response(
        text="<html><head><title>App</title></head><body><div id=root></div><script src=/a.js></script></body></html>",
        content_type="text/html",
    ),
    "/parked": lambda request, site: web.Response(
        text="<title>x.example is for sale</title><h1>This domain is for sale</h1><p>Buy this domain. Loans</p>",
        content_type="text/html",
    ),
    "/flaky": lambda request, site: web.Response(status=503) if site.asked["/flaky"] == 1 else page(),
    "/always-down": lambda request, site: web.Response(status=503),
    "/members": lambda request, site: page() if SECRET in str(request.headers) else web.Response(status=401),
    "/leaving": lambda request, site: away(302, site.address.replace("links.localhost", "other.localhost") + "/good"),
    "/cookies": lambda request, site: _with_cookie(request),
    "/sitemap.xml": lambda request, site: web.Response(
        text=f"<urlset><url><loc>{site.address}/good</loc></url><url><loc>{site.address}/missing</loc></url></urlset>",
        content_type="application/xml",
    ),
}


def _with_cookie(request: web.BaseRequest) -> web.Response:
    made = page()
    made.set_cookie("seen", "1", path="/")
    return made


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    with answering(made.answer) as made.address:
        yield made


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    settings = ["--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0s"]

    def call(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
        code = run([*settings, "check", "--json", *arguments])
        return code, json.loads(capsys.readouterr().out or "[]")

    return call


def standings(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["url"].rpartition("/")[2]: row["standing"] for row in rows}


def test_what_is_well_without_being_a_page(site: Site, check: Check) -> None:
    paths = ("nothing", "large", "file.zip", "script")
    code, rows = check(*(f"{site.address}/{path}" for path in paths))
    assert (code, standings(rows)) == (0, dict.fromkeys(paths, "ok"))
    [large] = [row for row in rows if row["url"].endswith("large")]
    assert "not compared" in large["detail"]


def test_the_status_alone(site: Site, check: Check) -> None:
    urls = [site.address + path for path in ("/parked", "/good", "/missing", "/large")]
    assert standings(check(*urls)[1])["parked"] == "broken"
    code, rows = check("--status-only", *urls)
    assert (code, standings(rows)) == (1, {"parked": "ok", "good": "ok", "missing": "broken", "large": "ok"})
    assert check("--status-only", "--save", *urls)[0] == 2


def test_statuses_that_somebody_accepts(site: Site, check: Check) -> None:
    urls = [site.address + path for path in ("/forbidden", "/good", "/nothing")]
    assert standings(check(*urls)[1]) == {"forbidden": "broken", "good": "ok", "nothing": "ok"}
    code, rows = check("--accept", "200,403", *urls)
    assert (code, standings(rows)) == (1, {"forbidden": "ok", "good": "ok", "nothing": "broken"})
    assert check("--accept", "200..299, 403", *urls)[0] == 0
    assert check("--accept", "good", *urls)[0] == 2


def test_what_makes_a_check_fail(site: Site, check: Check, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"[well]({site.address}/good) [mail](mailto:a@b.org)")
    command = ("--mail", "--examples", "a.md")
    assert standings(check(*command)[1]) == {"good": "ok", "mailto:a@b.org": "unknown"}
    assert [check(*command, "--fail-on", told)[0] for told in ("broken", "broken, unknown", "moved", "none")] == [
        0, 1, 0, 0
    ]  # fmt: skip
    assert check(f"{site.address}/missing", "--fail-on", "none")[0] == 0
    assert check(*command, "--fail-on", "sometimes")[0] == 2
    for form, note in (("github", "::error file=a.md"), ("junit", 'failures="1"')):
        assert run(["check", "--offline", "--format", form, *command, "--fail-on", "unknown"]) == 1
        assert note in capsys.readouterr().out


def test_one_request_for_a_page_however_many_parts_are_named(site: Site, check: Check, tmp_path: Path) -> None:
    parts = ["#top", "#nowhere", "#part%20two", "", "#L3"]
    (tmp_path / "a.md").write_text("".join(f"[{part}]({site.address}/good{part})\n\n" for part in parts))
    code, rows = check("a.md")
    assert (code, site.asked["/good"]) == (1, 1)
    assert [row["status"] for row in rows] == ["content_new", "fragment_missing", *["content_new"] * 3]
    assert check("--no-fragments", "a.md")[0] == 0


def test_a_trouble_that_passes_is_tried_again(site: Site, check: Check) -> None:
    _, rows = check(site.address + "/flaky", site.address + "/always-down")
    assert (standings(rows), site.asked["/flaky"]) == ({"flaky": "ok", "always-down": "broken"}, 2)
    assert site.asked["/always-down"] == 2
    check("--retries", "0", site.address + "/always-down")
    assert site.asked["/always-down"] == 3


def test_a_server_that_rests_is_told_with_what_it_said(site: Site, check: Check) -> None:
    """It asks to be left alone for an hour: nobody can try again, and its status tells more than that."""
    _, [row] = check(site.address + "/resting")
    assert (row["http"], row["detail"], site.asked["/resting"]) == (503, "HTTP 503; asks to be left alone for 1h", 1)


def test_what_a_person_would_see_is_told(site: Site, check: Check) -> None:
    """A bot check is nobody's end; a dead end is told with where it is; a page without parts has none of that name."""
    _, rows = check(*(site.address + path for path in ("/guarded", "/to-nothing", "/bare#crust", "/bare")))
    told = [(row["standing"], row["detail"]) for row in rows]
    assert told == [
        ("unknown", "HTTP 403: a bot check stands before it"),
        ("broken", f"HTTP 404 at {site.address}/lost"),
        ("broken", "no part of it is called #crust"),
        ("ok", ""),
    ]


def test_the_part_that_a_server_names_is_kept(site: Site, check: Check, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"[a]({site.address}/split)\n")
    _, [row] = check("a.md")
    assert (row["standing"], row["new_url"]) == ("moved", f"{site.address}/good#top")
    told = ["--set", "fetch.allowed_networks=127.0.0.0/8", "--set", "politeness.delay=0"]
    assert run([*told, "check", "a.md", "--fix", "--yes", "--include", "localhost"]) == 0
    assert (tmp_path / "a.md").read_text() == f"[a]({site.address}/good#top)\n"


def test_secrets_go_to_the_host_they_were_given_for_alone(
    site: Site, check: Check, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    members, leaving = site.address + "/members", site.address + "/leaving"
    assert check(members)[0] == 1
    monkeypatch.setenv("THE_TOKEN", SECRET)
    code, rows = check("--token", site.address, "env:THE_TOKEN", "--all", members, leaving)
    assert code == 0
    assert SECRET not in json.dumps(rows)
    assert site.headers["/leaving"]["Authorization"] == f"Bearer {SECRET}"
    assert "Authorization" not in site.headers["/good"], "the redirect led to another host"
    pair = f"ada:{SECRET}"
    check("--basic-auth", site.address, pair, members)
    assert site.headers["/members"]["Authorization"] == "Basic " + b64encode(pair.encode()).decode()
    check("--header", site.address, f"X-Key: {SECRET}", "--header", "*", "Accept-Language: de", leaving)
    assert (site.headers["/leaving"]["X-Key"], "X-Key" in site.headers["/good"]) == (SECRET, False)
    assert site.headers["/good"]["Accept-Language"] == "de"
    # A bare name means https: what was given for it is not sent in the clear.
    check("--token", site.address.removeprefix("http://"), SECRET, members)
    assert "Authorization" not in site.headers["/members"]
    assert run(["check", "--header", "*", f"Authorization: {SECRET}", members]) == 2
    assert SECRET not in capsys.readouterr().err


def test_a_password_in_an_address_is_not_repeated(site: Site, check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    url = site.address.replace("http://", f"http://ada:{SECRET}@") + "/good"
    _, rows = check(url)
    assert SECRET not in json.dumps(rows)
    for form in ("terminal", "junit", "markdown", "csv", "html", "github"):
        run(["check", "--format", form, "--all", url])
        told = capsys.readouterr()
        assert SECRET not in told.out + told.err
    run(["check", "--dump", url])
    assert SECRET not in capsys.readouterr().out


def test_cookies_are_read_and_kept(site: Site, check: Check, tmp_path: Path) -> None:
    jar = tmp_path / "cookies.txt"
    jar.write_text("# Netscape HTTP Cookie File\nlinks.localhost\tFALSE\t/\tFALSE\t0\tname\tada\n")
    check("--cookie-jar", str(jar), site.address + "/cookies")
    assert site.headers["/cookies"]["Cookie"] == "name=ada"
    check("--cookie-jar", str(jar), site.address + "/leaving")
    assert set(site.headers["/leaving"]["Cookie"].split("; ")) == {"name=ada", "seen=1"}
    assert "Cookie" not in site.headers["/good"], "the redirect led to another host"
    check(site.address + "/cookies")
    assert "Cookie" not in site.headers["/cookies"]


def test_links_of_a_page_of_a_site_and_of_a_sitemap(site: Site, check: Check) -> None:
    start = site.address + "/good"
    code, rows = check("--links-of", start)
    assert (code, sorted(standings(rows))) == (0, ["good", "good#top", "one", "other"])
    assert set(site.asked.values()) == {1}
    code, rows = check("--links-of", start, "--recursive")
    assert (code, standings(rows)["missing"], "two" in standings(rows)) == (1, "broken", True)
    site.asked.clear()
    check("--links-of", start, "--recursive", "--max-pages", "1")
    assert set(site.asked) == {"/good", "/other", "/deep/one"}
    code, rows = check("--sitemap", site.address + "/sitemap.xml")
    assert (code, standings(rows)) == (1, {"good": "ok", "missing": "broken"})


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("{site}/forbidden", "/forbidden: HTTP 403"),
        ("{site}/always-down", "/always-down: HTTP 503"),
        ("http://192.168.1.7/sitemap.xml", "fetch.allowed_networks"),
    ],
)
def test_a_sitemap_that_does_not_come_is_told_with_the_reason(
    site: Site, check: Check, capsys: pytest.CaptureFixture[str], address: str, why: str
) -> None:
    assert run(["--set", "fetch.allowed_networks=127.0.0.0/8", "check", "--sitemap", address.format(site=site.address)])
    said = capsys.readouterr().err
    assert "no sitemap came from" in said
    assert why in said


def test_an_address_that_may_not_be_asked_is_unknown_and_no_failure_by_itself(check: Check) -> None:
    code, [row] = check("http://192.168.1.7/")
    assert (code, row["standing"], row["status"]) == (0, "unknown", "refused")
    assert "fetch.allowed_networks" in row["detail"]
    assert check("--fail-on", "broken,unknown", "http://192.168.1.7/")[0] == 1


def test_which_links_are_checked(site: Site, check: Check, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        f"[g]({site.address}/good) [m]({site.address}/missing) https://example.com/x http://192.168.1.1/ [f](a.md)\n"
        "<mailto:a@b.org> http://some.test/"
    )
    code, rows = check("a.md")
    assert (code, sorted(standings(rows))) == (1, ["a.md", "good", "missing"])
    assert check("--exclude", "/missing$", "a.md")[0] == 0
    assert sorted(standings(check("--include", "/good", "a.md")[1])) == ["good"]
    assert sorted(standings(check("--scheme", "file", "a.md")[1])) == ["a.md"]
    code, rows = check("--mail", "--offline", "a.md")
    assert [row["url"] for row in rows] == ["a.md", "mailto:a@b.org"]
    assert check("--remap", "/missing$", "/good", "a.md")[0] == 0
    assert check("--remap", "(", "x", "a.md")[0] == 2
    _, rows = check("--dump", "--examples", "a.md")
    assert len(rows) == 6
    assert {(row["line"], row["url"]) for row in rows} >= {(1, "http://192.168.1.1/"), (2, "http://some.test/")}
    assert site.asked["/missing"] == 1  # what is excluded or moved to another address is not asked for


def test_names_of_files_in_a_file_and_text_from_standard_input(
    site: Site, check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("[a](b.md)")
    (tmp_path / "names").write_text(f"# mine\na.md\n{site.address}/good\n")
    _, rows = check("--files-from", "names")
    assert [(row["url"], row["standing"]) for row in rows] == [("b.md", "broken"), (site.address + "/good", "ok")]

    text = f"Look at {site.address}/good, and at ({site.address}/missing)."

    class Input:
        buffer = io.BytesIO(text.encode())

    monkeypatch.setattr("sys.stdin", Input())
    _, rows = check("-")
    second = text.rindex("http") + 1
    assert [(row["file"], row["column"], row["standing"]) for row in rows] == [("-", 9, "ok"), ("-", second, "broken")]


def test_every_form_of_the_report(site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], check: Check) -> None:
    (tmp_path / "a.md").write_text("# A | B\n\n[the <b>, text](b.md) [a](#a--b)\n")
    _, [bad, good] = check("--offline", "a.md")
    assert (bad["file"], bad["line"], bad["column"], good["standing"]) == ("a.md", 3, 17, "ok")

    def told(form: str, *more: str) -> str:
        assert run(["check", "--offline", "--format", form, *more, "a.md"]) == 1
        return capsys.readouterr().out

    assert "b.md (a.md:3:17)" in told("terminal")
    assert "1 ok, 1 broken of 2 links" in told("terminal")
    assert "| broken | content_missing | b.md (a.md:3:17) |" in told("markdown")
    suite = ET.fromstring(told("junit"))
    assert [(case.get("name"), len(case)) for case in suite] == [("b.md (a.md:3:17)", 1), ("#a--b (a.md:3:27)", 0)]
    row, well = csv.DictReader(io.StringIO(told("csv")))
    assert (row["file"], row["line"], row["column"], row["standing"]) == ("a.md", "3", "17", "broken")
    assert (well["url"], well["standing"]) == ("#a--b", "ok"), "programs get every link"
    assert told("github").startswith("::error file=a.md,line=3,col=17,title=link broken::b.md: no such file")
    html = told("html")
    assert '<td data-label="link">b.<wbr>md</td><td data-label="text">' in html
    assert "http" not in html.partition("<script>")[2], "it needs nothing else"
    assert re.search('1 ok, 1 broken of 2 links; checked <time datetime="20[^"]+Z?">20[-0-9]+ [:0-9]+ UTC</time>', html)
    assert run(["check", "--offline", "a.md", "-o", "report.csv"]) == 1
    assert capsys.readouterr().err == "1 ok, 1 broken of 2 links; report.csv says more\n"
    assert (tmp_path / "report.csv").read_text() == told("csv")
    assert run(["check", "--offline", "a.md", "-o", "report.md"]) == 1
    assert capsys.readouterr().err.endswith("report.md says more, but for 1 ok; --all has them\n")


def test_reports_for_people_begin_with_the_worst(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# A\n\n[well](#a) [mail](mailto:a@b.org) [gone](b.md) [gone too](c.md)\n")

    def standings(form: str, pattern: str) -> list[str]:
        assert run(["check", "--offline", "--mail", "--all", "--format", form, "a.md"]) == 1
        return re.findall(pattern, capsys.readouterr().out)

    worst_first = ["broken", "broken", "unknown", "ok"]
    assert standings("html", "<tr data-standing=(\\w+)") == worst_first
    assert standings("markdown", "(?m)^\\| (broken|unknown|ok) ") == worst_first
    assert standings("terminal", "(?m)^(broken|unknown|ok) ") == worst_first
    assert standings("csv", "(?m)^(broken|unknown|ok),") == ["ok", "unknown", "broken", "broken"], "as in the file"


def test_what_a_refusal_says_is_told(site: Site, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = "<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>"
    monkeypatch.setitem(_PAGES, "/challenge", lambda request, site: web.Response(status=403, text=moment))
    monkeypatch.setitem(
        _PAGES, "/busy", lambda request, site: web.Response(status=429, headers={"Retry-After": "3600"})
    )
    rows = [check("--retries", "0", site.address + path)[1][0] for path in ("/challenge", "/busy")]
    assert [(row["standing"], row["detail"]) for row in rows] == [
        ("broken", "HTTP 403; it looks like a bot check: a browser may be shown the page"),
        ("unknown", "HTTP 429; asks to be left alone for 1h"),
    ]


def test_hosts_have_a_token_for_github(site: Site, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is refused is asked about elsewhere; what knows of it is let in there alone."""
    monkeypatch.setattr("afresh.doors.cli.check.api_address", lambda url: site.address + "/members")
    monkeypatch.setattr("afresh.doors.cli.check.API", site.address)
    assert check(site.address + "/missing")[0] == 1
    assert check("--github-token", SECRET, site.address + "/missing")[0] == 0
    assert "Authorization" in site.headers["/members"]


def test_what_is_left_out_is_told_by_why(tmp_path: Path, capsys: pytest.CaptureFixture[str], check: Check) -> None:
    (tmp_path / "a.md").write_text("[a](http://localhost:9/) [b](mailto:a@b.org) [c](b.md) [d](http://example.com/)\n")
    assert check("--offline", "a.md")[0] == 1
    capsys.readouterr()
    assert run(["check", "--offline", "--exclude", "b.md", "a.md"]) == 0
    assert "left out: 2 examples or private addresses, 1 mailto, 1 excluded" in capsys.readouterr().out


def test_a_bookmark_is_told_with_its_folder_tags_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], check: Check
) -> None:
    lines = [
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>", "<DL><p>", "<DT><H3>Reading</H3>", "<DL><p>",
        '<DT><A HREF="http://[bad" TAGS="toread,x">Bad</A>', "</DL></DL>",
    ]  # fmt: skip
    (tmp_path / "b.html").write_text("\n".join(lines))
    _, [row] = check("b.html")
    assert (row["line"], row["text"], row["folder"], row["tags"]) == (5, "Bad", "Reading", ["toread", "x"])

    def told(form: str) -> str:
        assert run(["check", "--format", form, "b.html"]) == 1
        return capsys.readouterr().out

    [cells] = csv.DictReader(io.StringIO(told("csv")))
    assert (cells["line"], cells["folder"], cells["tags"]) == ("5", "Reading", "toread, x")
    assert "| standing | status | link | folder | name | what |\n|---|---|---|---|---|---|" in told("markdown")
    assert "Reading  Bad  " in told("terminal")
    assert "| http://[bad (b.html:5) | Reading |" in told("markdown")
    assert '<td data-label="folder">Reading</td>' in told("html")
