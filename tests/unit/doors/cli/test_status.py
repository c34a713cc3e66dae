"""``afresh status`` says what the budget came to, as the daemon last left it."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.base.models import Counters
from afresh.base.records.daemons import DaemonRecord
from afresh.base.settings.sections import BudgetSettings
from afresh.base.troubles import Trouble
from afresh.doors.cli.main import run
from afresh.engine.budget import Budget
from afresh.store import open_store
from tests.laws.store_material import feeds, report, take


def status(path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["--store", str(path), "status", *words]) == 0
    return capsys.readouterr().out


def test_without_a_budget_nothing_is_said_of_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_store(str(tmp_path / "s.db")).close()
    assert "\nbudget " not in status(tmp_path / "s.db", capsys)
    assert json.loads(status(tmp_path / "s.db", capsys, "--json"))["budget"] is None


def test_losses_are_told_by_status_doctor_why_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, now = str(tmp_path / "s.db"), time.time()
    store = open_store(path)
    store.add(feeds(1, due=0.0), now=now)
    [lease] = take(store, now)
    made = replace(report(lease, now, counters=Counters(ok=2, misses=1), last_ok=now), lost=7.0)
    store.record([replace(made, visit=replace(made.visit, missed=True))])
    store.close()
    assert "0 entries found, about 7 lost between two visits" in status(tmp_path / "s.db", capsys)
    for words, said in (
        (["doctor"], "about 7 of the last day's came and went between two visits"),
        (["why", "1"], "once nothing of the visit before was left"),
        (["show", "1"], "missed: "),
    ):
        run(["--store", path, *words])
        assert said in " ".join(capsys.readouterr().out.split())


def test_price_use_and_what_more_would_buy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    budget = Budget(BudgetSettings(requests_per_hour=1000, bytes_per_hour=5e6), price=250.0)
    budget.delays.note(1100.0, 250.0, is_free=True)
    store = open_store(str(tmp_path / "s.db"))
    budget.keep(store)
    store.close()
    said = status(tmp_path / "s.db", capsys)
    assert "a visit must save 4.2 min of waiting, settling; 0 of 1,000 requests used in the last hour (0 %)" in said
    assert "10 % more requests would bring the mean delay from 18m20s to 16m40s" in said
    told = json.loads(status(tmp_path / "s.db", capsys, "--json"))["budget"]
    assert (told["price"], told["requests_per_hour"]) == (250.0, 1000.0)
    assert told["delay_with_ten_percent_more"] == pytest.approx(1000.0)
    assert (told["used_share"], told["settled"]) == (0.0, False)


def test_a_daemon_that_was_killed_is_known_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its last word is fresh, and nobody holds the lock of the file."""
    store = open_store(str(tmp_path / "s.db"))
    store.daemons.beat(daemon("a:1", seen=time.time()))
    store.close()
    said = status(tmp_path / "s.db", capsys)
    assert said.startswith("health    no daemon is running; the last one was seen ")
    assert "it was killed, or this is a copy of its store; `afresh run` starts one" in said
    assert json.loads(status(tmp_path / "s.db", capsys, "--json"))["health"]["status"] == "silent"


def test_what_the_daemon_last_said_of_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(str(tmp_path / "s.db"), exclusive=True)
    assert status(tmp_path / "s.db", capsys).startswith("store ")
    assert json.loads(status(tmp_path / "s.db", capsys, "--json"))["health"] is None
    now = time.time()
    trouble = Trouble("store", "the disk is full", now - 30.0)
    store.daemons.beat(daemon("a:1", seen=now, status="degraded", troubles=(trouble,)))
    said = status(tmp_path / "s.db", capsys)
    assert said.startswith("health    degraded, said ")
    assert "store: the disk is full (since 3" in said
    told = json.loads(status(tmp_path / "s.db", capsys, "--json"))["health"]
    assert (told["status"], told["is_silent"], told["troubles"][0]["what"]) == ("degraded", False, "store")
    store.daemons.beat(daemon("a:1", seen=now - 3600.0))
    assert "health    silent for 1h: it was killed" in status(tmp_path / "s.db", capsys)
    store.daemons.leave("a:1", now=now - 3600.0)
    assert "health    no daemon is running; the last one stopped 1h ago" in status(tmp_path / "s.db", capsys)
    store.close()


