"""A certificate for servers of tests, signed by itself: for localhost, news.localhost and 127.0.0.1."""

import ssl
import tempfile
from functools import cache
from pathlib import Path

#: Nobody trusts it but who is told to; the key may be known to all.
PEM = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKzaYan9QHei+2CSP
qyUsREnmy5WJqhCmSlNjwEcXt4OhRANCAARXSiVf/AjpOd+pRa4NQDV+7tgD4m5X
NP9HzmXwl7qaCcha1hq1rEDYbEPcFpX22Yp+Ug0mD391WBBq7Jk13DS+
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBqzCCAVGgAwIBAgIUSrfZ3hKZtKPznnYgdZaSk2eB2VMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjE4MzIzMloYDzIxMjYxMDIz
MTgzMjMyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARXSiVf/AjpOd+pRa4NQDV+7tgD4m5XNP9HzmXwl7qaCcha1hq1rEDY
bEPcFpX22Yp+Ug0mD391WBBq7Jk13DS+o38wfTAdBgNVHQ4EFgQUGwzOFS2aDVdE
XBfE70WiFm4hYwQwHwYDVR0jBBgwFoAUGwzOFS2aDVdEXBfE70WiFm4hYwQwDwYD
VR0TAQH/BAUwAwEB/zAqBgNVHREEIzAhgglsb2NhbGhvc3SCDm5ld3MubG9jYWxo
b3N0hwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIAGHZeMYMOUCVuvtMldY+uesKhFy
/cn8uWOXPVq9ZXmhAiEAidwkIi0epQzFDwjLPgsfNguNprgW7SJSuP/TdOP1UK0=
-----END CERTIFICATE-----
"""


@cache
def server_context() -> ssl.SSLContext:
    """For a server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "both.pem"
        path.write_text(PEM)
        context.load_cert_chain(path)
    return context


@cache
def trusting_context() -> ssl.SSLContext:
    """For a client that trusts it, and nobody else."""
    return ssl.create_default_context(cadata=PEM[PEM.index("-----BEGIN CERTIFICATE") :])
