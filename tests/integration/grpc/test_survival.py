"""A killed server, a restart, strangers at the door: nothing acknowledged is lost, nothing said is forgotten."""

import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import grpc
import pytest

from afresh.lab.bench_grpc.server import PATIENCE, running_server
from tests.fakes.certificate import PEM
from tests.fakes.frontier_stores import empty_frontier
from tests.fakes.grpc_frontier import Client

HOUR = 3_600
TOKEN = "a-long-random-token"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_server_killed_in_the_middle_of_a_stream_loses_nothing_acknowledged(kind: str, tmp_path: Path) -> None:
    with running_server(empty_frontier(kind, tmp_path), tmp_path) as server:
        acknowledged: list[str] = []
        with Client(server.address) as client:
            stream = client.call("PutURLs", _endless(client), timeout=PATIENCE)
            with suppress(grpc.RpcError):
                for ack in stream:
                    acknowledged.append(ack.ID)
                    if len(acknowledged) == 300:
                        threading.Thread(target=server.kill).start()
            assert stream.code() is not grpc.StatusCode.OK
        server.start()
        with Client(server.address) as client:
            kept = {item.known.info.url for item in client.ask("ListURLs", size=1_000_000)}
        assert len(acknowledged) >= 300
        assert set(acknowledged) <= kept


def _endless(client: Client) -> Iterator[object]:
    number = 0
    while True:
        number += 1
        yield client.found(f"http://q{number % 50}.example/{number}")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_restart_forgets_nothing_that_was_said(kind: str, tmp_path: Path) -> None:
    with running_server(empty_frontier(kind, tmp_path), tmp_path) as server:
        with Client(server.address) as client:
            for queue in "abcd":
                client.put(*(client.found(f"http://{queue}.example/{page}") for page in range(3)))
            client.ask("BlockQueueUntil", key="a.example", time=int(time.time()) + HOUR)
            client.ask("SetDelay", key="b.example", delay_requestable=HOUR)
            client.ask("SetCrawlLimit", key="c.example", limit=1)
            client.ask("SetDelay", key="c.example", delay_requestable=0)
            client.ask("SetDelay", key="d.example", delay_requestable=0)
            assert len(client.urls(key="b.example", max_urls_per_queue=1)) == 1
            client.put(client.known(client.urls(key="c.example", max_urls_per_queue=1)[0]))
            assert len(client.urls(key="d.example", max_urls_per_queue=2, delay_requestable=HOUR)) == 2
            client.call("SetActive", state=False)
        assert server.stop() == 0
        server.start()
        with Client(server.address) as client:
            assert not client.call("GetActive").state
            assert client.urls() == []
            client.call("SetActive", state=True)
            assert len(client.urls()) == 1  # of d what was not locked; of the others nothing
            assert client.ask("GetStats", key="d.example").inProcess == 3


def test_without_a_token_nobody_gets_in_where_one_is_set(tmp_path: Path) -> None:
    with running_server(f"{tmp_path}/f.db", tmp_path, assignments=[f"service.tokens={TOKEN}"]) as server:
        for token in ("", "another-long-token"):
            with Client(server.address, token=token) as stranger, pytest.raises(grpc.RpcError) as error:
                stranger.put(stranger.found("http://a.example/"))
            assert error.value.code() is grpc.StatusCode.UNAUTHENTICATED
        with Client(server.address, token=TOKEN) as friend:
            assert friend.put(friend.found("http://a.example/", mark="x")) == [("x", 0)]


def test_over_tls_with_a_token(tmp_path: Path) -> None:
    pem = tmp_path / "server.pem"
    pem.write_text(PEM, encoding="utf-8")
    settings = [f"service.tokens={TOKEN}", f"grpc.certificate={pem}", f"grpc.private_key={pem}"]
    with running_server(f"{tmp_path}/f.db", tmp_path, listen="localhost:0", assignments=settings) as server:
        with Client(server.address, token=TOKEN, certificate=str(pem)) as client:
            assert client.put(client.found("http://a.example/", mark="x")) == [("x", 0)]
        with Client(server.address, token=TOKEN) as plain, pytest.raises(grpc.RpcError):
            plain.call("GetActive", timeout=PATIENCE)


def test_metrics_have_the_names_operators_know(tmp_path: Path) -> None:
    with running_server(f"{tmp_path}/f.db", tmp_path) as server, Client(server.address) as client:
        client.put(client.found("http://a.example/1"), client.found("http://a.example/1"))
        client.put(client.known(client.urls()[0]))
        with urllib.request.urlopen(f"{server.base}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
    for line in (
        "frontier_getURLs_calls_total 1.0",
        "frontier_getURLs_total 1.0",
        "frontier_getURLs_latency_seconds_count 1.0",
        "frontier_putURLs_calls_total 2.0",
        "frontier_putURLs_total 3.0",
        'frontier_putURLs_discovered_total{discovered="true"} 2.0',
        "frontier_putURLs_ignored_total 1.0",
        "frontier_putURLs_completed_total 1.0",
    ):
        assert f"\n{line}\n" in text


def test_afresh_can_say_when_known_urls_are_due_again(tmp_path: Path) -> None:
    settings = ["grpc.schedule_known=afresh", "grpc.content_key=digest"]
    with running_server(f"{tmp_path}/f.db", tmp_path, assignments=settings) as server, Client(server.address) as client:
        client.put(client.found("http://a.example/"))
        client.put(client.known(client.urls()[0], digest=["abc"]))
        status = client.ask("GetURLStatus", url="http://a.example/")
        assert status.known.refetchable_from_date > time.time() + HOUR
        assert client.ask("GetStats").size == 1
