"""What all tests share: a scrubbed environment, and an honest account of what was left out."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import settings

from tests.fakes.postgres import postgres

__all__ = ["postgres"]

#: The first call of a compiled function compiles it, which says nothing about the example that was tried.
settings.register_profile("compiling", deadline=None)
settings.load_profile("compiling")

#: How the reason of a skip starts when a tool is missing; every other skip is refused.
LEFT_OUT = "left out: "


@pytest.fixture(autouse=True)
def _scrubbed_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting, proxy or token of the machine reaches a test."""
    for name in list(os.environ):
        if name.startswith("AFRESH_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _closed_databases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test opens is closed behind it: from Python 3.13 on it is warned of, in whichever test comes after."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        opened.append(connection)
        return connection

    monkeypatch.setattr(sqlite3, "connect", noted)
    yield
    for connection in opened:
        with suppress(sqlite3.ProgrammingError):  # another thread's own
            connection.close()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tests of one group are on one worker only if pytest-xdist could mark them, which not every pytest lets it."""
    if getattr(session.config.option, "loadgroup", False):
        lost = [item for item in session.items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid]
        if lost:
            raise pytest.UsageError(
                f"groups of tests are not kept together: this pytest does not fit pytest-xdist ({lost[0]})"
            )


def _left_out(reporter: pytest.TerminalReporter) -> list[tuple[str, str]]:
    found = []
    for report in reporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found.append((report.nodeid, reason.removeprefix("Skipped: ")))
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = _left_out(terminalreporter)
    if missing:
        terminalreporter.section(f"{len(missing)} tests left out for want of a tool")
        for name, reason in missing:
            terminalreporter.line(f"{name}: {reason.removeprefix(LEFT_OUT)}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    if os.environ.get("CI") == "true" and _left_out(reporter) and session.exitstatus == 0:
        reporter.line("CI=true: tests left out count as a failure")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
