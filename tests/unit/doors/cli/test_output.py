"""What is printed arrives, however little the other side takes at a time."""

import io
import json
import sys

import pytest

from afresh.doors.cli.output import print_json, print_text


class Sip(io.RawIOBase):
    """A pipe that takes a few bytes at a time, as the system lets them, and without a buffer in front (Python's -u)."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(memoryview(data)[:7])  # type: ignore[arg-type]
        self.taken += piece
        return len(piece)


def test_all_of_a_long_text_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    sip = Sip()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(sip, encoding="utf-8", write_through=True))  # type: ignore[type-var]
    print_text("süß " * 20)
    assert sip.taken.decode() == "süß " * 20 + "\n"
    sip.taken = b""
    print_json(["x" * 100])
    assert json.loads(sip.taken) == ["x" * 100]


def test_what_the_terminal_cannot_write_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    target = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(target, encoding="ascii", errors="replace"))
    print_text("süß")
    assert target.getvalue() == b"s??\n"


def test_a_stream_of_text_alone_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    target = io.StringIO()
    monkeypatch.setattr(sys, "stdout", target)
    print_text("süß")
    assert target.getvalue() == "süß\n"
