"""The protocol is URLFrontier's: names, numbers and types of its messages."""

import pytest

from afresh.frontier.urlfrontier.protocol import protocol_schema

MESSAGES = protocol_schema().messages


def test_every_call_is_there_with_its_streams() -> None:
    calls = {call.name: (call.streams_in, call.streams_out) for call in protocol_schema().calls}
    assert protocol_schema().service == "urlfrontier.URLFrontier"
    assert len(calls) == 19
    assert {name for name, ways in calls.items() if ways == (True, True)} == {"PutURLs", "PutDiscovered"}
    assert {name for name, ways in calls.items() if ways == (False, True)} == {"GetURLs", "ListURLs"}


@pytest.mark.parametrize(
    ("name", "fields", "wire"),
    [
        ("GetParams", {"max_urls_per_queue": 1, "max_queues": 2, "key": "k"}, "080110021a016b"),
        ("GetParams", {"delay_requestable": 3}, "2003"),
        ("GetParams", {"crawlID": "c"}, "320163"),
        ("GetParams", {"anyCrawlID": {}}, "2a00"),
        ("URLInfo", {"url": "u", "key": "k", "crawlID": "c"}, "0a017512016b220163"),
        ("URLInfo", {"metadata": {"a": {"values": ["v"]}}}, "1a080a016112030a0176"),
        ("KnownURLItem", {"refetchable_from_date": 300}, "10ac02"),
        ("URLItem", {"known": {}, "ID": "i", "creation_date": 5}, "12001a01692005"),
        ("AckMessage", {"ID": "i", "status": 2}, "0a01691002"),
        ("BatchAck", {"ID": "i", "statuses": [0, 1]}, "0a016912020001"),
        ("Stats", {"size": 1, "inProcess": 2, "numberOfQueues": 4, "crawlID": "c"}, "0801100220042a0163"),
        ("Stats", {"counts": {"a": 3}}, "1a050a01611003"),
        ("QueueList", {"values": ["q"], "total": 1, "start": 2, "size": 3, "crawlID": "c"}, "0a01711001180220032a0163"),
        ("ListUrlParams", {"local": True, "filter": "", "ignoreCase": False}, "280132003800"),
        ("CountUrlParams", {"filter": "f", "ignoreCase": True, "local": False}, "1a016620012800"),
        ("PurgeUrlParams", {"key": "k", "crawlID": "c", "days": 7}, "0a016b1201631807"),
        ("BlockQueueParams", {"key": "k", "time": 9, "crawlID": "c", "local": True}, "0a016b10091a01632001"),
        ("LogLevelParams", {"package": "p", "level": 4}, "0a01701004"),
    ],
)  # fmt: skip
def test_a_message_has_the_bytes_of_the_wire(name: str, fields: dict[str, object], wire: str) -> None:
    made = MESSAGES[name](**fields)
    assert made.SerializeToString().hex() == wire
    assert MESSAGES[name].FromString(bytes.fromhex(wire)) == made
