"""Real Scrapy processes: the command that runs a spider of this project, with afresh as its scheduler or without."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

#: What a project's settings.py says to have afresh as its frontier.
AFRESH: Mapping[str, object] = {
    "SCHEDULER": "afresh.scrapy.Scheduler",
    "DOWNLOADER_MIDDLEWARES": '{"afresh.scrapy.Politeness": 950}',
}
_QUIET: Mapping[str, object] = {
    "DNS_RESOLVER": "tests.fakes.scrapy_project.loopback.LoopbackResolver",
    "LOG_LEVEL": "INFO",
    "TELNETCONSOLE_ENABLED": False,
    "COOKIES_ENABLED": False,  # they would ask the web for the list of public suffixes
}


def command(spider: str, settings: Mapping[str, object], **arguments: object) -> list[str]:
    """``scrapy runspider`` with settings and arguments."""
    said = [part for name, value in {**_QUIET, **settings}.items() for part in ("-s", f"{name}={value}")]
    said += [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    return [sys.executable, "-m", "scrapy", "runspider", str(HERE / f"{spider}.py"), *said]


def environment() -> dict[str, str]:
    """Ours, with the project where Scrapy finds it."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}
