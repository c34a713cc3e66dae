"""Settings that make no sense are refused by name."""

from typing import Any

import pytest

from afresh.base.errors import ConfigError
from afresh.base.settings.sections import FetchSettings


def test_the_defaults_are_the_thesis_limits_and_an_honest_name() -> None:
    settings = FetchSettings()
    assert (settings.max_bytes, settings.total_timeout) == (1_000_000, 180.0)
    assert "+https://" in settings.user_agent
    assert not settings.allow_private
    assert settings.allowed_networks == ()


@pytest.mark.parametrize(
    "bad",
    [
        {"allowed_networks": ("10.0.0.0/33",)},
        {"allowed_networks": ("localhost",)},
        {"max_bytes": 0},
        {"total_timeout": -1.0},
        {"total_timeout": float("nan")},
        {"concurrency": 0},
        {"max_redirects": -1},
        {"user_agent": "bad\r\nX-Injected: 1"},
        {"user_agent": " "},
        {"proxy": "socks5://host"},
    ],
)
def test_nonsense_is_refused_with_the_options_name(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        FetchSettings(**bad)
    assert caught.value.option == f"fetch.{next(iter(bad))}"
