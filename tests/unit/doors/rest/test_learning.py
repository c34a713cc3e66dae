"""``/labels`` and ``/models``: rate side by side, train, put to use, go back."""

from dataclasses import replace
from typing import Any

import pytest

from afresh.base.records.labels import NewModel
from afresh.links.verdicts.model import default_model, dump_model
from tests.fakes.asgi_client import Answer, AsgiClient
from tests.fakes.saved_links import page_body, watched
from tests.fakes.service_context import NOW, FakeContext

GOOD = dump_model(default_model())


@pytest.fixture
def pairs(context: FakeContext) -> list[int]:
    """Four links whose page became another one of the same site."""
    store = context.store
    return [watched(store, n, page_body(n, site=n), page_body(100 + n, site=n, path="/b")) for n in range(4)]


def waiting(client: AsgiClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/v1/labels/next").json()["items"]
    return items


def rate(client: AsgiClient, pair: dict[str, Any], verdict: str = "different", **more: Any) -> Answer:
    content = {"old": pair["old"], "new": pair["new"], "check": pair["check"], "verdict": verdict, **more}
    return client.send_json("POST", "/api/v1/labels", content)


def train(client: AsgiClient, **wish: Any) -> Answer:
    return client.send_json("POST", "/api/v1/models/train", {"time_limit": 2, "kernel": "linear", **wish})


def test_a_rated_pair_is_not_offered_again(client: AsgiClient, pairs: list[int]) -> None:
    first, *rest = waiting(client)
    assert len(rest) == 3
    made = rate(client, first, "equal", note="only the menu")
    assert (made.status, made.json()["verdict"], made.json()["note"]) == (201, "equal", "only the menu")
    assert waiting(client) == rest
    listed = client.get("/api/v1/labels").json()
    assert [item["id"] for item in listed["items"]] == [made.json()["id"]]
    assert (listed["counts"]["equal"], listed["counts"]["examples"]) == (1, 1)


def test_a_session_counts_when_it_is_saved(client: AsgiClient, pairs: list[int]) -> None:
    first, second, *_ = waiting(client)
    rate(client, first, session="morning")
    assert client.get("/api/v1/labels").json()["counts"].get("examples", 0) == 0
    assert client.request("POST", "/api/v1/labels/sessions/morning/save").json() == {"ratings": 1}
    assert client.get("/api/v1/labels").json()["counts"]["examples"] == 1
    rate(client, second, session="evening")
    assert client.request("POST", "/api/v1/labels/sessions/evening/discard").json() == {"ratings": 1}
    assert client.get("/api/v1/labels").json()["counts"]["examples"] == 1
    assert second in waiting(client)
    assert client.request("POST", "/api/v1/labels/sessions/nobody/save").json() == {"ratings": 0}


def test_a_rating_is_devalued_changed_and_forgotten(client: AsgiClient, pairs: list[int]) -> None:
    number = rate(client, waiting(client)[0]).json()["id"]
    where = f"/api/v1/labels/{number}"
    changed = client.send_json("PATCH", where, {"weight": 0, "verdict": "equal"}).json()
    assert (changed["weight"], changed["verdict"]) == (0, "equal")
    assert client.get("/api/v1/labels").json()["counts"].get("examples", 0) == 0
    assert client.request("DELETE", where).status == 204
    assert client.request("DELETE", where).status == 404
    assert client.send_json("PATCH", where, {"weight": 1}).status == 404
    assert len(waiting(client)) == 4


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ({"old": 998, "new": 999, "verdict": "equal"}, 404),
        ({"old": 1, "new": 2, "verdict": "perhaps"}, 422),
        ({"old": 0, "new": 2, "verdict": "equal"}, 422),
        ({"old": 2**70, "new": 2, "verdict": "equal"}, 422),
        ({"old": 1, "new": 2, "verdict": "equal", "session": "../x"}, 422),
        ({"old": 1, "new": 2, "verdict": "equal", "rater": "a\0b"}, 422),
        ({"old": 1, "new": 2, "verdict": "equal", "weight": 7}, 422),
        ({"old": 1, "new": 2}, 422),
        ([], 422),
    ],
)
def test_a_bad_rating_is_refused(client: AsgiClient, pairs: list[int], content: Any, status: int) -> None:
    assert client.send_json("POST", "/api/v1/labels", content).status == status
    assert client.get("/api/v1/labels").json()["items"] == []


@pytest.mark.parametrize("weight", ["-1", "NaN", "Infinity", "1e9", '"much"'])
def test_a_bad_weight_is_refused(client: AsgiClient, pairs: list[int], weight: str) -> None:
    number = rate(client, waiting(client)[0]).json()["id"]
    sent = client.request(
        "PATCH",
        f"/api/v1/labels/{number}",
        body=[f'{{"weight": {weight}}}'.encode()],
        content_type="application/json",
    )
    assert sent.status in (400, 422)
    assert client.get("/api/v1/labels").json()["items"][0]["weight"] == 1


