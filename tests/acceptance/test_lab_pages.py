"""Reports of the lab in a real browser: on the page of a run, and as the file beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from afresh.doors.rest import create_app
from afresh.doors.rest.routes.laboratory import get_runs
from afresh.lab.experiments.model import Experiment, Options, Outcome
from afresh.lab.experiments.report import write_report
from afresh.lab.runs import Run, Runs, RunState
from afresh.store import open_store
from tests.fakes.served import served
from tests.fakes.service_context import NOW, FakeContext

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
NAMES = ["two_steps", "only_tau", "indhist_ttl:theta=0.7,M=0.1", "priced:price=504.8 steered"]
#: Lines that the words of each first cell take, without those that begin at a space.
BROKEN = """() => [...document.querySelectorAll("tbody td:first-child")].flatMap(cell => {
  const range = document.createRange(), text = cell.firstChild;
  return text.data.split(" ").filter(word => {
    range.setStart(text, text.data.indexOf(word));
    range.setEnd(text, text.data.indexOf(word) + word.length);
    return range.getClientRects().length > 1;
  });
})"""


class OneRun(Runs):
    """Runs of which the first is done."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._jobs[1] = Run(
            number=1, folder=folder, asked=NOW, state=RunState.DONE, name="reichert-comparison", seed=0, scale=1.0
        )


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A folder with a report of more columns than a screen has room for, numbers and words."""
    words = {f"remark_{number}": "as_long_as_a_remark_may_well_be" for number in range(6)}
    numbers = {f"measured_value_{number}": 0.1234 * number for number in range(14)}
    outcome = Outcome(rows=[{"rule": name, **numbers, **words} for name in NAMES])
    experiment = Experiment("made-up", "Made up", "nowhere", lambda _: outcome)
    write_report(experiment, outcome, tmp_path / "report", Options())
    return tmp_path / "report"


@pytest.fixture
def base(tmp_path: Path, report: Path) -> Iterator[str]:
    store = open_store(str(tmp_path / "afresh.db"))
    app = create_app(FakeContext(store))
    runs = OneRun(report)
    app.dependency_overrides[get_runs] = lambda: runs
    with served(app) as url:
        yield url
    store.close()


@pytest.mark.parametrize("width", [1280, 600])
def test_names_in_the_first_column_stay_whole(browser: Browser, base: str, report: Path, width: int) -> None:
    with browser.new_context(viewport={"width": width, "height": 800}) as tab:
        page = tab.new_page()
        for address in (f"{base}/lab/runs/1", (report / "report.html").as_uri()):
            page.goto(address)
            assert page.locator("tbody td:first-child").count() == len(NAMES)
            assert page.evaluate(BROKEN) == [], address
