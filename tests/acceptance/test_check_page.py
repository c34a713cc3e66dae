"""The HTML report of ``afresh check`` in a browser: one file that sorts and filters by itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.fakes.browsing import FAULTS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

URL = (
    "http://127.0.0.1:9/library/articles/2019/how-we-repaired-a-shelf-and-other-stories?session=ab{}&source=newsletter"
)
WIDTHS = (
    "() => [document.documentElement.scrollWidth, ...[...document.querySelectorAll('th')].map(th => th.offsetWidth)]"
)
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


def test_the_report_fits_a_window_and_a_phone(browser: Browser, tmp_path: Path) -> None:
    marks = "".join(
        f'<DT><A HREF="{URL.format(n)}" TAGS="toread">{"Shelves and their stories " * 3}</A>\n' for n in "ab"
    )
    folder = f"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Reading</H3><DL><p>{marks}</DL></DL>"
    (tmp_path / "a-long-name-of-bookmarks.html").write_text(folder)
    command = [sys.executable, "-m", "afresh", "check", "a-long-name-of-bookmarks.html", "-o", "report.html"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0  # private: nobody is asked
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "report.html").as_uri())
    wide, *columns = page.evaluate(WIDTHS)
    assert wide == 1280
    assert min(columns) > 60
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate(WIDTHS)[0] == 400
    card = page.locator("tbody tr").first
    for text in ("Shelves and their stories", "Reading", "toread", "how-we-repaired"):
        place = card.get_by_text(text).first.bounding_box()
        assert place is not None
        assert place["x"] + place["width"] <= 400
    page.close()
