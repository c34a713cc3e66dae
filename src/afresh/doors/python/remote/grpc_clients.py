"""Clients of a frontier over gRPC; they need the extra ``grpc``."""

from afresh.doors.python.remote.asking import Awaiting, Waiting
from afresh.doors.python.remote.grpc_crawling import GrpcCrawling


class GrpcFrontier(GrpcCrawling, Waiting):
    """A frontier over gRPC (`afresh serve --grpc`, or any URLFrontier), with the names of ``afresh.client.Frontier``.

    ``certificate``: a file with the one the server shows, for TLS; without it the connection is plain.
    """


class AsyncGrpcFrontier(GrpcCrawling, Awaiting):
    """The same, awaited."""
