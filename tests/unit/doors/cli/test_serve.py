"""``afresh serve``: what it says of itself holds no secrets."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click
import pytest

from afresh.base.settings import Settings
from afresh.doors.cli.main import run
from afresh.doors.cli.serve import _announce, _worker_arguments
from afresh.frontier.scope import Scope, Stay
from afresh.store.frontier import open_frontier


@pytest.mark.parametrize("url", ["postgresql://me:hush@db/x", "postgresql://me@db/x?password=hush", "frontier.db"])
def test_the_greeting_names_the_store_without_its_password(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        _announce(replace(settings, frontier=replace(settings.frontier, url=url)), listener, as_json=True)
    told = capsys.readouterr()
    for said in (told.err, json.loads(told.out)["store"]):
        assert "hush" not in said
        assert url.partition(":")[0] in said


def test_the_pace_of_a_crawl_is_set_at_the_start_kept_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    serve = ["serve", "--store", str(tmp_path / "frontier.db"), "--port", "0", "--for", "100ms"]
    for words, told in (([], "10s"), (["--delay", "2s"], "2s"), ([], "2s")):
        assert run([*serve, *words]) == 0
        assert f"\n{told} between two requests to a site that asks for no pause\n" in capsys.readouterr().err


def test_a_scheduler_starts_without_what_it_does_not_use() -> None:
    heavy = ("fastapi", "pydantic", "jinja2", "numba", "afresh.engine.daemon", "afresh.lab")
    code = f"import sys, afresh.doors.cli.serve; print(sorted(set({heavy!r}) & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_frontier_archives_nothing_and_says_who_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--store", str(tmp_path / "f.db"), "--port", "0", "--for", "1s", "--sink", "warc:out"]) == 2
    assert "afresh fetch --warc out" in capsys.readouterr().err
    assert run(["serve", "--help"]) == 0
    assert "warc:" not in capsys.readouterr().out


def test_how_far_a_crawl_goes_is_said_at_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    serve = ["serve", "--store", str(tmp_path / "frontier.db"), "--port", "0", "--for", "100ms"]
    lost = "nothing was added since it is: all links are left out; name where to begin"
    assert run([*serve, "--stay", "hosts"]) == 0
    assert f"frontier.stay is hosts, and {lost}" in capsys.readouterr().err
    assert run([*serve, "--stay", "domains", "--seed", "https://example.org/", "--exclude", "/a b,c/"]) == 0
    assert run([*serve, "--stay", "domains"]) == 0
    assert lost not in capsys.readouterr().err
    assert run([*serve, "--exclude", "("]) == 3
    assert "frontier.exclude: not a usable regular expression" in capsys.readouterr().err
    assert run([*serve, "--stay", "nowhere"]) == 2
    assert "'everywhere', 'hosts', 'domains'" in capsys.readouterr().err


def test_a_start_that_says_nothing_goes_as_far_as_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says so; a crawl is not opened by a restart."""
    serve = ["serve", "--store", str(tmp_path / "frontier.db"), "--port", "0", "--for", "100ms"]
    said = r"links are followed only where they match ^http://site2\.localhost"
    assert run([*serve, "--include", r"^http://site2\.localhost"]) == 0
    assert f"{said}\n" in capsys.readouterr().err
    assert run(serve) == 0
    assert f"{said} (as before; --include '' takes it back)\n" in capsys.readouterr().err
    assert run([*serve, "--include", ""]) == 0
    assert run(serve) == 0
    assert "links are" not in capsys.readouterr().err


def test_a_start_says_where_results_go_and_which_sink_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What waits for a sink that is not named any more fills the store; what nobody keeps is lost."""
    serve = ["serve", "--store", str(tmp_path / "frontier.db"), "--port", "0", "--for", "100ms"]
    first, second = f"ndjson:{tmp_path / 'a'}", f"ndjson:{tmp_path / 'b'}"
    left = f"nothing is written to {first} from here, as an earlier start did: what is reported waits for it"
    assert run(serve) == 0
    assert "what fetchers report is kept nowhere: --sink" in capsys.readouterr().err
    assert run([*serve, "--sink", first]) == 0
    told = capsys.readouterr().err
    assert f"what fetchers report is written to {first}\n" in told
    assert "an earlier start" not in told
    assert run(serve) == 0
    told = capsys.readouterr().err
    assert left in told
    assert "kept nowhere" not in told
    assert run([*serve, "--sink", second]) == 0
    assert left in capsys.readouterr().err


def test_a_scheduler_process_does_not_say_again_what_its_parent_said(tmp_path: Path) -> None:
    """It is started again when it dies, and others may have said something else meanwhile."""
    context = click.Context(
        click.Command("serve"), obj={"config_file": "a.toml", "assignments": ("frontier.stay=hosts",)}
    )
    arguments = _worker_arguments(context, dev=False, listen="")
    assert arguments == ["--config", "a.toml", "--set", "frontier.stay=hosts", "serve", "--workers", "1"]
    place = str(tmp_path / "frontier.db")
    store = open_frontier(place)
    Scope(stay=Stay.DOMAINS, exclude=["/a/"]).begin(store)
    kept = store.get_setting("frontier.scope")
    store.close()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        inherited = ["--fd", str(os.dup(listener.fileno())), "--for", "100ms"]
        assert run(["--set", "frontier.stay=hosts", "serve", "--store", place, *inherited]) == 0
    store = open_frontier(place)
    assert store.get_setting("frontier.scope") == kept
    store.close()
