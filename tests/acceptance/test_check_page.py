"""The HTML report of ``afresh check`` in a browser: one file that sorts and filters by itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.fakes.browsing import FAULTS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SHOWN = "() => [...document.querySelectorAll('tbody tr')].filter(row => !row.hidden).map(row => row.cells[2].innerText)"


def test_the_report_sorts_and_filters(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("[one](z.md) [two](a.md) [three `<i>`](b.md) [four](#nothing)")
    # In a process of its own: the browser's loop is this thread's.
    command = [sys.executable, "-m", "afresh", "check", "--offline", "a.md", "-o", "report.html"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 1
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate(SHOWN) == ["z.md", "b.md", "#nothing"]  # what is well is hidden at first
    assert page.evaluate(FAULTS) == []
    page.get_by_role("columnheader", name="link", exact=True).click()
    assert page.evaluate(SHOWN) == ["#nothing", "b.md", "z.md"]
    page.get_by_label("words to look for").fill("THREE")
    assert page.evaluate(SHOWN) == ["b.md"]
    page.get_by_label("words to look for").fill("")
    page.get_by_label("ok", exact=True).check()
    assert "a.md" in page.evaluate(SHOWN)
    assert len(asked) == 1  # it needs nothing else
    page.close()
