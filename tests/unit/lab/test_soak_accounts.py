"""The accounts of a soak: what counts as acknowledged, as lost, and as there twice."""

import pytest

from afresh.lab.soak.accounts import settle
from afresh.lab.soak.memory import Memory
from afresh.lab.soak.run import SoakSummary
from afresh.lab.web import DemoWeb

START = 1_000_000.0
SITE, PATH = "herald.localhost", "/feed/atom.xml"


@pytest.fixture
def web() -> DemoWeb:
    return DemoWeb(seed=1, start=START, polite_delay=0.5, clock=lambda: START)


def ask(web: DemoWeb, at: float, *, site: str = SITE, path: str = PATH, status: int = 200) -> list[str]:
    """A request that is answered at once; the links that were in the answer."""
    seen = web.ledger.begin(site, path, at)
    web.ledger.finish(seen, at, status)
    return web.handed_out(seen)


def test_the_next_request_of_the_same_daemon_is_the_receipt(web: DemoWeb) -> None:
    handed = ask(web, START + 60.0)
    ask(web, START + 120.0, status=500)
    assert len(handed) > 5
    assert settle(web, [], [START, START + 200.0]).lost == len(handed)
    kept = settle(web, [(1, link) for link in handed[1:]], [START, START + 200.0])
    assert (kept.acknowledged, kept.lost, kept.doubled) == (len(handed), 1, 0)


def test_what_a_daemon_had_in_hand_when_it_was_killed_is_not_lost(web: DemoWeb) -> None:
    ask(web, START + 60.0)
    ask(web, START + 120.0, status=500)
    assert settle(web, [], [START, START + 100.0, START + 200.0]).acknowledged == 0


def test_the_good_end_of_the_last_daemon_acknowledges_everything(web: DemoWeb) -> None:
    handed = ask(web, START + 60.0)
    assert settle(web, [], [START]).lost == len(handed)


def test_the_hops_of_a_visit_are_acknowledged_together(web: DemoWeb) -> None:
    first = web.ledger.begin("maze.localhost", "/feed", START + 60.0)
    web.ledger.finish(first, START + 60.0, 302, redirect=("maze.localhost", "/feed?hop=1"))
    handed = ask(web, START + 60.1, site="maze.localhost", path="/feed?hop=1")
    assert settle(web, [], [START, START + 200.0]).acknowledged == 0
    ask(web, START + 70.0, site="maze.localhost", path="/feed", status=500)
    assert settle(web, [], [START, START + 200.0]).lost == len(handed) > 0


def test_an_entry_that_is_stored_twice_is_counted(web: DemoWeb) -> None:
    assert settle(web, [(1, "a"), (1, "a"), (2, "a")], [START]).doubled == 1


def test_memory_may_grow_in_the_first_minutes_only() -> None:
    memory = Memory(1800.0)
    for age, megabytes in ((1.0, 50.0), (299.0, 100.0), (301.0, None), (400.0, 104.0), (1700.0, 111.0)):
        memory.note(age, megabytes)
    assert memory.growth == pytest.approx(0.11)


@pytest.mark.parametrize(
    ("wrong", "is_good"),
    [
        ({}, True),
        ({"lost": 1}, False),
        ({"doubled": 1}, False),
        ({"violations": 1}, False),
        ({"end_code": 3}, False),
        ({"memory_growth": 0.11}, False),
        ({"memory_growth": None}, True),
    ],
)
def test_a_soak_is_good_when_nothing_is_wrong(wrong: dict[str, object], is_good: bool) -> None:
    fields: dict[str, object] = {
        **dict.fromkeys(SoakSummary.__dataclass_fields__, 0),
        "faults": {},
        "last_words": (),
        "violations_by_kind": {},
    }
    assert SoakSummary(**{**fields, **wrong}).is_good is is_good  # type: ignore[arg-type]
