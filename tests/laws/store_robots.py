"""The laws of robots.txt that was read: kept for its day, no longer, and not too much of it."""

import random
from dataclasses import replace

from afresh.base.records.robots import KeptRobots
from tests.laws.store_material import NOW, Open, laws_of, opened

DAY = 86_400.0
READ = KeptRobots(
    address="https://a.example/robots.txt", read=NOW, status=200, body=b"User-agent: *\nDisallow: /\xff\0\n"
)


def robots_txt_is_kept_as_it_was_read(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.robots.kept(READ.address, since=0.0) is None
        store.robots.keep(READ, forget=0.0)
        missing = KeptRobots(address="http://b.example:81/robots.txt", read=NOW, status=404)
        store.robots.keep(missing, forget=0.0)
    with opened(open_store) as store:
        assert store.robots.kept(READ.address, since=NOW - DAY) == READ
        assert store.robots.kept(missing.address, since=NOW - DAY) == missing
        assert store.robots.kept(READ.address, since=NOW) is None, "that is too long ago"


def what_is_read_anew_takes_the_place_of_the_old(open_store: Open) -> None:
    with opened(open_store) as store:
        store.robots.keep(READ, forget=0.0)
        anew = replace(READ, read=NOW + 60, body=b"")
        store.robots.keep(anew, forget=0.0)
        assert store.robots.kept(READ.address, since=0.0) == anew


def old_ones_are_forgotten_and_very_long_ones_not_kept(open_store: Open) -> None:
    with opened(open_store) as store:
        store.robots.keep(READ, forget=0.0)
        long = KeptRobots(
            address="https://c.example/robots.txt", read=NOW + DAY, status=200, body=random.Random(1).randbytes(400_000)
        )
        store.robots.keep(long, forget=NOW)
        assert store.robots.kept(READ.address, since=0.0) is None
        assert store.robots.kept(long.address, since=0.0) is None


LAWS = laws_of(globals())
