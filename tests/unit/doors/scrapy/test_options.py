"""What settings.py says, and the public names."""

import subprocess
import sys

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from afresh.base.errors import ConfigError
from afresh.base.extras import installing
from afresh.doors.scrapy.options import Options, pause_of, read_options


def options(**settings: object) -> Options:
    return read_options(get_crawler(settings_dict=settings))


def test_defaults() -> None:
    read = options()
    assert (read.frontier, read.pause, read.lease, read.revisits) == ("frontier.db", 1.0, 60.0, False)
    assert read.newest_first
    assert read.start_apart
    assert read.at_once == 16


def test_the_longer_pause_counts() -> None:
    pairs = [({"DOWNLOAD_DELAY": 3}, 3.0), ({"AFRESH_DELAY": 0}, 0.0), ({"AFRESH_DELAY": 2, "DOWNLOAD_DELAY": 3}, 3.0)]
    assert [pause_of(Settings(given)) for given, _ in pairs] == [pause for _, pause in pairs]


def test_orders_are_scrapys() -> None:
    read = options(SCHEDULER_DISK_QUEUE="scrapy.squeues.PickleFifoDiskQueue", SCHEDULER_START_DISK_QUEUE=None)
    assert not read.newest_first
    assert not read.start_apart


@pytest.mark.parametrize("given", [{"AFRESH_DELAY": "soon"}, {"AFRESH_DELAY": -1}, {"AFRESH_LEASE": 0}])
def test_what_cannot_be_used_is_named(given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(given))):
        options(**given)


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=200, check=False)


def test_nobody_else_loads_scrapy() -> None:
    answer = run("import sys, afresh, afresh.doors.cli.main; print('scrapy' in sys.modules, 'twisted' in sys.modules)")
    assert answer.stdout.split() == ["False", "False"], answer.stderr


def test_a_missing_extra_is_named() -> None:
    answer = run("import sys; sys.modules['scrapy'] = None; import afresh.scrapy")
    assert installing("scrapy") in answer.stderr
