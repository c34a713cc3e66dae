"""What must not work, and what it is answered: never a 5xx, nothing lost."""

import gzip
from collections.abc import Iterator

import pytest

from afresh.base.errors import ConfigError, StoreError
from tests.fakes.frontier_door import UNKNOWN, FrontierDoor

ADMIN, JOIN = "administrator-0123456789", "join-token-0123456789"
PAGE = "https://a.example.com/"


@pytest.fixture
def door() -> Iterator[FrontierDoor]:
    made = FrontierDoor()
    made.add(PAGE, "https://b.example.org/")
    yield made
    made.store.close()


@pytest.fixture
def guarded() -> Iterator[FrontierDoor]:
    made = FrontierDoor(tokens=(ADMIN,), join_tokens=(JOIN,))
    yield made
    made.store.close()


# --- who ---


def test_an_unknown_uuid_is_not_found(door: FrontierDoor) -> None:
    for method, path, body in (
        ("POST", "/frontiers", {"fetcher_uuid": UNKNOWN}),
        ("POST", "/results", {"uuid": UNKNOWN, "fqdns": [{"fqdn": "a.example.com", "url_list": [{"url": PAGE}]}]}),
        ("POST", "/results", {"uuid": UNKNOWN}),
        ("PUT", "/fetchers", {"uuid": UNKNOWN}),
        ("PATCH", "/fetchers", {"uuid": UNKNOWN}),
        ("DELETE", "/fetchers", {"uuid": UNKNOWN}),
    ):
        answer = door.send(method, path, body)
        assert answer.status == 404, (method, path, answer.text)
        assert UNKNOWN in answer.json()["detail"]


def test_a_forged_token_is_refused_even_on_this_machine(door: FrontierDoor) -> None:
    account = door.register()
    wish = {"fetcher_uuid": account["uuid"]}
    assert door.send("POST", "/frontiers", wish, token="forged").status == 401
    assert door.send("POST", "/frontiers", wish, token=account["token"]).status == 200
    other = door.register("two")
    assert door.send("POST", "/frontiers", wish, token=other["token"]).status == 403


def test_with_tokens_everybody_needs_one(guarded: FrontierDoor) -> None:
    body = {"contact": "ops@example.org", "name": "one"}
    assert guarded.send("POST", "/fetchers", body).status == 401
    assert guarded.send("GET", "/stats").status == 401
    account = guarded.register(token=JOIN)
    uuid, token = account["uuid"], account["token"]
    assert guarded.send("GET", "/stats", token=token).status == 200
    assert guarded.send("GET", "/settings", token=token).status == 200
    assert guarded.send("PUT", "/settings", {}, token=token).status == 403
    assert guarded.send("PATCH", "/settings", {}, token=token).status == 403
    assert guarded.send("POST", "/urls", {"urls": [PAGE]}, token=token).status == 403
    assert guarded.send("GET", "/fetchers", token=token).status == 403
    assert guarded.send("GET", "/stats", token=JOIN).status == 403
    assert guarded.send("POST", "/fetchers", {**body, "name": "two"}, token=token).status == 403
    assert guarded.add(PAGE, token=ADMIN)["urls"] == 1
    given = guarded.lists(uuid, token=token)
    assert guarded.report(uuid, given, token=token).json()["visited"] == 1
    assert guarded.send("PUT", "/settings", {}, token=ADMIN).status == 200


def test_nothing_is_read_of_somebody_unknown(guarded: FrontierDoor) -> None:
    def send(token: str) -> int:
        headers = {"content_type": "text/plain", "content_length": "100000000", "authorization": f"Bearer {token}"}
        return guarded.client.request("POST", "/api/v1/urls", body=[b"x"], **headers).status

    assert (send("forged"), send(ADMIN)) == (401, 413)
    pieces = [b"x" * 1_000_000] * 10
    assert guarded.client.request("POST", "/api/v1/results", body=pieces, content_type="application/json").status == 401


@pytest.mark.parametrize("token", ["", "short", "with a space in its middle"])
def test_a_token_to_register_must_be_hard_to_guess(token: str) -> None:
    with pytest.raises(ConfigError, match=r"of frontier\.join_tokens needs at least 16 printable") as caught:
        FrontierDoor(tokens=(ADMIN,), join_tokens=(token,))
    assert caught.value.option == "frontier.join_tokens"


def test_a_token_dies_with_its_fetcher(guarded: FrontierDoor) -> None:
    account = guarded.register(token=JOIN)
    assert guarded.send("DELETE", "/fetchers", {"uuid": account["uuid"]}, token=account["token"]).status == 204
    assert guarded.send("GET", "/stats", token=account["token"]).status == 401


def test_the_secret_itself_is_not_kept(door: FrontierDoor) -> None:
    account = door.register()
    kept = door.store.fetcher(account["uuid"])
    assert kept is not None
    assert account["token"] not in repr(kept)


