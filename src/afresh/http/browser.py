"""Whether there is a browser to render pages with, and which."""

import shutil

from afresh.base.errors import UsageError
from afresh.base.extras import is_installed, missing

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def browser_program(said: str = "") -> str:
    """The Chromium to use; empty: the one that ``playwright install chromium`` brings."""
    if said:
        return said
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), "")


def missing_browser() -> str:
    """What is missing to render pages, with the command that installs it; empty: nothing that can be seen from here."""
    if is_installed("browser"):
        return ""
    return missing("browser", "rendering pages") + ", then: playwright install chromium"


def check_browser() -> None:
    """Raises UsageError where no page can be rendered."""
    if reason := missing_browser():
        raise UsageError(reason)
