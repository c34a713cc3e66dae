"""Exceptions to causes."""

import ssl

import pytest

from afresh.base.errors import Disallowed, TooLarge, TooManyRedirects
from afresh.base.models import Failure
from afresh.http.answer import BadAnswer, ConnectionEnded
from afresh.http.decoding import BrokenEncoding
from afresh.http.failures import NameNotFound, RefusedSocket, cause_of, detail_of


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (Disallowed("x"), Failure.ADDRESS),
        (RefusedSocket("x"), Failure.ADDRESS),
        (TooLarge("x"), Failure.TOO_LARGE),
        (TooManyRedirects("x"), Failure.REDIRECTS),
        (BrokenEncoding("x"), Failure.PROTOCOL),
        (TimeoutError(), Failure.TIMEOUT),
        (NameNotFound("x"), Failure.DNS),
        (ConnectionEnded("x"), Failure.CONNECT),
        (OSError(104, "reset"), Failure.CONNECT),
        (ConnectionResetError(), Failure.CONNECT),
        (ssl.SSLError(), Failure.TLS),
        (ssl.SSLCertVerificationError(), Failure.TLS),
        (BadAnswer("cut"), Failure.PROTOCOL),
        (ValueError("x"), Failure.PROTOCOL),
        (ZeroDivisionError(), None),
    ],
)
def test_each_exception_has_its_cause(error: Exception, cause: Failure | None) -> None:
    assert cause_of(error) is cause


def test_a_detail_is_one_short_printable_line() -> None:
    assert detail_of(ValueError("a\r\n b\tc")) == "a b c"
    assert detail_of(TimeoutError()) == "TimeoutError"
    tls = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)"
    assert detail_of(ssl.SSLCertVerificationError(1, tls)) == "certificate verify failed: certificate has expired"
    assert len(detail_of(ValueError("x" * 10_000))) == 300
    assert detail_of(ValueError("\udcff")).encode()