def test_of_several_daemons_each_speaks_for_itself_and_the_worst_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store(str(tmp_path / "s.db"), exclusive=True)
    now = time.time()
    store.daemons.beat(daemon("ill:1", seen=now, status="degraded", troubles=(Trouble("network", "down", now),)))
    store.daemons.beat(daemon("well:2", seen=now + 1.0))  # spoke last
    store.daemons.beat(daemon("dead:3", seen=now - 600.0))
    told = json.loads(status(tmp_path / "s.db", capsys, "--json"))
    assert told["health"]["status"] == "degraded"
    assert {one["name"]: (one["status"], len(one["troubles"])) for one in told["daemons"]} == {
        "ill:1": ("degraded", 1),
        "well:2": ("ok", 0),
        "dead:3": ("silent", 0),
    }
    said = status(tmp_path / "s.db", capsys)
    assert said.startswith("health    degraded, said ")
    assert "daemon    well:2 ok, since" in said
    store.daemons.leave("ill:1", now=now)
    assert status(tmp_path / "s.db", capsys).startswith("health    ok, said "), "who is silent beside others was killed"
    store.close()


def test_requests_are_counted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The budget's report is kept once a minute, a daemon says what it has asked every few seconds."""
    store = open_store(str(tmp_path / "s.db"), exclusive=True)
    Budget(BudgetSettings(requests_per_hour=600)).keep(store)
    now = time.time()
    store.daemons.beat(DaemonRecord(name="a:1", since=now, seen=now, requests=33, leads_since=now))
    said = status(tmp_path / "s.db", capsys)
    assert "33 of 600 requests used in the last hour (6 %)" in said
    assert "33 requests in the last hour\n" in said
    assert [line.split()[0] for line in said.splitlines()].count("daemon") == 1
    store.close()


def daemon(
    name: str, *, seen: float, status: str = "ok", troubles: tuple[Trouble, ...] = (), leads_since: float | None = None
) -> DaemonRecord:
    return DaemonRecord(
        name=name, since=0.0, seen=seen, requests=0, leads_since=leads_since, status=status, troubles=troubles
    )


def test_the_daemons_and_who_leads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(str(tmp_path / "s.db"))
    store.daemons.beat(DaemonRecord(name="a:1", since=0.0, seen=60.0, requests=30, leads_since=None))
    store.daemons.beat(DaemonRecord(name="b:2", since=0.0, seen=61.0, requests=10, leads_since=5.0))
    store.close()
    said = status(tmp_path / "s.db", capsys)
    assert (
        "daemon    b:2 silent, since 1970-01-01 00:00:00 UTC, last seen 1970-01-01 00:01:01 UTC, leads; 10 req" in said
    )
    assert "30 requests in the last hour (75 %)" in said
    told = json.loads(status(tmp_path / "s.db", capsys, "--json"))["daemons"]
    assert [(one["name"], one["share"], bool(one["leads_since"])) for one in told] == [
        ("b:2", 0.25, True),
        ("a:1", 0.75, False),
    ]


def test_settings_that_were_changed_since_the_daemon_began_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "afresh.toml"
    file.write_text("[budget]\nrequests_per_hour = 10\n", encoding="utf-8")
    store = open_store(str(tmp_path / "s.db"), exclusive=True)
    now = time.time()
    for since, is_told in ((now + 10.0, False), (now - 3600.0, True)):
        store.daemons.beat(replace(daemon("a:1", seen=now), since=since))
        assert ("afresh.toml was changed since the daemon began" in status(tmp_path / "s.db", capsys)) is is_told
    store.close()
