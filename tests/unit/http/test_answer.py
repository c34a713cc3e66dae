"""Answers in HTTP/1.1, from whatever pieces come."""

import pytest

from afresh.base.errors import TooLarge
from afresh.http.answer import Answer, BadAnswer, ConnectionEnded

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: x\r\n\r\n"


def test_pieces_of_any_size_are_one_answer() -> None:
    whole = HEAD + b"news"
    for size in (1, 2, 3, 7, len(whole)):
        answer = Answer(limit=100)
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert [answer.feed(piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
        assert (answer.status, answer.body, answer.may_stay) == (200, b"news", True)
        assert answer.fields == [(b"Content-Length", b"4"), (b"ETag", b"x")]
        assert answer.received == len(whole)


def test_a_chunked_body_is_joined_and_what_follows_it_is_no_header() -> None:
    answer = Answer(limit=100)
    assert answer.feed(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnews\r\n2\r\n!!\r\n0\r\nETag: late\r\n\r\n"
    )
    assert answer.body == b"news!!"
    assert answer.fields == [(b"Transfer-Encoding", b"chunked")]


def test_interim_answers_are_passed_over() -> None:
    answer = Answer(limit=100)
    assert not answer.feed(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
    assert answer.feed(HEAD + b"news")
    assert answer.status == 200
    assert (b"Link", b"</x>") not in answer.fields


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nConnection: close\r\n", b"HTTP/1.0 200 OK\r\n"])
def test_without_a_length_the_end_of_the_connection_is_the_end(head: bytes) -> None:
    answer = Answer(limit=100)
    assert not answer.feed(head + b"\r\nnews")
    assert answer.cut_short() is None
    assert (answer.body, answer.may_stay) == (b"news", False)


def test_an_end_in_between_is_told_apart() -> None:
    assert isinstance(Answer(limit=100).cut_short(), ConnectionEnded)
    for start in (HEAD + b"ne", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnews\r\n"):
        answer = Answer(limit=100)
        assert not answer.feed(start)
        assert isinstance(answer.cut_short(), BadAnswer)


def test_the_body_of_anything_but_a_success_is_not_waited_for() -> None:
    answer = Answer(limit=100)
    assert answer.feed(b"HTTP/1.1 404 Not Found\r\nContent-Length: 50000\r\n\r\nsorry")
    assert (answer.status, answer.may_stay) == (404, False)
    whole = Answer(limit=100)
    assert whole.feed(b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nsorry")
    assert whole.may_stay, "it has come to its end already"


def test_too_much_is_an_error_and_enough_is_enough() -> None:
    with pytest.raises(TooLarge, match="announced"):
        Answer(limit=3).feed(HEAD)
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnews\r\n"
    with pytest.raises(TooLarge, match=r"fetch\.max_feed_bytes"):
        Answer(limit=3, limited_by="fetch.max_feed_bytes").feed(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
    with pytest.raises(TooLarge, match="more than 3"):
        Answer(limit=3).feed(chunked)
    answer = Answer(limit=100, enough=3)
    assert answer.feed(chunked)
    assert not answer.may_stay, "the rest is still on its way"


@pytest.mark.parametrize(
    "nonsense",
    [
        b"SSH-2.0-OpenSSH\r\n",
        HEAD + b"newsHTTP/1.1 200 OK\r\n\r\n",  # an answer that nobody asked for could be taken for the next one
        HEAD + b"news and more",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"b" * 40_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 " + b"b" * 40_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 " + b"b" * 300_000,
    ],
)
def test_nonsense_is_refused(nonsense: bytes) -> None:
    with pytest.raises(BadAnswer):
        Answer(limit=100).feed(nonsense)


def test_after_connect_the_connection_is_somebody_elses() -> None:
    answer = Answer(limit=0, is_tunnel=True)
    assert answer.feed(b"HTTP/1.1 200 Connection established\r\n\r\n")
    assert answer.may_stay
    refused = Answer(limit=0, is_tunnel=True)
    assert refused.feed(b"HTTP/1.1 407 Who are you\r\nContent-Length: 9\r\n\r\n")
    assert not refused.may_stay
