"""Whether there is a browser to render pages with, and which."""

import shutil
from importlib.util import find_spec

from afresh.base.errors import UsageError

INSTALLING = "pip install 'afresh[browser]'"
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def browser_program(said: str = "") -> str:
    """The Chromium to use; empty: the one that ``playwright install chromium`` brings."""
    if said:
        return said
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), "")


def missing_browser() -> str:
    """What is missing to render pages, with the command that installs it; empty: nothing that can be seen from here."""
    if find_spec("playwright") is None:
        return f"pages can be rendered with the extra `browser` only: {INSTALLING}, then: playwright install chromium"
    return ""


def check_browser(*, screenshot: bool = False) -> None:
    """Raises UsageError where no page can be rendered, or no picture of it taken."""
    if missing := missing_browser():
        raise UsageError(missing)
    if screenshot and find_spec("PIL") is None:
        raise UsageError(f"pictures are taken with the extra `browser` only: {INSTALLING}")