def test_another_sites_page_and_a_rebound_name_are_refused(door: FrontierDoor) -> None:
    assert door.send("PUT", "/settings", {}, origin="https://evil.example").status == 403
    assert door.send("GET", "/stats", host="evil.example").status == 421


# --- results that do not fit ---


def test_a_late_report_is_kept_but_releases_nothing(door: FrontierDoor) -> None:
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    late = door.lists(one, amount=1)
    door.clock.time += 3_700
    again = door.lists(two, amount=2)
    fqdns = {site["fqdn"] for site in again["url_frontiers"]}
    assert late["url_frontiers"][0]["fqdn"] in fqdns  # expired: handed out again
    done = door.report(one, late).json()
    assert done["fqdns"][0]["standing"] == "late"
    assert door.report(two, again).json()["visited"] == 2
    assert door.lists(one)["urls_count"] == 0


def test_results_for_what_was_never_leased_change_nothing(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    page = {"url": PAGE, "links": ["https://new.example.com/"]}
    body = {"uuid": uuid, "fqdns": [{"fqdn": "a.example.com", "reservation": 77, "url_list": [page]}]}
    done = door.send("POST", "/results", body).json()
    assert done["fqdns"] == [{"fqdn": "a.example.com", "standing": "unknown"}]
    assert (done["visited"], done["discovered"], done["ignored"]) == (0, 0, 1)
    assert door.send("GET", "/stats").json()["url_amount"] == 2


def test_pages_that_were_not_of_the_list_are_ignored(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    site = door.lists(uuid, amount=1)["url_frontiers"][0]
    pages = [{"url": f"https://{site['fqdn']}/other"}, {"url": site["url_list"][0]["url"], "number": 17}]
    body = {"uuid": uuid, "fqdns": [{"fqdn": site["fqdn"], "reservation": site["reservation"], "url_list": pages}]}
    done = door.send("POST", "/results", body).json()
    assert (done["visited"], done["ignored"]) == (0, 2)


def test_another_fetchers_reservation_cannot_be_reported(door: FrontierDoor) -> None:
    one, two = door.register("one")["uuid"], door.register("two")["uuid"]
    given = door.lists(one)
    done = door.report(two, given).json()
    assert {item["standing"] for item in done["fqdns"]} == {"unknown"}
    assert door.report(one, given).json()["visited"] == 2


def test_a_vanished_fetcher_loses_its_sites_when_the_reservation_ends(door: FrontierDoor) -> None:
    gone, here = door.register("gone")["uuid"], door.register("here")["uuid"]
    assert door.lists(gone)["urls_count"] == 2
    door.clock.time += 3_599
    assert door.lists(here)["urls_count"] == 0
    door.clock.time += 20
    assert door.lists(here)["urls_count"] == 2


def test_a_clock_that_is_wrong_does_not_spoil_ours(door: FrontierDoor) -> None:
    uuid = door.register()["uuid"]
    door.report(uuid, door.lists(uuid, amount=1), url_last_visited="9999-01-01T00:00:00Z")
    door.report(uuid, door.lists(uuid, amount=1), url_last_visited="1970-01-01T00:00:00+00:00")
    fresh = door.send("GET", "/stats").json()["avg_freshness"]
    assert fresh.startswith("2023-11-14T22:13:20")


def test_a_store_that_fails_is_no_fault_of_the_client(door: FrontierDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    uuid = door.register()["uuid"]

    def fail(*args: object, **kwargs: object) -> None:
        raise StoreError("/var/lib/secret-place.db is locked")

    with monkeypatch.context() as patch:
        patch.setattr(door.store, "lease_many", fail)
        answer = door.send("POST", "/frontiers", {"fetcher_uuid": uuid})
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert "secret-place" not in answer.text
    assert door.lists(uuid)["urls_count"] == 2


# --- bodies ---

CREATE = {"contact": "ops@example.org", "name": "x"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/fetchers", {"name": "x"}),
        ("POST", "/fetchers", {**CREATE, "contact": "nobody"}),
        ("POST", "/fetchers", {**CREATE, "contact": "a@b"}),
        ("POST", "/fetchers", {**CREATE, "contact": "a b@c.org"}),
        ("POST", "/fetchers", {**CREATE, "name": ""}),
        ("POST", "/fetchers", {**CREATE, "name": "a\x00b"}),
        ("POST", "/fetchers", {**CREATE, "name": "a\nb"}),
        ("POST", "/fetchers", {**CREATE, "surprise": 1}),
        ("POST", "/fetchers", {**CREATE, "ip_address": "not an address"}),
        ("POST", "/frontiers", {"fetcher_uuid": "not-a-uuid"}),
        ("POST", "/frontiers", {"fetcher_uuid": UNKNOWN, "amount": -1}),
        ("POST", "/frontiers", {"fetcher_uuid": UNKNOWN, "length": 10**30}),
        ("POST", "/frontiers", {"fetcher_uuid": UNKNOWN, "amount": "many"}),
        ("POST", "/frontiers", {"fetcher_uuid": UNKNOWN, "long_term_prio_mode": "best"}),
        ("POST", "/results", {"uuid": UNKNOWN, "fqdns": [{"fqdn": "a", "url_list": [{"url": "x", "bytes": -1}]}]}),
        ("POST", "/results", {"uuid": UNKNOWN, "url_count": -5}),
        ("POST", "/results", {"uuid": UNKNOWN, "fqdns": [{"fqdn": "a", "fqdn_crawl_delay": -1}]}),
        ("POST", "/results", {"uuid": UNKNOWN, "fqdns": [{"fqdn": "a", "reservation": 2**64}]}),
        ("POST", "/results", {"uuid": UNKNOWN, "urls": [{"url": "x", "url_last_visited": "yesterday"}]}),
        ("POST", "/results", {"uuid": UNKNOWN, "key": "k" * 201}),
        ("POST", "/urls", {"urls": [17]}),
        ("PUT", "/settings", {"default_crawl_delay": -1}),
        ("PUT", "/settings", {"min_links_per_page": 2, "max_links_per_page": 1}),
        ("PUT", "/settings", {"fqdn_amount": None}),
        ("PUT", "/settings", {"sites": None}),
        ("PATCH", "/settings", {"lease_seconds": 0}),
        ("PATCH", "/settings", {"site_order": "best"}),
        ("PATCH", "/settings", {"default_crawl_delay": -1}),
        ("PATCH", "/settings", {"long_term_prio_mode": "best"}),
    ],
)  # fmt: skip
def test_a_field_that_makes_no_sense_is_named(door: FrontierDoor, method: str, path: str, body: object) -> None:
    answer = door.send(method, path, body)
    assert answer.status == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "body" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b'{"fetcher_uuid": "\xff"}', b'{"fetcher_uuid": "\\ud800"}', b"[" * 100_000, b"NaN"],
)
def test_what_is_no_json_is_said_to_be_none(door: FrontierDoor, body: bytes) -> None:
    answer = door.client.request("POST", "/api/v1/frontiers", body=[body], content_type="application/json")
    assert answer.status in (400, 422), answer.text


