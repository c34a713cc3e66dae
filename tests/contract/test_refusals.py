"""The same value gets the same answer at every door: command line, REST, import, and the forms of the pages."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from afresh.doors.cli.main import EXIT_USAGE, EXIT_WRONG, run
from afresh.doors.rest import create_app
from afresh.doors.rest.requests import AddRequest, ResourcePatch
from afresh.store import open_store
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext

LONG = "x" * 1_001
FEED = "https://a.example/feed"


@dataclass
class Doors:
    """One store behind every door."""

    folder: Path
    client: AsgiClient
    capsys: pytest.CaptureFixture[str]

    def command(self, *words: str) -> tuple[int, str, str]:
        code = run(["--store", str(self.folder / "s.db"), *words])
        said = self.capsys.readouterr()
        refusal = (said.err.strip().splitlines() or [""])[-1]  # behind what is said of old names
        return code, said.out, refusal.removeprefix("afresh: ")

    def file(self, text: str) -> str:
        path = self.folder / "list.txt"
        path.write_text(text, encoding="utf-8")
        return str(path)


@pytest.fixture
def doors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Doors]:
    store = open_store(str(tmp_path / "s.db"))
    made = Doors(tmp_path, AsgiClient(create_app(FakeContext(store))), capsys)
    assert made.command("add", FEED)[0] == 0
    yield made
    store.close()


@pytest.mark.parametrize(
    ("options", "fields", "status"),
    [
        (["--weight", "0"], {"weight": 0}, 422),
        (["--weight", "-1"], {"weight": -1}, 422),
        (["--weight", "1e10"], {"weight": 1e10}, 422),
        (["--pin", "0"], {"pinned": 0}, 422),
        (["--pin", "4000d"], {"pinned": 4000 * 86_400}, 422),
        (["--shortest", "0"], {"shortest": 0}, 422),
        (["--longest", "4000d"], {"longest": 4000 * 86_400}, 422),
        (["--rule", "fax"], {"rule": "fax"}, 422),
        (["--rule", "fix:interval=soon"], {"rule": "fix:interval=soon"}, 422),
        (["--title", LONG], {"title": LONG}, 422),
        (["--folder", LONG], {"folder": LONG}, 422),
        (["--shortest", "2d", "--longest", "1h"], {"shortest": 172_800, "longest": 3_600}, 422),
        (["--alpha", "2d", "--beta", "1h"], {"alpha": 172_800, "beta": 3_600}, 422),
        (["--shortest", "400d"], {"shortest": 400 * 86_400}, 422),
        (["--longest", "30s"], {"longest": 30}, 422),
    ],
    ids=str,
)
def test_a_bad_change(doors: Doors, options: Sequence[str], fields: Mapping[str, Any], status: int) -> None:
    code, _, said = doors.command("set", "1", *options)
    assert code == EXIT_USAGE
    answer = doors.client.send_json("PATCH", "/api/v1/resources/1", fields)
    assert (answer.status, answer.json()["detail"]) == (status, said)


def test_bounds_are_compared_with_those_there_are(doors: Doors) -> None:
    assert doors.command("set", "1", "--shortest", "2h")[0] == 0
    code, _, said = doors.command("set", "1", "--longest", "1h")
    answer = doors.client.send_json("PATCH", "/api/v1/resources/1", {"longest": 3_600})
    assert (code, answer.status) == (EXIT_USAGE, 422)
    assert said == answer.json()["detail"]
    assert doors.command("set", "1", "--shortest", "none", "--longest", "1h")[0] == 0


@pytest.mark.parametrize(
    ("kind", "option", "said"),
    [
        (
            "feed",
            ("--shortest", "400d"),
            "the shortest interval, 400d, is longer than the longest, 1d (predict.longest);"
            " give its own --longest as well, or change predict.longest",
        ),
        (
            "feed",
            ("--longest", "30s"),
            "the shortest interval, 1m, is longer than the longest, 30s (predict.shortest);"
            " give its own --shortest as well, or change predict.shortest",
        ),
        ("page", ("--shortest", "31d"), "the longest, 30d (revisit.longest)"),
        ("link", ("--longest", "1h"), "the shortest interval, 6h, is longer than the longest, 1h (links.shortest)"),
    ],
)
def test_bounds_are_compared_with_those_of_the_settings(
    doors: Doors, kind: str, option: tuple[str, str], said: str
) -> None:
    assert doors.command("add", "--kind", kind, "https://b.example/")[0] == 0
    code, _, told = doors.command("set", "2", *option)
    assert code == EXIT_USAGE
    assert said in told
    both = ("--shortest", "400d", "--longest", "500d") if "--shortest" in option else ("--shortest", "9s", *option)
    assert doors.command("set", "2", *both)[0] == 0
    assert doors.command("set", "2", "--title", "as before")[0] == 0


def test_a_list_cannot_say_bounds_that_no_door_takes(doors: Doors) -> None:
    row = {"url": "https://b.example/feed", "visits": json.dumps({"shortest": 400 * 86_400.0})}
    text = json.dumps([row])
    answer = doors.client.send_json("POST", "/api/v1/resources/import", {"text": text}).json()
    [lost] = answer["lost"]
    assert "the shortest interval, 400d, is longer than the longest, 1d (predict.longest)" in lost
    assert lost.endswith("(1 feed: https://b.example/feed)")
    assert doors.client.get("/api/v1/resources/2").json()["shortest"] is None


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        (["--folder", LONG], {"folder": LONG}),
        (["--tag", ""], {"tags": [""]}),
        (["--tag", "x" * 201], {"tags": ["x" * 201]}),
        ([part for n in range(51) for part in ("--tag", str(n))], {"tags": [str(n) for n in range(51)]}),
        (["--weight", "nan"], {"weight": float("nan")}),
        (["--weight", "0"], {"weight": 0}),
        (["--rule", "fax"], {"rule": "fax"}),
        (["--pin", "0"], {"pinned": 0}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_value_of_something_new(doors: Doors, options: Sequence[str], fields: Mapping[str, Any]) -> None:
    code, _, said = doors.command("add", "https://b.example/feed", *options)
    assert code == EXIT_USAGE
    answer = doors.client.send_json("POST", "/api/v1/resources", {"urls": ["https://b.example/feed"], **fields})
    assert (answer.status, answer.json()["detail"]) == (422, said)
    if set(fields) <= {"folder", "tags"}:
        body = {"text": "https://b.example/feed\n", **fields}
        imported = doors.client.send_json("POST", "/api/v1/resources/import", body)
        assert (imported.status, imported.json()["detail"]) == (422, said)
    if "folder" in fields:
        assert doors.command("import", doors.file("https://b.example/feed\n"), *options) == (EXIT_USAGE, "", said)
    assert len(json.loads(doors.command("list", "--json")[1])) == 1, "nothing was added"


@pytest.mark.parametrize(
    ("url", "setting"),
    [
        ("http://10.0.0.5/feed", "fetch.allowed_networks"),
        ("http://[::1]/feed", "fetch.allowed_networks"),
        ("http://0x7f.1/feed", "fetch.allowed_networks"),
        ("http://a.example:22/feed", "fetch.allow_private"),
        ("ftp://a.example/feed", ""),
        ("https://me:secret@a.example/feed", ""),
        ("https://a.example/" + "x" * 4_000, ""),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_url(doors: Doors, url: str, setting: str) -> None:
    code, printed, _ = doors.command("add", url, "--json")
    [added] = json.loads(printed)
    assert code == EXIT_WRONG
    assert setting in added["error"]
    posted = doors.client.send_json("POST", "/api/v1/resources", {"urls": [url]})
    assert posted.json()["items"] == [added]
    read = doors.file(f"{url}\n")
    assert json.loads(doors.command("import", read, "--json")[1])["items"] == [added]
    [refused] = doors.client.send_json("POST", "/api/v1/resources/import", {"text": f"{url}\n"}).json()["errors"]
    assert refused.endswith(f": {added['error']}")


def test_session_identifiers_are_left_out_and_not_missed(doors: Doors) -> None:
    url = "https://a.example/feed;jsessionid=1A?PHPSESSID=2"
    [added] = json.loads(doors.command("add", url, "--json")[1])
    assert (added["is_new"], added["url"]) == (False, FEED)
    assert doors.client.send_json("POST", "/api/v1/resources", {"urls": [url]}).json()["items"] == [added]
    assert json.loads(doors.command("show", url, "--json")[1])["id"] == 1
    assert doors.client.get(f"/api/v1/resources/lookup?url={url.replace(';', '%3B')}").json()["id"] == 1


def test_both_doors_show_the_same_resource(doors: Doors) -> None:
    [listed] = json.loads(doors.command("list", "--json")[1])
    shown = json.loads(doors.command("show", "1", "--json")[1])
    asked = doors.client.get("/api/v1/resources/1").json()
    visits = shown.pop("visits")
    assert listed == shown == asked
    assert visits == doors.client.get("/api/v1/visits").json()["items"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", asked["added"])


@pytest.mark.parametrize(("page", "model"), [("/feeds/1", ResourcePatch), ("/import", AddRequest)])
def test_the_forms_of_the_pages_send_what_rest_takes(doors: Doors, page: str, model: Any) -> None:
    text = doors.client.get(page).text
    method = "PATCH /api/v1/resources/1" if model is ResourcePatch else "POST /api/v1/resources"
    forms = re.findall(rf'<form[^>]*data-send="{method}".*?</form>', text, re.DOTALL)
    names = {name for form in forms for name in re.findall(r'<(?:input|select|textarea)[^>]*\bname="(\w+)"', form)}
    assert names, "a form without fields"
    assert names <= set(model.model_fields)
