"""``afresh frontier``: an operator's questions and orders to a frontier that runs, over real HTTP."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afresh.base.settings.sections import Hygiene
from afresh.doors.cli.main import run
from afresh.frontier.scope import Scope
from afresh.store.frontier import open_frontier
from tests.fakes.frontier_door import FrontierDoor
from tests.fakes.served import served


class Operator:
    """Commands to one frontier, and what they print."""

    def __init__(self, base: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.base, self._capsys = base, capsys

    def run(self, *words: str, code: int = 0) -> str:
        got = run(["frontier", *words, "--from", self.base])
        printed = self._capsys.readouterr()
        assert got == code, printed
        return printed.err if code == 2 else printed.out

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json"))


@pytest.fixture
def door() -> Iterator[FrontierDoor]:
    door = FrontierDoor(names=("127.0.0.1",))
    account = door.register("first")
    door.add("https://a.example/1", "https://b.example/1", "https://c.example/1")
    door.lists(account["uuid"], amount=2)
    pages = {"a.example": "fetched", "b.example": "error"}
    report = [
        {"fqdn": site, "url_list": [{"url": f"https://{site}/1", "result": result, "why": "HTTP 500"}]}
        for site, result in pages.items()
    ]
    door.send("POST", "/results", {"uuid": account["uuid"], "fqdns": report})
    yield door
    door.store.close()


@pytest.fixture
def operator(door: FrontierDoor, capsys: pytest.CaptureFixture[str]) -> Iterator[Operator]:
    with served(door.app) as base:
        yield Operator(base, capsys)


def test_it_tells_how_it_stands(operator: Operator) -> None:
    told = operator.run("status")
    assert "ok, handing out lists" in told
    assert "3 URLs of 3 sites: 1 visited well, 1 failed, 0 left out, 1 waiting" in told
    assert "first" in told
    assert operator.json("status")["fetchers"][0]["leased_sites"] == 0
    assert [one["fqdn"] for one in operator.json("sites", "--limit", "2")["items"]] == ["a.example", "b.example"]
    assert "HTTP 500" in operator.run("sites", "b.example")
    assert "not known" in operator.run("sites", "nobody.example", code=2)
    assert "https://b.example/1" in operator.run("failed")
    assert operator.run("failed", "a.example") == "nothing failed\n"
    assert operator.json("failed")["items"][0]["fetcher_name"] == "first"
    told = operator.run("url", "https://a.example/1")
    assert "status: active" in told
    assert "standing: visited_well" in told
    assert "changes per day: 0\n" in told
    assert "change rate" not in told
    assert "due: now" in operator.run("url", "https://c.example/1")
    assert "`afresh frontier add` adds it" in operator.run("url", "https://nobody.example/", code=2)


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize("command", ["failed", "urls"])
def test_a_site_that_is_not_known_is_not_one_without_trouble(
    command: str, form: tuple[str, ...], operator: Operator
) -> None:
    assert "nobody.example is not known to this frontier" in operator.run(command, "nobody.example", *form, code=2)


def test_who_has_a_url_is_told_by_name(operator: Operator, door: FrontierDoor) -> None:
    second = door.register("second")["uuid"]
    door.lists(second, amount=1)
    assert f"leased by: second ({second})\n" in operator.run("url", "https://c.example/1")
    assert operator.json("url", "https://c.example/1")["leased_by_name"] == "second"
    assert operator.json("sites", "c.example")["items"][0]["leased_by_name"] == "second"
    assert operator.json("sites", "a.example")["items"][0]["leased_by_name"] == ""
    assert "; second has it: " in operator.run("block", "c.example")


def test_it_blocks_visits_and_frees(operator: Operator, door: FrontierDoor) -> None:
    assert "blocked until it is unblocked: c.example" in operator.run("block", "c.example")
    assert "it is unblocked" in operator.run("sites", "c.example")
    assert "--for 0s" in operator.run("block", "c.example", "--for", "0s", code=2)
    assert operator.json("sites", "c.example")["items"][0]["blocked_until"].startswith("9999")
    assert operator.json("unblock", "c.example")["blocked_until"] is None
    assert operator.json("block", "c.example", "--for", "1h")["blocked_until"] is not None
    operator.run("unblock", "c.example")
    assert operator.run("visit", "a.example") == "due now: 1 page of a.example\n"
    second = door.register("second")
    door.lists(second["uuid"], amount=1)
    assert operator.run("free", "second") == "freed: 1 site of second\n"
    assert operator.json("free", second["uuid"]) == {"given_back": 0}
    assert "no fetcher is called so" in operator.run("free", "nobody", code=2)


def test_a_site_is_set_and_its_urls_are_listed(operator: Operator, door: FrontierDoor) -> None:
    assert operator.run("set", "http://a.example/", "--delay", "1m") == "a.example: a pause of 1m\n"
    told = operator.run("set", "a.example", "--delay", "default", "--limit", "1")
    assert told == "a.example: the default pause; nothing more after 1 completed URL\n"
    assert operator.json("sites", "a.example")["items"][0]["limit"] == 1
    assert "say what to set" in operator.run("set", "a.example", code=2)
    assert "not a duration" in operator.run("set", "a.example", "--delay", "soon", code=2)
    door.add(*(f"https://c.example/{page}" for page in range(2, 5)))
    assert operator.run("urls", "c.example").count("now") == 4
    assert [one["url"] for one in operator.json("urls", "--contains", "/3")["items"]] == ["https://c.example/3"]
    first = operator.json("urls", "c.example", "--limit", "3")
    rest = operator.json("urls", "c.example", "--limit", "3", "--after", first["next"])
    assert [len(part["items"]) for part in (first, rest)] == [3, 1]
    assert operator.run("urls", "c.example", "--contains", "/9") == "none here\n"


def test_a_pause_that_is_changed_reaches_who_holds_the_site(operator: Operator, door: FrontierDoor) -> None:
    """As a block does: the rest of its list comes back, and is handed out again at the new pace."""
    second = door.register("second")
    assert [one["fqdn"] for one in door.lists(second["uuid"], amount=1)["url_frontiers"]] == ["c.example"]
    told = operator.run("set", "c.example", "--delay", "1m")
    assert told.startswith("c.example: a pause of 1m; second has it: `afresh fetch` hears of it within seconds, ")
    assert door.send("GET", "/sites/blocked").json()["items"] == ["c.example"]
    door.clock.advance(10.0)
    assert door.send("GET", "/sites/blocked").json()["items"] == []
    operator.run("block", "c.example")
    operator.run("set", "c.example", "--delay", "2m")
    door.clock.advance(10.0)
    assert door.send("GET", "/sites/blocked").json()["items"] == ["c.example"], "a block is none the shorter for it"


def test_what_failed_is_told_apart_from_what_is_left_out(
    operator: Operator, door: FrontierDoor, capsys: pytest.CaptureFixture[str]
) -> None:
    door.add("https://b.example/2")
    uuid = door.register("second")["uuid"]
    door.clock.advance(3_600.0)
    door.lists(uuid, fqdn="b.example")
    pages = [{"url": "https://b.example/2", "result": "excluded"}]
    door.send("POST", "/results", {"uuid": uuid, "fqdns": [{"fqdn": "b.example", "url_list": pages}]})
    assert run(["frontier", "failed", "b.example", "--limit", "2", "--from", operator.base]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("HTTP 500: 1, robots.txt forbids it: 1\n")
    assert "https://b.example/2" not in said.out
    assert said.err == "the newest 2; --limit shows more, up to 1,000\n"
    assert "https://b.example/2" in operator.run("failed", "b.example", "--reason", "robots")


def test_what_failed_is_counted_and_shown_by_reason(operator: Operator, door: FrontierDoor) -> None:
    uuid = door.register("second")["uuid"]
    door.lists(uuid, fqdn="c.example")
    pages = [{"url": "https://c.example/1", "result": "error", "why": "Connection refused (192.0.2.1:443)"}]
    door.send("POST", "/results", {"uuid": uuid, "fqdns": [{"fqdn": "c.example", "url_list": pages}]})
    found = operator.json("failed", "--reason", "REFUSED")
    assert [(one["url"], one["reason"]) for one in found["items"]] == [("https://c.example/1", "Connection refused")]
    assert {one["reason"]: one["urls"] for one in found["reasons"]} == {"HTTP 500": 1, "Connection refused": 1}
    assert operator.run("failed", "--reason", "404").endswith("nothing failed for such a reason\n")


def test_urls_are_listed_with_how_they_stand(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    found = {one["fqdn"]: one for one in operator.json("urls")["items"]}
    standings = {site: one["standing"] for site, one in found.items()}
    assert standings == {"a.example": "visited_well", "b.example": "failed", "c.example": "waiting"}
    assert (found["a.example"]["visited"] is None, found["c.example"]["visited"]) == (False, None)
    heading, *rows = operator.run("urls").splitlines()
    assert all(words in heading for words in ("standing", "last visit", "next visit"))
    assert any("a.example/1  visited well" in row for row in rows)


def test_settings_are_shown_and_changed(operator: Operator) -> None:
    assert "default_delay" in operator.run("settings")
    told = operator.json("settings", "default_delay=1m", "pages=7", "page_order=new_pages_first")
    assert (told["default_delay"], told["pages"], told["page_order"]) == (60.0, 7, "new_pages_first")
    assert operator.json("settings", "pages=default")["pages"] == 0
    assert operator.json("settings")["page_order"] == "new_pages_first"
    assert "NAME=VALUE" in operator.run("settings", "pages", code=2)
    assert "colour" in operator.run("settings", "colour=red", code=2)


def test_what_failed_says_when_it_is_tried_again(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert operator.json("failed")["items"][0]["due"] is not None
    assert "next try" in operator.run("failed")
    assert "https://b.example/1" in operator.run("failed", "https://b.example/1")


def test_urls_are_added(operator: Operator, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("# ours\nhttps://d.example/\nhttps://a.example/1\n")
    told = operator.run("add", str(tmp_path / "seeds.txt"), "https://d.example/2")
    assert told == "2 URLs new, 1 known before, 0 refused\n"
    assert "0 URLs new, 0 known before, 1 refused" in operator.run("add", "http://127.0.0.1/", code=1)


def test_it_is_paused_and_resumed(operator: Operator) -> None:
    assert operator.run("pause") == "paused: lists are empty\n"
    assert "paused: lists are empty" in operator.run("status")
    assert operator.json("resume")["active"] is True
    assert "handing out lists" in operator.run("status")


def test_who_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("afresh.doors.cli.frontier._PATIENCE", 0.0)
    monkeypatch.setenv("AFRESH_FRONTIER", "http://127.0.0.1:9")
    assert run(["frontier", "status"]) == 3
    assert "no frontier answers at http://127.0.0.1:9 (" in capsys.readouterr().err


def test_a_site_is_blocked_before_it_is_known(operator: Operator) -> None:
    assert operator.run("block", "nosuch.example").startswith("blocked until ")
    assert operator.json("sites", "nosuch.example")["items"][0]["url_count"] == 0
    assert "no queue" in operator.run("block", "no such", code=2)


def test_what_was_left_out_is_told(operator: Operator, door: FrontierDoor) -> None:
    assert "out of scope" not in operator.run("status")
    door.frontier.lately.note_out_of_scope(1204)
    assert "out of scope, since its start: 1,204 links" in operator.run("status")


def test_links_of_large_pages_that_were_left_out_are_told(operator: Operator, door: FrontierDoor) -> None:
    assert "fetch.max_links" not in operator.run("status")
    door.add("https://large.example/")
    uuid = door.register("large")["uuid"]
    links = [f"https://large.example/{n}" for n in range(12_000)]
    answer = door.report(uuid, door.lists(uuid, fqdn="large.example"), links=links, links_left_out=1_204)
    assert (answer.status, answer.json()["discovered"]) == (200, 12_000)
    told = operator.run("status")
    assert "left out of pages with more than `fetch.max_links` of their fetcher, since its start: 1,204 links" in told
    assert "afresh_frontier_links_left_out_total 1204.0" in door.client.request("GET", "/metrics").text


def test_a_fetcher_that_is_gone_is_forgotten(operator: Operator, door: FrontierDoor) -> None:
    assert operator.run("forget", "first") == "forgotten: first\n"
    assert "no fetcher has registered yet" in operator.run("status")
    assert "no fetcher is called so" in operator.run("forget", "first", code=2)


def test_what_is_over_the_budget_and_who_wants_a_long_pause_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    door = FrontierDoor(names=("127.0.0.1",), store=open_frontier(":memory:", hygiene=Hygiene(budget=2)))
    door.add(*(f"https://a.example/{page}" for page in range(5)), "https://b.example/")
    uuid = door.register()["uuid"]
    given = door.lists(uuid, amount=0)
    sites = [
        {"fqdn": site["fqdn"], "reservation": site["reservation"], "fqdn_crawl_delay": 86_400.0, "url_list": []}
        for site in given["url_frontiers"]
    ]
    door.send("POST", "/results", {"uuid": uuid, "fqdns": sites})
    with served(door.app) as base:
        operator = Operator(base, capsys)
        assert "3 URLs wait, over the budget of their site (hygiene.budget)" in operator.run("status")
        told = operator.run("sites")
        assert "over the budget of their site (hygiene.budget): a.example 3\n" in told
        assert "b.example 3" not in told
        assert re.search(r"pause +next list .*\na\.example .* 1d  ", told)
        door.lists(uuid, amount=0)
        operator.run("set", "b.example", "--delay", "default")
        assert re.search(r"b\.example .* default  ", operator.run("sites", "b.example"))
    door.store.close()


@pytest.mark.parametrize("named", ["http://c.example:9300/", "c.example:9300", "C.example"])
def test_a_site_is_taken_out_of_what_was_given(operator: Operator, named: str) -> None:
    assert operator.run("block", named).endswith(": c.example\n")
    assert operator.run("unblock", named) == "not blocked any more: c.example\n"


def test_a_fetcher_that_lost_its_state_hears_what_can_be_done(door: FrontierDoor) -> None:
    answer = door.send("POST", "/fetchers", {"contact": "ops@example.org", "name": "first"})
    assert (answer.status, "`afresh frontier forget first`" in answer.text) == (409, True)


def test_who_has_no_token_hears_how_to_give_one(capsys: pytest.CaptureFixture[str]) -> None:
    with served(FrontierDoor(names=("127.0.0.1",), tokens=("a-long-random-string",)).app) as base:
        assert run(["frontier", "status", "--from", base]) != 0
    assert "--token or AFRESH_TOKEN" in capsys.readouterr().err


@pytest.mark.parametrize("tokens", [(), ("a-long-random-string",)])
def test_who_has_a_wrong_token_hears_that_it_is_wrong(
    tokens: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with served(FrontierDoor(names=("127.0.0.1",), tokens=tokens).app) as base:
        assert run(["frontier", "status", "--token", "token-of-another-frontier", "--from", base]) != 0
    said = capsys.readouterr().err
    assert f"{base} does not take this token as an administrator's" in said
    assert "wants" not in said


def test_a_daemon_is_told_from_a_frontier(capsys: pytest.CaptureFixture[str]) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        is_there = not scope["path"].endswith("/active")
        body = json.dumps({"status": "ok", "troubles": []} if is_there else {"detail": "nothing lives at /active"})
        kind = b"application/json" if is_there else b"application/problem+json"
        head = {"status": 200 if is_there else 404, "headers": [(b"content-type", kind)]}
        await send({"type": "http.response.start", **head})
        await send({"type": "http.response.body", "body": body.encode()})

    with served(app) as base:
        assert run(["frontier", "status", "--from", base]) == 2
    assert "is a daemon (`afresh run`), not a frontier" in capsys.readouterr().err


def test_how_far_links_are_followed_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    door = FrontierDoor(names=("127.0.0.1",), scope=Scope(include=["/news/"]))
    words = "links are followed only where they match /news/"
    with served(door.app) as base:
        assert words in Operator(base, capsys).run("status")
    assert words in door.client.get("/fetchers").text
    door.store.close()
