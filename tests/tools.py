"""Tools a test may need from the machine; without one, the test is left out and counted."""

import shutil

import pytest

from tests.conftest import LEFT_OUT


def chromium() -> str:
    """Path of a Chromium, or the test is left out."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    pytest.skip(f"{LEFT_OUT}needs Chromium; on Debian: apt-get install chromium")
