"""``afresh link demo``: what became of each page is told as it is."""

import json

import pytest

from afresh.doors.cli.main import run
from afresh.lab.web.links import BOOKMARKS

#: What each fate must be told as: standing, status, what it turned into.
TOLD = {
    "well": ("ok", "content_equal", None),
    "edited": ("ok", "content_similar", None),
    "moved": ("moved", "content_moved", None),
    "gone": ("broken", "content_missing", None),
    "parked": ("broken", "content_different", "parked"),
    "replaced": ("broken", "content_different", "taken_over"),
    "soft_404": ("broken", "content_different", "soft_404"),
    "login_wall": ("broken", "content_different", "login_wall"),
    "maintenance": ("broken", "content_different", "maintenance"),
}


def test_every_fate_is_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["link", "demo", "--json", "--seed", "3"]) == 1
    rows = json.loads(capsys.readouterr().out)
    told = [(row["standing"], row["status"], row["turned"]) for row in rows]
    assert told == [TOLD[saved.fate] for saved in BOOKMARKS]
    assert rows[2]["new_url"].endswith("/new/timetable")
    assert [one["url"].endswith("/new/mill") for one in rows[-1]["candidates"]] == [True]
    assert {saved.fate for saved in BOOKMARKS} == set(TOLD)
