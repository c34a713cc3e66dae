"""``afresh doctor``: what it calls a fault, and what it does not."""

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from afresh.base.extras import EXTRAS, PURPOSES, installing
from afresh.base.records.daemons import DaemonRecord
from afresh.doors.cli.main import run
from afresh.doors.listening import keep_address
from afresh.store import open_store


def check_of(name: str, store: Path, setting: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    run(["--store", str(store), "--set", setting, "doctor", "--json"])
    return next(check for check in json.loads(capsys.readouterr().out) if check["name"] == name)


def port_check(store: Path, port: int, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return check_of("port", store, f"service.port={port}", capsys)


def test_a_port_that_our_own_daemon_uses_is_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.db"
    store = open_store(str(path), exclusive=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not port_check(path, port, capsys)["ok"], "somebody else's"
        name, now = f"{socket.gethostname()}:{os.getpid()}", time.time()
        store.daemons.beat(DaemonRecord(name=name, since=now, seen=now, requests=0, leads_since=None))
        found = port_check(path, port, capsys)
        assert found["ok"]
        assert found["found"].endswith(f"is in use; the daemon of this store runs, {name}")
        store.daemons.leave(name, now=now)
        assert not port_check(path, port, capsys)["ok"], "it has ended, so who is this?"
    assert port_check(path, port, capsys)["ok"]
    store.close()


def test_the_port_is_that_of_the_running_daemon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the settings of this command say."""
    path, now = tmp_path / "s.db", time.time()
    store = open_store(str(path), exclusive=True)
    name = f"{socket.gethostname()}:{os.getpid()}"
    store.daemons.beat(DaemonRecord(name=name, since=now, seen=now, requests=0, leads_since=None))
    with socket.create_server(("127.0.0.1", 0)) as ours, socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{ours.getsockname()[1]}/"
        keep_address(store, name, address)
        found = port_check(path, taken.getsockname()[1], capsys)
        assert (found["ok"], found["found"]) == (True, f"the daemon of this store, {name}, listens at {address}")
    assert not port_check(path, 8080, capsys)["ok"], "nobody is there any more"
    store.close()


def test_an_extra_that_is_missing_is_not_called_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nats", None)
    assert run(["--store", str(tmp_path / "s.db"), "doctor"]) in (0, 1)
    said = f"extra nats         not installed (needed for sinks that are streams of NATS: {installing('nats')})"
    assert f"\n-     {said}\n" in capsys.readouterr().out
    assert set(PURPOSES) == set(EXTRAS)


@pytest.mark.parametrize(
    ("setting", "is_ok", "words"),
    [
        ("fetch.allowed_networks=", True, "private addresses are refused"),
        ("fetch.allowed_networks=127.0.0.0/8", True, "private addresses are refused but for 127.0.0.0/8"),
        ("fetch.allow_private=true", False, "private addresses can be reached"),
    ],
)
def test_what_the_guard_lets_through_is_said(
    tmp_path: Path, setting: str, is_ok: bool, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = check_of("address guard", tmp_path / "s.db", setting, capsys)
    assert (found["ok"], found["found"]) == (is_ok, words)
