"""Which buckets lie together, and which servers answer."""

from afresh.base.errors import ServerAway
from afresh.store.postgres.bucket_places import Attendance, Places

PLACES = Places(together=((0, 2), (1,), (3,)), servers=("db1:5432", "db2:5432", "db1:5432"))


class Cluster:
    """Servers of which some do not answer, and a clock."""

    def __init__(self) -> None:
        self.lost: set[str] = set()
        self.now = 100.0
        self.asked: list[int] = []
        self.attendance = Attendance(PLACES, self.look, clock=lambda: self.now)

    def look(self, place: int) -> None:
        self.asked.append(place)
        if (server := PLACES.servers[place]) in self.lost:
            raise ServerAway("gone", server=server)


def test_things_go_where_their_buckets_are() -> None:
    assert PLACES.divide([3, 1, 2, 0], lambda bucket: bucket) == {0: [2, 0], 1: [1], 2: [3]}
    text = "SELECT id FROM site WHERE ready <= :now {here_site} LIMIT 1"
    assert (
        PLACES.told(text, 0)
        == "SELECT id FROM site WHERE ready <= :now AND (site.bucket = 0 OR site.bucket = 2) LIMIT 1"
    )
    assert PLACES.at("db1:5432") == "0, 2, 3"


def test_all_servers_are_there_until_one_does_not_answer() -> None:
    cluster = Cluster()
    assert (cluster.attendance.present, cluster.attendance.away()) == ([0, 1, 2], [])
    assert cluster.asked == []
    cluster.lost = {"db1:5432"}
    assert cluster.attendance.note(ServerAway("gone", server="db1:5432"))
    assert not cluster.attendance.note(ServerAway("gone", server="db1:5432"))  # no news
    assert cluster.attendance.present == [1]
    assert cluster.attendance.away() == ["db1:5432 does not answer; buckets 0, 2, 3 wait"]


def test_a_server_that_is_away_is_left_alone_and_looked_for_now_and_then() -> None:
    cluster = Cluster()
    cluster.lost = {"db2:5432"}
    cluster.attendance.note(ServerAway("gone", server="db2:5432"))
    cluster.now += 1.0
    assert (cluster.attendance.present, cluster.asked) == ([0, 2], [])
    cluster.now += 2.0
    assert (cluster.attendance.present, cluster.asked) == ([0, 2], [1])
    cluster.lost = set()
    assert (cluster.attendance.present, cluster.asked) == ([0, 2], [1])  # asked a moment ago
    cluster.now += 3.0
    assert (cluster.attendance.present, cluster.asked) == ([0, 1, 2], [1, 1])
    assert cluster.attendance.away() == []


def test_whoever_asks_for_it_often_does_not_put_the_next_look_off() -> None:
    cluster = Cluster()
    cluster.lost = {"db2:5432"}
    for _ in range(5):
        cluster.attendance.note(cluster.attendance.missing(1))
        cluster.now += 0.9
    assert cluster.attendance.present == [0, 2]
    assert cluster.asked == [1]
    assert str(cluster.attendance.missing(1)) == "db2:5432 does not answer; buckets 1 wait"
