"""``afresh lab revisit`` on a small trace, and its complaints."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from afresh.base.errors import UsageError
from afresh.doors.cli.lab.revisit import revisit_command
from afresh.lab.traces import read_trace
from afresh.lab.traces.errors import TraceError

DAY = 86_400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty pages of four sites over a year: every fourth changes daily, the others monthly."""
    rng = np.random.default_rng(1)
    out = tmp_path_factory.mktemp("trace")
    pages, changes = ["page_id,repo,host,source,observed_from,observed_until"], ["page_id,timestamp,size"]
    for page in range(40):
        start = 1_600_000_000 + int(rng.integers(0, 60 * DAY))
        pages.append(f"{page},r,site{page % 4}.example,{'odd' if page % 2 else 'even'},{start},{start + 365 * DAY}")
        mean = DAY if page % 4 == 0 else 30 * DAY
        times = start + np.cumsum(rng.exponential(mean, 1000))
        kept = [start, *(int(t) for t in times if t < start + 365 * DAY)]
        changes += [f"{page},{t},100" for t in sorted(kept)]
    (out / "pages.csv").write_text("\n".join(pages) + "\n")
    (out / "changes.csv").write_text("\n".join(changes) + "\n")
    return out


def _run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(revisit_command, ["--trace", str(folder), *options], standalone_mode=False)


def test_rows_of_the_list(folder: Path) -> None:
    names = ["default", "uniform", "proportional", "plug-in", "lambda-crawl-complete", "plug-in-last-modified"]
    options = [option for name in names for option in ("--policy", name)]
    result = _run(folder, "--budget", "0.5,2", *options, "--json")
    assert result.exception is None
    rows = json.loads(result.stdout)
    assert len(rows) == 12
    for row in rows:
        assert set(row) >= {"policy", "budget", "freshness", "age", "requests", "violations", "hindsight"}
        assert row["violations"] == 0
        assert 0.0 < row["freshness"] < 1.0
        if row["observation"] == "visits":
            assert row["requests"] <= 1.01 * row["allowed"] + 10
    fresh = {(row["policy"], row["budget"]): row["freshness"] for row in rows}
    assert fresh["afresh", 0.5] > fresh["proportional", 0.5]
    assert all(fresh[row["policy"], 2.0] > fresh[row["policy"], 0.5] for row in rows)
    assert _run(folder, "--budget", "0.5,2", *options, "--json").stdout == result.stdout


def test_without_policy_all_that_only_visit(folder: Path) -> None:
    rows = json.loads(_run(folder, "--budget", "1", "--where", "source=even", "--json").stdout)
    assert {row["observation"] for row in rows} == {"visits"}
    assert sum(row["is_default"] for row in rows) == 1
    assert rows[0]["pages"] == 20
    table = _run(folder, "--budget", "1", "--policy", "uniform", "--delay", "1m").stdout
    assert "uniform" in table
    assert "freshness" in table


def test_footnotes_say_what_hindsight_is_what_the_default_is_and_what_is_scored(folder: Path) -> None:
    lines = _run(folder, "--budget", "1", "--policy", "default", "--policy", "site-clocked").stdout.splitlines()
    assert lines[1].startswith("afresh (default)")
    assert lines[2].startswith("site-clocked  ")
    hindsight, default, used = lines[3:]
    assert hindsight.startswith("hindsight: the best fixed frequencies")
    assert "may be above it" in hindsight
    assert "revisit.policy = site-clocked" in default
    assert "a row site-clocked is the policy alone" in default
    assert used.startswith("40 of 40 pages, observed from 2020-09-1")
    assert "(365d each): the first third of each is warm-up, the rest is scored, from 2021-01-" in used
    alone = _run(folder, "--budget", "1", "--policy", "uniform").stdout
    assert "afresh" not in alone