def test_train_use_and_go_back(client: AsgiClient, pairs: list[int]) -> None:
    for pair in waiting(client):
        rate(client, pair)
    answer = train(client, use=False, note="first")
    assert answer.status == 200
    made = answer.json()
    model = made["model"]
    assert (made["in_use"], model["is_active"], model["examples"], model["note"]) == (False, False, 4, "first")
    assert made["progress"]
    assert 0.0 <= model["figures"]["held_out_accuracy"] <= 1.0
    used = client.request("POST", f"/api/v1/models/{model['id']}/use")
    assert (used.status, used.json()["is_active"]) == (200, True)
    second = train(client, use=False).json()["model"]
    assert second["parent"] == model["id"]
    client.request("POST", f"/api/v1/models/{second['id']}/use")
    assert _active(client) == [second["id"]]
    client.request("POST", "/api/v1/models/rollback")
    assert _active(client) == [model["id"]]
    client.request("POST", "/api/v1/models/rollback")
    assert _active(client) == []
    assert client.request("POST", "/api/v1/models/rollback").status == 200


def test_everybody_goes_back_on_their_own(client: AsgiClient, context: FakeContext) -> None:
    """Hers was trained from everybody's: going back, she has none of her own again, and everybody keeps theirs."""
    store, numbers = context.store, []
    for owner, parent in (("", None), ("her", 1), ("her", 2)):
        new = NewModel(owner=owner, parent=parent, kernel="linear", measures=("title",), examples=1, body=GOOD)
        numbers.append(store.learning.add_model(new, now=NOW).id)
        store.learning.activate_model(numbers[-1], owner=owner, now=NOW)
    everybodys, first, second = numbers
    assert sorted(_active(client)) == [everybodys, second]
    assert client.request("POST", "/api/v1/models/rollback?owner=her").status == 200
    assert sorted(_active(client)) == [everybodys, first]
    client.request("POST", "/api/v1/models/rollback?owner=her")
    assert _active(client) == [everybodys]
    client.request("POST", "/api/v1/models/rollback?owner=nobody")
    assert _active(client) == [everybodys]
    client.request("POST", "/api/v1/models/rollback")
    assert _active(client) == []


def test_going_back_to_a_damaged_model_is_refused(client: AsgiClient, context: FakeContext) -> None:
    for parent, body in ((None, "{}"), (1, GOOD)):
        new = NewModel(parent=parent, kernel="linear", measures=("title",), examples=1, body=body)
        context.store.learning.activate_model(context.store.learning.add_model(new, now=NOW).id, now=NOW)
    assert client.request("POST", "/api/v1/models/rollback").status == 422
    assert _active(client) == [2]


OLD, NEW = "https://a.example/old", "https://b.example/new"


def example(client: AsgiClient, old: object, new: object, **more: Any) -> Answer:
    return client.send_json("POST", "/api/v1/labels/examples", {"old": old, "new": new, "verdict": "equal", **more})


def test_two_addresses_become_an_example(client: AsgiClient, context: FakeContext) -> None:
    context.pages = {OLD: page_body(1), NEW: page_body(2)}
    made = example(client, OLD, NEW, note="the same person")
    assert made.status == 201
    label = made.json()
    assert (label["verdict"], label["origin"], label["url"], label["note"]) == (
        "equal",
        "manual",
        NEW,
        "the same person",
    )
    assert client.get("/api/v1/labels").json()["counts"]["examples"] == 1
    shown = client.get(f"/api/v1/labels/{label['id']}/old/content")
    assert shown.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert shown.headers["content-type"] == "text/html; charset=utf-8"
    text = client.get(f"/api/v1/labels/{label['id']}/new/content?form=text")
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert client.get(f"/api/v1/labels/{label['id']}/both/content").status == 422
    assert client.get("/api/v1/labels/99/old/content").status == 404
    assert example(client, label["old"], str(label["new"])).status == 201


def test_an_example_of_a_session_counts_when_that_is_saved(client: AsgiClient, context: FakeContext) -> None:
    context.pages = {OLD: page_body(1), NEW: page_body(2)}
    assert example(client, OLD, NEW, session="s-1", verdict="different").status == 201
    assert client.get("/api/v1/labels").json()["counts"].get("examples", 0) == 0


