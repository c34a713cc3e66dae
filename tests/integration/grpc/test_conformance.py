"""Every call of URLFrontier, with its defaults and edges, against a real process on both stores."""

import itertools
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from afresh.lab.bench_grpc.server import PATIENCE, GrpcServer, running_server
from tests.fakes.frontier_stores import empty_frontier
from tests.fakes.grpc_frontier import Client, wait_for

OK, SKIPPED = 0, 1
HOUR = 3_600
_numbers = itertools.count()


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GrpcServer]:
    folder = tmp_path_factory.mktemp(request.param)
    with running_server(empty_frontier(request.param, folder), folder) as running:
        yield running


@pytest.fixture
def client(server: GrpcServer) -> Iterator[Client]:
    with Client(server.address, crawl=f"crawl-{next(_numbers)}") as made:
        yield made  # type: ignore[misc]


def code_of(error: pytest.ExceptionInfo[grpc.RpcError]) -> grpc.StatusCode:
    return error.value.code()  # type: ignore[no-any-return]


def test_a_found_url_is_taken_once_and_acknowledged_by_its_mark(client: Client) -> None:
    one = client.found("http://a.example/1", mark="first")
    assert client.put(one, one, client.found("http://a.example/2")) == [
        ("first", OK),
        ("first", SKIPPED),
        ("http://a.example/2", OK),
    ]
    assert client.ask("GetStats").size == 2


def test_what_cannot_be_kept_is_skipped(client: Client) -> None:
    odd = ["", "nonsense", "http://", "http://a b/", "http://a.example/" + "x" * 9_000, "http://a.example/\n"]
    assert [status for _, status in client.put(*map(client.found, odd))] == [SKIPPED] * len(odd)
    assert client.put(client.found("http://a.example/", "k" * 256, mark="m")) == [("m", SKIPPED)]
    assert client.put(client.found("http://a.example/", crawl="c" * 256, mark="m")) == [("m", SKIPPED)]
    assert client.put(client.messages["URLItem"](ID="empty")) == [("empty", SKIPPED)]
    assert client.ask("GetStats").numberOfQueues == 0


def test_without_a_key_the_host_is_the_queue(client: Client) -> None:
    client.put(client.found("http://gac.icann.example?language_id=9"), client.found("https://b.example:8080/x"))
    client.put(client.found("http://c.example/", "mine"))
    assert list(client.ask("ListQueues").values) == ["b.example", "gac.icann.example", "mine"]


def test_a_url_keeps_when_it_was_created(client: Client) -> None:
    url = "http://a.example/"
    client.put(client.found(url))
    created = client.ask("GetURLStatus", url=url).creation_date
    wait_for(lambda: int(time.time()) > created)
    client.put(client.known(url, again=int(time.time()) + HOUR))
    assert client.ask("GetURLStatus", url=url).creation_date == created
    client.put(client.known(url))
    assert client.ask("GetURLStatus", url=url).creation_date == created
    [listed] = client.ask("ListURLs")
    assert (listed.creation_date, listed.known.refetchable_from_date) == (created, 0)


def test_the_same_url_in_two_crawls_or_queues_is_two(client: Client) -> None:
    url, other = "http://a.example/", client.of(client.crawl + " too")
    assert [status for _, status in client.put(client.found(url), client.found(url, "mine"))] == [OK, OK]
    assert other.put(other.found(url, mark="x")) == [("x", OK)]
    client.put(client.known(url))
    assert client.ask("GetURLStatus", url=url).known.refetchable_from_date == 0
    assert client.ask("GetURLStatus", url=url, key="mine").known.refetchable_from_date > 0
    assert other.ask("GetURLStatus", url=url).known.refetchable_from_date > 0
    assert client.ask("GetStats").size == other.ask("GetStats").size == 1


def test_inactive_queues_do_not_shift_the_offset(client: Client) -> None:
    urls = [f"http://q{number}.example/" for number in range(6)]
    client.put(*map(client.found, urls))
    client.put(*(client.known(url) for url in urls[1::2]))
    seen = [name for start in range(4) for name in client.ask("ListQueues", start=start, size=1).values]
    assert seen == ["q0.example", "q2.example", "q4.example"]
    every = [client.ask("ListQueues", start=start, size=4, include_inactive=True) for start in (0, 4)]
    assert [len(page.values) for page in every] == [4, 2]
    assert {page.total for page in every} == {6}


