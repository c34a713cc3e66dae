"""A frontier over an empty store in memory, behind its REST door, for a client that calls it directly."""

from collections.abc import Sequence
from typing import Any

from afresh.base.executor import InPlace
from afresh.base.records.frontier import FrontierStats
from afresh.base.records.frontier_store import FrontierStore
from afresh.doors.rest.auth import AuthSettings
from afresh.doors.rest.frontier.app import create_frontier_app
from afresh.doors.rest.frontier.door import Door
from afresh.doors.rest.who_asks import Doorkeeper
from afresh.frontier.scheduling import Frontier
from afresh.frontier.scope import Scope
from afresh.store.frontier import open_frontier
from tests.fakes.asgi_client import Answer, AsgiClient
from tests.fakes.clocks import StillClock

NOW = 1_700_000_000.0
UNKNOWN = "00000000-0000-4000-8000-000000000000"


class FrontierDoor:
    """The app, its store and its clock, with a few short ways to use them."""

    def __init__(
        self,
        *,
        tokens: Sequence[str] = (),
        join_tokens: Sequence[str] = (),
        dev: bool = False,
        names: Sequence[str] = (),
        make_example: Any = None,
        store: FrontierStore | None = None,
        links: bool = True,
        places: bool = True,
        scope: Scope | None = None,
    ) -> None:
        self.clock = StillClock(NOW)
        self.store = store or open_frontier(":memory:", links=links)
        self.frontier = Frontier(
            self.store, clock=self.clock, executor=InPlace(), links=links, places=places, scope=scope
        )
        auth = AuthSettings(tokens=tuple(tokens), names=tuple(names))
        keeper = Doorkeeper(auth, owners=self.frontier, join_tokens=join_tokens)
        door = Door(
            frontier=self.frontier,
            dev=dev,
            make_example=make_example,
        )
        self.app = create_frontier_app(door, keeper, auth=auth)
        self.client = AsgiClient(self.app)

    def send(self, method: str, path: str, body: object = None, *, token: str = "", **headers: str) -> Answer:
        if token:
            headers["authorization"] = f"Bearer {token}"
        if body is None:
            return self.client.request(method, f"/api/v1{path}", **headers)
        return self.client.send_json(method, f"/api/v1{path}", body, **headers)

    def register(self, name: str = "one", *, token: str = "") -> dict[str, Any]:
        answer = self.send("POST", "/fetchers", {"contact": "ops@example.org", "name": name}, token=token)
        assert answer.status == 201, answer.text
        account: dict[str, Any] = answer.json()
        return account

    def add(self, *urls: str, token: str = "") -> dict[str, Any]:
        answer = self.send("POST", "/urls", {"urls": list(urls)}, token=token)
        assert answer.status == 200, answer.text
        done: dict[str, Any] = answer.json()
        return done

    def lists(self, uuid: str, *, token: str = "", **wish: object) -> dict[str, Any]:
        answer = self.send("POST", "/frontiers", {"fetcher_uuid": uuid, **wish}, token=token)
        assert answer.status == 200, answer.text
        given: dict[str, Any] = answer.json()
        return given

    def report(self, uuid: str, given: dict[str, Any], *, key: str = "", token: str = "", **page: object) -> Answer:
        """Everything of a list as fetched."""
        fqdns = [
            {
                "fqdn": site["fqdn"],
                "reservation": site["reservation"],
                "url_list": [{"url": url["url"], "number": url["number"], **page} for url in site["url_list"]],
            }
            for site in given["url_frontiers"]
        ]
        return self.send("POST", "/results", {"uuid": uuid, "key": key, "fqdns": fqdns}, token=token)


def totals(visits: int, urls: int) -> FrontierStats:
    """So many visits and URLs, and nothing else of note."""
    return FrontierStats(
        fetchers=1,
        sites=1,
        urls=urls,
        visited=0,
        leased_sites=0,
        mean_last_visited=None,
        visits=visits,
        edges=0,
        backlog=0,
    )
