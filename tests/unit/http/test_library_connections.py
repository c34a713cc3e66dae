"""Connections are judged where they are made, and only where somebody asked for it."""

import socket
import threading

import pytest

from afresh.http.guard import Guard
from afresh.http.library_connections import judged_by


def test_connections_and_datagrams_are_judged() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, judged_by(Guard()) as refused:
        with pytest.raises(PermissionError, match=r"127\.0\.0\.1"):
            socket.create_connection(server.getsockname())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, pytest.raises(PermissionError):
            sender.sendto(b"x", server.getsockname())
        with socket.socket() as lazy, pytest.raises(PermissionError, match="localhost"):
            lazy.connect_ex(("localhost", server.getsockname()[1]))
        assert refused == ["127.0.0.1", "127.0.0.1", "localhost"]


def test_what_is_allowed_passes_and_so_does_everything_outside() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        with judged_by(Guard(allowed=("127.0.0.0/8",))) as refused:
            socket.create_connection(server.getsockname()).close()
        with judged_by(Guard()):
            others: list[str] = []

            def connect() -> None:
                with socket.create_connection(server.getsockname()) as made:
                    others.append(made.getpeername()[0])

            thread = threading.Thread(target=connect)  # somebody else's work in the same process
            thread.start()
            thread.join()
        socket.create_connection(server.getsockname()).close()
        assert (refused, others) == ([], ["127.0.0.1"])


def test_one_judge_within_another_gives_way_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, judged_by(Guard()):
        with judged_by(Guard(allow_private=True)):
            socket.create_connection(server.getsockname()).close()
        with pytest.raises(PermissionError):
            socket.create_connection(server.getsockname())


def test_sockets_of_this_machine_are_left_alone() -> None:
    one, other = socket.socketpair()
    with one, other, judged_by(Guard()):
        one.sendmsg([b"x"])
        assert other.recv(1) == b"x"