def test_a_queue_that_is_asked_for_by_name_keeps_delay_block_and_limit(client: Client) -> None:
    client.put(*(client.found(f"http://{queue}.example/{page}") for queue in "abc" for page in range(3)))
    client.ask("SetDelay", key="a.example", delay_requestable=HOUR)
    assert len(client.get(key="a.example", max_urls_per_queue=1)) == 1
    assert client.get(key="a.example", max_urls_per_queue=3) == []
    client.ask("BlockQueueUntil", key="b.example", time=int(time.time()) + HOUR)
    assert client.get(key="b.example") == []
    client.ask("SetCrawlLimit", key="c.example", limit=1)
    client.put(client.known("http://c.example/0"))
    assert client.get(key="c.example") == []
    client.ask("BlockQueueUntil", key="b.example")
    got = [one.key for one in client.get(key="b.example", any_crawl=True) if one.crawlID == client.crawl]
    assert got == ["b.example"] * 3


def test_a_url_that_was_found_again_or_removed_while_locked(client: Client) -> None:
    client.put(client.found("http://a.example/1"), client.found("http://b.example/1"))
    assert len(client.get(delay_requestable=HOUR)) == 2
    assert client.put(client.found("http://a.example/1", mark="x")) == [("x", SKIPPED)]
    assert client.ask("GetStats").inProcess == 2
    assert client.ask("DeleteQueue", key="b.example").value == 1
    assert client.ask("GetStats").inProcess == 1
    assert client.put(client.known("http://b.example/1", mark="y")) == [("y", OK)]  # back, and known from now on
    assert client.ask("GetURLStatus", url="http://b.example/1").known.refetchable_from_date == 0


def test_urls_and_what_is_kept_with_them_come_back_as_they_were(client: Client) -> None:
    url = "http://A.example:80/Über/../x?b=1&a=2#part"
    client.put(client.found(url, "k", status=["200", ""], **{"a key": ["ü\0"]}))
    [one] = client.get()
    assert (one.url, one.key, one.crawlID) == (url, "k", client.crawl)
    assert {name: list(one.metadata[name].values) for name in one.metadata} == {"status": ["200", ""], "a key": ["ü\0"]}


def test_an_empty_crawl_is_the_default_one(client: Client) -> None:
    unnamed, named = client.of(""), client.of("DEFAULT")
    url = f"http://default.example/{client.crawl}"
    assert unnamed.put(unnamed.found(url, mark="x")) == [("x", OK)]
    assert named.put(named.found(url, mark="x")) == [("x", SKIPPED)]
    assert unnamed.ask("GetStats").crawlID == "DEFAULT"
    assert "DEFAULT" in client.call("ListCrawls").values
    assert client.call("DeleteCrawl").value == 1
    assert "DEFAULT" not in client.call("ListCrawls").values


def test_batches_are_acknowledged_as_a_whole(client: Client) -> None:
    batch = client.messages["DiscoveredBatch"]
    urls = ["http://a.example/1", "", "http://a.example/1", "http://b.example/"]
    sent = [
        batch(ID="one", items=[client.info(url) for url in urls]),
        batch(ID="probe"),
        batch(items=[client.info("x:y")]),
    ]
    acks = [(ack.ID, list(ack.statuses)) for ack in client.call("PutDiscovered", sent, timeout=PATIENCE)]
    assert acks == [("one", [OK, SKIPPED, SKIPPED, OK]), ("probe", []), ("", [SKIPPED])]


def test_a_known_url_is_created_or_updated(client: Client) -> None:
    now = int(time.time())
    assert client.put(client.known("http://a.example/new", again=now + HOUR, mark="x")) == [("x", OK)]
    assert client.urls() == []
    client.put(client.known("http://a.example/new", again=now - HOUR, k=["v"]))
    [one] = client.get()
    assert list(one.metadata["k"].values) == ["v"]
    status = client.ask("GetURLStatus", url="http://a.example/new")
    assert status.known.refetchable_from_date == now - HOUR
    assert now - 5 <= status.creation_date <= time.time()
    client.put(client.known("http://a.example/new", again=now - HOUR))
    assert not client.ask("GetURLStatus", url="http://a.example/new").known.info.metadata