def test_ten_megabytes_are_too_much_for_results(door: FrontierDoor) -> None:
    pieces = [b"x" * 1_000_000] * 10
    answer = door.client.request("POST", "/api/v1/results", body=pieces, content_type="application/json")
    assert answer.status == 413
    declared = door.client.request(
        "POST", "/api/v1/results", body=[b"{}"], content_type="application/json", content_length="10000000"
    )
    assert declared.status == 413


def test_a_bomb_is_not_unpacked(door: FrontierDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afresh.doors.rest.frontier.importing.MOST_UNPACKED", 1_000_000)
    bomb = gzip.compress(b"\n" * 10_000_000)
    headers = {"content_type": "text/plain", "content_encoding": "gzip"}
    assert door.client.request("POST", "/api/v1/urls", body=[bomb], **headers).status == 413
    assert door.client.request("POST", "/api/v1/urls", body=[b"no gzip"], **headers).status == 400
    assert door.client.request("POST", "/api/v1/urls", body=[bomb[:50]], **headers).status == 400
    headers["content_encoding"] = "zstd"
    assert door.client.request("POST", "/api/v1/urls", body=[b"x"], **headers).status == 415


def test_imports_of_rubbish(door: FrontierDoor) -> None:
    def send(body: bytes, kind: str) -> int:
        return door.client.request("POST", "/api/v1/urls", body=[body], content_type=kind).status

    assert send(b"\xff\xfe", "text/plain") == 400
    assert send(b'"https://a.example.com/x"\n{', "application/x-ndjson") == 400
    assert send(b"\x00" * 10, "text/plain") == 200  # no URLs: refused, one by one
    assert send(b"<xml/>", "application/xml") == 415


def test_long_private_and_strange_urls_are_refused_one_by_one(door: FrontierDoor) -> None:
    strange = [
        "https://a.example.com/" + "x" * 10_000,
        "http://localhost/", "http://127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://169.254.169.254/meta",
        "http://192.168.1.1/", "http://intranet/", "http://printer.local/", "ftp://a.example.com/", "javascript:1",
        "http://user:secret@a.example.com/", "", " ", "https://", "https://a.example.com:99999/", "http://[::ffff:10.0.0.1]/",
    ]  # fmt: skip
    done = door.add(*strange)
    assert all(one["why"] for one in done.pop("refusals"))
    assert done == {"urls": 0, "sites": 0, "known": 0, "refused": len(strange), "backlog": 0, "revived": 0}
    uuid = door.register()["uuid"]
    done = door.report(uuid, door.lists(uuid, amount=1), links=strange).json()
    assert (done["discovered"], done["refused"]) == (0, len(strange))


@pytest.mark.parametrize("query", ["amount=-1", "amount=x", "amount=99999999999", "fqdn=%00", "fqdn=" + "a" * 400])
def test_questions_that_make_no_sense(door: FrontierDoor, query: str) -> None:
    assert door.send("GET", f"/urls/random?{query}").status == 422
