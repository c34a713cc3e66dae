"""Tools a test may need from the machine; without one, the test is left out and counted."""

import random
import shutil
import socket

import pytest

from tests.conftest import LEFT_OUT


def chromium() -> str:
    """Path of a Chromium, or the test is left out."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    pytest.skip(f"{LEFT_OUT}needs Chromium; on Debian: apt-get install chromium")


def quiet_port() -> int:
    """A free port for a program that must be told one beforehand.

    Below those the system hands out by itself, so that nobody who asks for any port gets it in between.
    """
    for port in random.SystemRandom().sample(range(15_000, 30_000), 100):
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no free port between 15,000 and 30,000")