def test_no_date_means_completed(client: Client) -> None:
    client.put(client.found("http://a.example/1"), client.found("http://a.example/2"))
    client.put(*(client.known(url) for url in client.urls()))
    stats = client.ask("GetStats", key="a.example")
    assert (stats.size, stats.inProcess, stats.counts["completed"], stats.counts["active_queues"]) == (0, 0, 2, 0)
    assert client.ask("GetURLStatus", url="http://a.example/1").known.refetchable_from_date == 0
    assert client.put(client.found("http://a.example/1", mark="x")) == [("x", SKIPPED)]
    assert list(client.ask("ListQueues").values) == []
    assert list(client.ask("ListQueues", include_inactive=True).values) == ["a.example"]


def test_urls_come_by_date_and_limits_hold(client: Client) -> None:
    now = int(time.time())
    for queue in "abc":
        for page in range(4):
            client.put(client.known(f"http://{queue}.example/{page}", again=now - 100 * page))
        client.ask("SetDelay", key=f"{queue}.example", delay_requestable=HOUR)
    got = client.get(max_queues=2, max_urls_per_queue=3)
    assert len(got) == 6
    assert len({one.key for one in got}) == 2
    first = [one.url[-1] for one in got if one.key == got[0].key]
    assert first == ["3", "2", "1"]
    assert len(client.get()) == 4  # the third queue; the others were served just now


def test_zero_is_no_limit_and_one_queue_can_be_asked_for(client: Client) -> None:
    client.put(*(client.found(f"http://q{queue}.example/{page}") for queue in range(120) for page in range(3)))
    assert len(client.get(key="q7.example")) == 3
    assert client.get(key="nowhere.example") == []
    assert client.of("no such crawl").get() == []
    assert len(client.get()) == 119 * 3


def test_any_crawl_and_a_certain_one(client: Client) -> None:
    other = client.of(client.crawl + " too")
    client.put(client.found("http://a.example/"))
    other.put(other.found("http://a.example/"))
    assert [one.crawlID for one in other.get()] == [other.crawl]
    assert client.crawl in {one.crawlID for one in client.get(any_crawl=True)}


def test_a_locked_url_comes_again_when_its_lock_ends(client: Client) -> None:
    client.put(client.found("http://a.example/1"), client.found("http://b.example/1"))
    assert client.urls(key="a.example", delay_requestable=HOUR) == ["http://a.example/1"]
    assert client.urls(key="b.example", delay_requestable=1) == ["http://b.example/1"]
    assert client.ask("GetStats", key="a.example").inProcess == 1
    wait_for(lambda: client.ask("GetStats", key="b.example").inProcess == 0)
    wait_for(lambda: client.urls() == ["http://b.example/1"])
    assert client.urls(key="a.example") == []


def test_a_lock_lasts_thirty_seconds_unless_told_otherwise(client: Client) -> None:
    client.put(client.found("http://a.example/1"))
    began = time.monotonic()
    assert len(client.get()) == 1
    while time.monotonic() - began < 2.0:
        assert client.get() == []
        time.sleep(0.5)


def test_as_many_as_wanted_are_locked_at_a_time(client: Client) -> None:
    client.put(*(client.found(f"http://a.example/{page}") for page in range(4)))
    client.ask("SetDelay", key="a.example", delay_requestable=0)
    first = client.urls(max_urls_per_queue=2)
    assert len(first) == 2
    assert client.urls(max_urls_per_queue=2) == []
    client.put(client.known(first[0]))
    wait_for(lambda: len(client.urls(max_urls_per_queue=2)) == 2)


def test_a_queue_waits_its_delay(client: Client) -> None:
    client.put(*(client.found(f"http://a.example/{page}") for page in range(3)))
    client.ask("SetDelay", key="a.example", delay_requestable=HOUR)
    client.ask("SetDelay", key="nowhere.example", delay_requestable=5)
    assert len(client.urls(max_urls_per_queue=1)) == 1
    time.sleep(1.5)
    assert client.urls(max_urls_per_queue=3) == []
    client.ask("SetDelay", key="a.example", delay_requestable=0)
    assert len(client.urls(max_urls_per_queue=3)) == 2


def test_the_default_delay_is_everybodys(client: Client) -> None:
    client.put(*(client.found(f"http://a.example/{page}") for page in range(2)))
    client.ask("SetDelay", delay_requestable=HOUR)
    try:
        assert len(client.urls(max_urls_per_queue=1)) == 1
        time.sleep(1.5)
        assert client.urls() == []
    finally:
        client.ask("SetDelay", delay_requestable=1)
    wait_for(lambda: len(client.urls()) == 1)


