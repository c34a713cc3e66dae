"""Freed memory is kept; a process where that cannot be said goes on."""

import ctypes

import pytest

from afresh.base.freed_memory import MAPPED, TRIM, keep_freed_memory


def test_the_library_is_told_both(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []

    class Library:
        def __init__(self, name: str | None) -> None:
            assert name is None

        def mallopt(self, what: int, value: int) -> None:
            told.append((what, value))

    monkeypatch.setattr(ctypes, "CDLL", Library)
    keep_freed_memory()
    assert told == [(-1, TRIM), (-3, MAPPED)]


def test_another_library_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    keep_freed_memory()
