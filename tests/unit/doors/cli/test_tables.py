"""Tables of addresses: whole at any width."""

from collections.abc import Callable

import click
import pytest

from afresh.doors.cli.output import print_table

URL = "https://town.example/a/rather/long/address/that-must-not-be-broken/however-narrow-the-terminal-is.html"
REASON = "the words of the page are others, and its title speaks of a domain that is for sale; " * 2
COLUMNS = ["#", "standing", "checked", "entries", "link", "what"]
Row = tuple[object, ...]
Printed = Callable[[int, list[Row]], list[str]]
ROWS: list[Row] = [(17, "broken", "2h ago", 12, URL, REASON), (18, "moved", "-", 0, f"{URL} (a.md:3:1)", "")]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Printed:
    def call(width: int, rows: list[Row]) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
        monkeypatch.setenv("NO_COLOR", "1")
        print_table(COLUMNS, rows)
        return click.unstyle(capsys.readouterr().out).splitlines()

    return call


def test_a_narrow_terminal_shows_each_row_in_lines(printed: Printed) -> None:
    lines = printed(80, ROWS)
    assert lines[:2] == ["17  broken  2h ago  entries 12", f"  {URL}"]
    assert all(line.startswith("    ") and len(line) <= 80 for line in lines[2:-2])
    assert " ".join(line.strip() for line in lines[2:-2]) == REASON.strip()
    assert lines[-2:] == ["18  moved  entries 0", f"  {URL} (a.md:3:1)"]


def test_a_wide_one_shows_a_table_in_which_words_are_wrapped(printed: Printed) -> None:
    lines = printed(200, ROWS)
    assert lines[0].split() == COLUMNS
    assert URL in lines[1]
    assert len(lines) > 3


def test_what_has_no_address_stays_a_table(printed: Printed) -> None:
    lines = printed(60, [(1, "a", "b", 3, "no address", REASON)])
    assert lines[0].split() == COLUMNS


def test_a_file_has_every_address_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    print_table(COLUMNS, [(1, "ok", "-", 1, URL * 3, REASON)])
    assert URL * 3 in capsys.readouterr().out


def test_a_wide_table_without_addresses_comes_in_parts_with_whole_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    headings = ["algorithm", *(f"published entries {name}" for name in ("delay", "recall", "goodness", "ape"))]
    print_table(headings, [("FixLearned_W", 0.123, 0.456, 0.789, 0.321), ("MAVSync", 1, 2, 3, 4)])
    said = click.unstyle(capsys.readouterr().out)
    words = said.split()
    assert all(len(line) <= 40 for line in said.splitlines())
    assert words.count("FixLearned_W") == words.count("MAVSync") == words.count("algorithm") == 2
    assert words.count("published") == words.count("entries") == 4
    assert {"delay", "recall", "goodness", "ape", "0.123", "0.321"} <= set(words)


def test_names_stand_whole_beside_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    name = "frontier.a_name_of_more_than_24_signs"
    print_table(["option", "value", "meaning"], [(name, URL, REASON)])
    assert capsys.readouterr().out.splitlines()[1].startswith(f"{name}  {URL}  ")