def test_a_blocked_queue_gives_nothing_until_then(client: Client) -> None:
    client.put(client.found("http://a.example/"), client.found("http://b.example/"))
    client.ask("BlockQueueUntil", key="a.example", time=int(time.time()) + HOUR)
    client.ask("BlockQueueUntil", key="nowhere.example", time=int(time.time()) + HOUR)
    assert client.urls() == ["http://b.example/"]
    assert list(client.ask("ListQueues").values) == ["b.example"]
    client.ask("BlockQueueUntil", key="a.example")
    assert client.urls() == ["http://a.example/"]


def test_an_inactive_frontier_takes_but_does_not_give(client: Client) -> None:
    assert client.call("GetActive").state
    client.call("SetActive", state=False)
    try:
        assert not client.call("GetActive").state
        assert client.put(client.found("http://a.example/", mark="x")) == [("x", OK)]
        assert client.urls() == []
    finally:
        client.call("SetActive", state=True)
    assert client.urls() == ["http://a.example/"]


def test_a_queue_with_enough_completed_urls_gives_no_more(client: Client) -> None:
    client.put(*(client.found(f"http://a.example/{page}") for page in range(3)))
    client.ask("SetCrawlLimit", key="a.example", limit=1)
    client.ask("SetDelay", key="a.example", delay_requestable=0)
    client.put(client.known(client.urls(max_urls_per_queue=1)[0]))
    assert client.urls() == []
    client.ask("SetCrawlLimit", key="a.example", limit=0)
    assert len(client.urls()) == 2
    with pytest.raises(grpc.RpcError) as error:
        client.ask("SetCrawlLimit", key="nowhere.example", limit=1)
    assert code_of(error) is grpc.StatusCode.NOT_FOUND


def test_the_state_of_a_url(client: Client) -> None:
    client.put(client.found("http://a.example/", "k", m=["v"]))
    status = client.ask("GetURLStatus", url="http://a.example/", key="k")
    info = status.known.info
    assert (info.url, info.key, info.crawlID, list(info.metadata["m"].values)) == (
        "http://a.example/", "k", client.crawl, ["v"],
    )  # fmt: skip
    for asked, code in (
        ({"url": "http://a.example/"}, grpc.StatusCode.NOT_FOUND),
        ({"url": "http://a.example/other", "key": "k"}, grpc.StatusCode.NOT_FOUND),
        ({"url": ""}, grpc.StatusCode.INVALID_ARGUMENT),
    ):
        with pytest.raises(grpc.RpcError) as error:
            client.ask("GetURLStatus", **asked)
        assert code_of(error) is code


def test_listing_and_counting(client: Client) -> None:
    every = {f"http://{queue}.example/{page}" for queue in "ab" for page in range(80)}
    client.put(*map(client.found, every))
    assert len(list(client.ask("ListURLs"))) == 100
    listed = [item.known.info.url for item in client.ask("ListURLs", size=1_000)]
    assert len(listed) == 160
    assert set(listed) == every
    pages = [item.known.info.url for start in (0, 70, 140) for item in client.ask("ListURLs", start=start, size=70)]
    assert pages == listed
    assert len(list(client.ask("ListURLs", key="a.example", size=500))) == 80
    assert list(client.ask("ListURLs", key="nowhere.example")) == []
    assert len(list(client.ask("ListURLs", filter="A.EXAMPLE/7", ignoreCase=True))) == 11
    assert list(client.ask("ListURLs", filter="A.EXAMPLE/7")) == []
    assert client.ask("CountURLs").value == 160
    assert client.ask("CountURLs", key="b.example").value == 80
    assert client.ask("CountURLs", filter="/7", key="b.example").value == 11
    assert client.of("no such crawl").ask("CountURLs").value == 0


def test_queues_are_listed_by_name_some_at_a_time(client: Client) -> None:
    client.put(*(client.found(f"http://q{number:03}.example/") for number in range(130)))
    first = client.ask("ListQueues")
    assert (len(first.values), first.start, first.size, first.total, first.crawlID) == (100, 0, 100, 130, client.crawl)
    rest = client.ask("ListQueues", start=100, size=50)
    assert [*first.values, *rest.values] == [f"q{number:03}.example" for number in range(130)]
    assert client.of("no such crawl").ask("ListQueues").total == 0