@pytest.mark.parametrize(
    ("old", "new", "status", "word"),
    [
        (OLD, "https://c.example/", 422, "brought no page"),
        (OLD, 99, 404, "no version 99"),
        (OLD, "99", 404, "no version 99"),
        (OLD, "9" * 40, 422, "no version"),
        (OLD, "javascript:alert(1)", 422, "only http and https"),
        (OLD, "", 422, "new"),
        (OLD, 0, 422, "new"),
        (OLD, None, 422, "new"),
        (OLD, "x" * 9_000, 422, "new"),
    ],
)
def test_half_an_example_is_none(
    client: AsgiClient, context: FakeContext, old: object, new: object, status: int, word: str
) -> None:
    context.pages = {OLD: page_body(1)}
    answer = example(client, old, new)
    assert (answer.status, word in answer.json()["detail"]) == (status, True), answer.json()
    assert client.get("/api/v1/labels").json()["items"] == []


def test_a_training_needs_something_to_learn_from(client: AsgiClient, pairs: list[int]) -> None:
    answer = client.send_json("POST", "/api/v1/models/trainings", {})
    assert (answer.status, "no rating to learn from" in answer.json()["detail"]) == (422, True)
    assert client.get("/api/v1/models/trainings").json() == {"items": []}
    assert client.get("/api/v1/models/trainings/1").status == 404
    assert client.request("DELETE", "/api/v1/models/trainings/1").status == 404
    assert client.send_json("POST", "/api/v1/models/trainings", {"kernel": "cubic"}).status == 422
    assert client.send_json("POST", "/api/v1/models/trainings", {"measures": ["a\0b"]}).status == 422
    assert client.send_json("POST", "/api/v1/models/trainings", {"link": 99}).status == 404
    assert train(client, link=99).status == 404


def test_training_says_what_is_missing(client: AsgiClient, pairs: list[int]) -> None:
    answer = train(client)
    assert (answer.status, "no rating to learn from" in answer.json()["detail"]) == (422, True)
    rate(client, waiting(client)[0])
    assert "unknown measure 'nonsense'" in train(client, measures=["nonsense"]).json()["detail"]
    assert train(client, kernel="cubic").status == 422
    assert train(client, time_limit=1e9).status == 422
    assert client.get("/api/v1/models").json() == {"items": []}


def test_one_training_at_a_time(client: AsgiClient, pairs: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy:
        def locked(self) -> bool:
            return True

    monkeypatch.setattr("afresh.doors.rest.routes.learning_models._ONE_AT_A_TIME", Busy())
    answer = train(client)
    assert (answer.status, "wait" in answer.json()["detail"]) == (409, True)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (GOOD.replace('"degree": ', '"degree": 1', 1), "checksum"),
        (GOOD.replace('"version": 1', '"version": 2', 1), "version 2"),
        (GOOD.replace('"slope": ', '"slope": NaN, "was": ', 1), "not JSON"),
        (GOOD[: len(GOOD) // 2], "not JSON"),
        ("cos\nsystem\n(S'true'\ntR.", "not JSON"),
    ],
)
def test_a_damaged_model_is_not_put_to_use(client: AsgiClient, context: FakeContext, body: str, word: str) -> None:
    kept = context.store.learning.add_model(
        NewModel(kernel="linear", measures=("title",), examples=1, body=body), now=NOW
    )
    answer = client.request("POST", f"/api/v1/models/{kept.id}/use")
    assert answer.status == 422
    assert word in answer.json()["detail"]
    assert _active(client) == []
    assert client.request("POST", "/api/v1/models/99/use").status == 404


def test_the_page_shows_models_of_files_of_links_and_of_others(client: AsgiClient, context: FakeContext) -> None:
    new = NewModel(kernel="linear", measures=("title",), examples=0, settings={"link": 17}, body=GOOD)
    hers = replace(new, owner='a&b "x"', settings={}, figures={"held_out_accuracy": 0.9})
    numbers = [context.store.learning.add_model(model, now=NOW).id for model in (new, hers)]
    context.store.learning.activate_model(numbers[1], owner=hers.owner, now=NOW)
    page = client.get("/learning", accept="text/html").text
    assert '<a href="/links/17">link 17</a>' in page
    assert "linear, of a file" in page
    assert "right on 90 % of those held out" in page
    assert 'data-send="POST /api/v1/models/rollback?owner=a%26b%20%22x%22"' in page
    assert "a&amp;b &#34;x&#34;" in page


def test_the_page_shows_a_rating_again(client: AsgiClient, context: FakeContext) -> None:
    context.pages = {OLD: page_body(1), NEW: page_body(2)}
    number = example(client, OLD, NEW, note="<b>bold</b>").json()["id"]
    page = client.get(f"/learning?label={number}", accept="text/html").text
    assert f"Rating {number}" in page
    assert f'src="/api/v1/labels/{number}/old/content"' in page
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    twin = client.get(f"/learning.json?label={number}").json()
    assert (twin["label"]["id"], twin["pair"]) == (number, None)
    assert twin["diff"]["difference"]
    assert client.get("/learning.json?label=99").status == 404


def _active(client: AsgiClient) -> list[int]:
    return [model["id"] for model in client.get("/api/v1/models").json()["items"] if model["is_active"]]
