"""``afresh lab refresh`` as it is called."""

import json
from pathlib import Path

import numpy as np
import pytest

from afresh.doors.cli.main import run
from afresh.lab.replay.trace import Trace
from afresh.lab.traces import write_trace

DAY = 86_400.0
FIELDS = {
    "strategy", "budget", "estimator", "completeness", "freshness", "delay_feeds", "delay_entries", "requests",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(1)
    streams = [np.sort(1_700_000_000.0 + np.floor(rng.uniform(0, 12 * DAY, n))) for n in (5, 60, 400)]
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in streams])]).astype(np.int64)
    trace = Trace(
        name="small",
        feed_ids=np.arange(3),
        offsets=offsets,
        times=np.concatenate(streams),
        windows=np.full(3, 10),
    )
    where: Path = tmp_path_factory.mktemp("trace")
    write_trace(trace, where)
    return str(where)


def call(folder: str, *more: str) -> int:
    return run(["lab", "refresh", "--trace", folder, "--train", "4d", "--test", "6d", "--shortest", "5m", *more])


def test_rows_for_programs(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(folder, "--budget", "1", "--strategy", "two_steps", "--strategy", "priced", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["strategy"] for row in rows] == ["two_steps", "priced"]
    for row in rows:
        assert row.keys() >= FIELDS
        assert row["budget"] == 1.0


def test_a_table_for_people(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(folder, "--budget", "0.5", "--estimator", "known") == 0
    shown = capsys.readouterr().out
    assert "only_sat" in shown
    assert "freshness" in shown


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--budget", "0"], "positive"),
        (["--budget", "-1"], "positive"),
        (["--budget", "much"], "not a valid float"),
        ([], "either --budget"),
        (["--budget", "1", "--strategy", "best"], "unknown strategy 'best'"),
        (["--budget", "1", "--estimator", "crystal"], "unknown estimator 'crystal'"),
        (["--budget", "1", "--shortest", "2d", "--longest", "1d"], "--shortest"),
    ],
)
def test_bad_input(folder: str, capsys: pytest.CaptureFixture[str], arguments: list[str], word: str) -> None:
    assert call(folder, *arguments) == 2
    assert word in capsys.readouterr().err
