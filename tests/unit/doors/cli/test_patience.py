"""Who waits for compilation is told so, once it takes long, and only if it is a person."""

import sys
import threading

import pytest

from afresh.doors.cli.patience import while_compiling


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
