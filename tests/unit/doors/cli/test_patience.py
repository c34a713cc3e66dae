"""Who waits for compilation is told so, once it takes long, and only if it is a person."""

import sys
import threading

import pytest

from afresh.doors.cli import patience
from afresh.doors.cli.patience import tell_progress, while_compiling


class Terminal:
    """A standard error that somebody looks at."""

    def __init__(self) -> None:
        self.text = ""
        self.said = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        self.said.set()
        return len(text)

    def flush(self) -> None:
        pass


def test_a_person_is_told_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with while_compiling(0.0):
        assert screen.said.wait(10)
    assert "compiling rules" in screen.text


def test_what_is_quick_and_what_nobody_sees_needs_no_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with while_compiling(0.0):
        pass
    assert capsys.readouterr().err == ""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with while_compiling(60.0):
        pass
    assert not screen.said.wait(0.05)


def test_a_log_gets_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = [100.0]
    monkeypatch.setattr("afresh.doors.cli.patience.time.monotonic", lambda: now[0])
    monkeypatch.setattr(patience, "_told", [100.0])
    for step in range(25):
        now[0] = 100.0 + step
        tell_progress(f"step {step}")
    tell_progress("")
    assert capsys.readouterr().err == "step 10\nstep 20\n"