def test_a_short_history_is_replayed_and_says_so(folder: Path, tmp_path: Path) -> None:
    written = (folder / "changes.csv").read_text()
    shorter = [line.split(",") for line in (folder / "pages.csv").read_text().splitlines()]
    ends = [str(int(line[4]) + 60 * DAY) for line in shorter[1:]]
    lines = [shorter[0], *([*line[:5], end] for line, end in zip(shorter[1:], ends, strict=True))]
    (tmp_path / "pages.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    (tmp_path / "changes.csv").write_text(written)
    asked = ("--budget", "1", "--policy", "uniform")
    assert "(60d each; none for the usual 120d): the first third" in _run(tmp_path, *asked).stdout
    [row] = json.loads(_run(tmp_path, *asked, "--json").stdout)
    assert row["pages"] == 40
    assert row["scored_from"] - row["observed_from"] == pytest.approx(20 * DAY)
    [chosen] = json.loads(_run(folder, *asked, "--least-days", "365", "--json").stdout)
    assert chosen["pages"] == 40
    refused = _run(tmp_path, *asked, "--least-days", "61").exception
    assert "observed for 61 days or more, the longest for 60; lower --least-days" in str(refused)


def quick(folder: Path, *, minutes: float) -> Path:
    """Thirty pages of five sites for so long; each changes some twenty times."""
    rng = np.random.default_rng(2)
    start, end = 1_600_000_000, 1_600_000_000 + 60.0 * minutes
    pages, changes = ["page_id,host,observed_from,observed_until"], ["page_id,timestamp"]
    for page in range(30):
        pages.append(f"{page},site{page % 5}.example,{start},{end:.0f}")
        times = start + np.cumsum(rng.exponential(3.0 * minutes, 200))
        changes += [f"{page},{time:.0f}" for time in (start, *times[times < end])]
    (folder / "pages.csv").write_text("\n".join(pages) + "\n")
    (folder / "changes.csv").write_text("\n".join(changes) + "\n")
    return folder


@pytest.mark.parametrize("minutes", [30.0, 3 * 24 * 60.0, 20 * 24 * 60.0])
def test_a_budget_is_held_however_short_a_history_is(tmp_path: Path, minutes: float) -> None:
    shown = json.loads(_run(quick(tmp_path, minutes=minutes), "--budget", "0.5,1", "--delay", "1s", "--json").stdout)
    shares = {(row["policy"], row["budget"]): row["requests"] / row["allowed"] for row in shown}
    assert {which: share for which, share in shares.items() if not 0.9 < share < 1.1} == {}


def test_rows_that_are_not_comparable_are_told(folder: Path, tmp_path: Path) -> None:
    asked = ("--budget", "1", "--policy", "uniform")
    assert "of budget" in _run(folder, *asked).stdout
    assert "Not every row is comparable" not in _run(folder, *asked).stdout
    told = _run(quick(tmp_path, minutes=30.0), *asked, "--delay", "10m").stdout
    assert "Not every row is comparable: the policies made " in told
    assert "(30m each; none for the usual 120d)" in told


def test_policies_that_cannot_be_told_apart_are_told(tmp_path: Path) -> None:
    (tmp_path / "pages.csv").write_text(
        "page_id,host,observed_from,observed_until\n1,a.example,1600000000,1600000600\n"
    )
    (tmp_path / "changes.csv").write_text("page_id,timestamp\n1,1600000000\n1,1600000600\n")
    told = _run(tmp_path, "--budget", "1,50").stdout
    assert "All rows are equally fresh" in told
    assert "Fewer than 100 requests are allowed" in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--policy", "nonesuch"], "unknown policy 'nonesuch'"),
        (["--budget", "0"], "budget 0 makes no sense"),
        (["--budget", "-1"], "budget -1 makes no sense"),
        (["--budget", "1,nan"], "budget nan makes no sense"),
        (["--budget", "much"], "not a budget: 'much'"),
        (["--where", "source=none"], "no page with source=none"),
        (["--where", "source"], "not a condition: 'source'"),
        (["--where", "colour=red"], "no column 'colour'"),
    ],
)
def test_complaints(folder: Path, options: list[str], message: str) -> None:
    result = _run(folder, *options)
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)


def test_no_trace(tmp_path: Path) -> None:
    assert isinstance(_run(tmp_path).exception, TraceError)


def test_each_replay_is_told_as_it_finishes_with_how_long_the_rest_takes(folder: Path) -> None:
    result = _run(folder, "--budget", "0.5,1", "--policy", "uniform", "--policy", "proportional")
    lines = result.stderr.splitlines()
    assert lines[0] == "2 policies × 2 budgets on 40 pages"
    told = [line for line in lines if " of 4: " in line]
    assert [line.partition(",")[0] for line in told[:2]] == ["1 of 4: uniform at 0.5", "2 of 4: proportional at 0.5"]
    assert [("left" in line) for line in told] == [True, True, True, False]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_finished_is_shown_when_it_is_interrupted(
    folder: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupting(*_: object) -> str:
        signal.raise_signal(number)
        return ""

    monkeypatch.setattr("afresh.doors.cli.lab.revisit._finished_words", interrupting)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs in the background ignores it
    try:
        result = _run(folder, "--budget", "0.5,1", "--policy", "uniform", "--policy", "proportional", "--json")
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.return_value == 130
    assert [(row["policy"], row["budget"]) for row in json.loads(result.stdout)] == [("uniform", 0.5)]
    assert "interrupted: 1 of 4 replays are finished" in result.stderr


def test_a_history_of_pages_is_no_history_of_feeds(folder: Path) -> None:
    with pytest.raises(TraceError, match="use `afresh lab revisit`"):
        read_trace(folder)