def test_queues_and_crawls_are_removed_with_all_their_urls(client: Client) -> None:
    client.put(*(client.found(f"http://{queue}.example/{page}") for queue in "ab" for page in range(5)))
    client.get(max_urls_per_queue=1)
    assert client.ask("DeleteQueue", key="a.example").value == 5
    assert client.ask("DeleteQueue", key="a.example").value == 0
    assert client.ask("DeleteQueue").value == 0
    assert client.ask("GetStats").numberOfQueues == 1
    assert client.put(client.found("http://a.example/1", mark="x")) == [("x", OK)]
    assert client.crawl in client.call("ListCrawls").values
    assert client.call("DeleteCrawl", value=client.crawl).value == 6
    assert client.call("DeleteCrawl", value=client.crawl).value == 0
    assert client.crawl not in client.call("ListCrawls").values
    stats = client.ask("GetStats")
    assert (stats.size, stats.numberOfQueues, stats.crawlID) == (0, 0, client.crawl)


def test_purging_by_age(client: Client) -> None:
    client.put(client.found("http://a.example/1"), client.found("http://b.example/1"))
    assert client.ask("PurgeURLs", days=1).value == 0
    assert client.ask("PurgeURLs", key="a.example").value == 1
    assert client.ask("PurgeURLs").value == 1
    assert client.ask("CountURLs").value == 0


def test_this_node_is_the_cluster(server: GrpcServer, client: Client) -> None:
    assert list(client.call("ListNodes").values) == [server.address]


def test_the_log_level_is_set(client: Client) -> None:
    client.call("SetLogLevel", package="afresh.doors.grpc", level=1)
    client.call("SetLogLevel", package="afresh.doors.grpc", level=2)


def test_what_is_no_message_is_refused(server: GrpcServer) -> None:
    with Client(server.address, is_raw=True) as raw:
        for name, sent in (("PutURLs", [b"\xff\xff"]), ("PutDiscovered", [b"\xff\xff"])):
            with pytest.raises(grpc.RpcError) as error:
                list(raw.call(name, sent, timeout=PATIENCE))
            assert code_of(error) is grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(grpc.RpcError) as error:
            list(raw.call("PutURLs", [b"\0" * 20_000_000], timeout=PATIENCE))
        assert code_of(error) in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED)
    with Client(server.address) as after:
        assert after.call("GetActive").state


def test_a_batch_of_too_many_is_refused(server: GrpcServer, client: Client) -> None:
    batch = client.messages["DiscoveredBatch"](items=[client.messages["URLInfo"]()] * 60_000)
    with pytest.raises(grpc.RpcError) as error:
        list(client.call("PutDiscovered", [batch], timeout=PATIENCE))
    assert code_of(error) is grpc.StatusCode.INVALID_ARGUMENT


def test_clients_at_once_never_share_a_url(client: Client) -> None:
    client.put(*(client.found(f"http://q{queue}.example/{page}") for queue in range(40) for page in range(10)))

    def work(_: int) -> list[str]:
        return [url for _ in range(5) for url in client.urls(max_queues=4, max_urls_per_queue=5)]

    with ThreadPoolExecutor(4) as pool:
        got = [url for part in pool.map(work, range(4)) for url in part]
    assert len(got) == len(set(got)) == 200  # each queue once: the delay is longer than nothing


def test_a_client_that_reads_nothing_holds_nobody_up(server: GrpcServer, client: Client) -> None:
    ended = threading.Event()

    def endless() -> Iterator[object]:
        number = 0
        while not ended.is_set():
            number += 1
            yield client.found(f"http://slow.example/{number}", mark="m" * 1_000)

    with Client(server.address) as slow:
        stream = slow.call("PutURLs", endless())
        try:
            for page in range(20):
                assert client.put(client.found(f"http://quick.example/{page}", mark="x")) == [("x", OK)]
        finally:
            ended.set()
            stream.cancel()


def test_a_client_that_leaves_gives_back_what_it_did_not_get(server: GrpcServer, client: Client) -> None:
    client.put(*(client.found(f"http://a.example/{page}", filler=["x" * 20_000]) for page in range(300)))
    client.ask("SetDelay", key="a.example", delay_requestable=0)
    with Client(server.address) as leaving:
        stream = leaving.call("GetURLs", crawlID=client.crawl, delay_requestable=HOUR)
        next(iter(stream))
        stream.cancel()
    wait_for(lambda: len(client.urls(delay_requestable=HOUR)) > 0)
