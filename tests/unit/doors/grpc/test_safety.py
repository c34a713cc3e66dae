"""Where the gRPC door may be open, and to whom."""

import pytest

from afresh.base.errors import ConfigError
from afresh.base.settings import load_settings
from afresh.base.settings.sections import GrpcSettings
from afresh.doors.grpc.server import require_safe_grpc


@pytest.mark.parametrize(
    ("settings", "is_guarded"),
    [
        (GrpcSettings(listen="127.0.0.1:7071"), False),
        (GrpcSettings(listen="[::1]:7071"), False),
        (GrpcSettings(listen="0.0.0.0:7071", open=True), False),
        (GrpcSettings(listen="0.0.0.0:7071", certificate="server.pem"), True),
    ],
)
def test_loopback_needs_nothing_and_others_tokens_and_tls(settings: GrpcSettings, is_guarded: bool) -> None:
    require_safe_grpc(settings, is_guarded=is_guarded)


@pytest.mark.parametrize(
    ("settings", "is_guarded", "option"),
    [
        (GrpcSettings(listen="0.0.0.0:7071"), False, "grpc.listen"),
        (GrpcSettings(listen="[::]:7071", certificate="server.pem"), False, "grpc.listen"),
        (GrpcSettings(listen="192.0.2.1:7071"), True, "grpc.certificate"),
    ],
)
def test_anything_else_is_refused(settings: GrpcSettings, is_guarded: bool, option: str) -> None:
    with pytest.raises(ConfigError) as error:
        require_safe_grpc(settings, is_guarded=is_guarded)
    assert error.value.option == option


@pytest.mark.parametrize("value", ["7071", "localhost", "127.0.0.1:", "127.0.0.1:70000", ":7071"])
def test_what_is_no_address_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="HOST:PORT"):
        load_settings(overrides={"grpc.listen": value})
