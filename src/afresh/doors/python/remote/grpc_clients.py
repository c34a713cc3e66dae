"""Clients of a frontier over gRPC; they need the extra ``grpc``."""

from afresh.doors.python.remote.clients import ClosingAwaiting, ClosingWaiting
from afresh.doors.python.remote.grpc_crawling import GrpcCrawling
from afresh.doors.python.remote.grpc_service import GrpcService


class GrpcFrontier(GrpcCrawling, ClosingWaiting):
    """A frontier over gRPC (`afresh serve --grpc`, or any URLFrontier), with the names of ``afresh.client.Frontier``.

    ``certificate``: a file with the one the server shows, for TLS; without it the connection is plain.
    """

    def __init__(
        self,
        address: str = "127.0.0.1:7071",
        *,
        token: str = "",
        certificate: str = "",
        timeout: float = 60.0,
        patience: float = 60.0,
    ) -> None:
        super().__init__(GrpcService(address, token=token, certificate=certificate, timeout=timeout, patience=patience))


class AsyncGrpcFrontier(GrpcCrawling, ClosingAwaiting):
    """The same, awaited."""

    def __init__(
        self,
        address: str = "127.0.0.1:7071",
        *,
        token: str = "",
        certificate: str = "",
        timeout: float = 60.0,
        patience: float = 60.0,
    ) -> None:
        super().__init__(GrpcService(address, token=token, certificate=certificate, timeout=timeout, patience=patience))
