"""``afresh learn`` as a person types it: disagree, train, and see the verdict change."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from afresh.doors.cli import learn
from afresh.doors.cli.main import run
from afresh.lab.verdicts.learning import Trained
from afresh.links.comparing import compare_versions
from afresh.links.models import ActiveModel
from afresh.links.verdicts.model import default_model, dump_model
from afresh.store import open_store
from tests.fakes.saved_links import page_body, watched
from tests.fakes.served import served

GOOD = dump_model(default_model())
LOOPBACK = ("--set", "fetch.allowed_networks=127.0.0.0/8;::1/128", "--set", "politeness.delay=0")


class Desk:
    """Commands on one store of six links whose page became another one of the same site."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = folder / "desk.db", capsys
        store = open_store(str(self.path))
        self.links = [watched(store, n, page_body(n, site=n), page_body(100 + n, site=n, path="/b")) for n in range(6)]
        store.close()

    def learn(self, *words: str, code: int = 0, web: bool = False) -> str:
        return self.afresh(*(LOOPBACK if web else ()), "learn", *words, code=code)

    def link(self, *words: str, code: int = 0) -> str:
        return self.afresh("link", *words, code=code)

    def afresh(self, *words: str, code: int) -> str:
        got = run(["--store", str(self.path), *words])
        printed = self._capsys.readouterr()
        assert got == code, printed
        return printed.out if code in (0, 1) else printed.err

    def says(self, link: int, owner: str = "") -> float:
        """That it is the same page, by the model in use."""
        store = open_store(str(self.path))
        try:
            return compare_versions(store.links, link, model=ActiveModel(store.learning, owner)).verdict.probability
        finally:
            store.close()


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


@pytest.fixture
def town() -> Iterator[str]:
    """A site with two pages."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        place = scope["path"].strip("/")
        known = place in ("1", "2")
        page = Response(page_body(int(place)) if known else b"", 200 if known else 404, media_type="text/html")
        await page(scope, receive, send)

    with served(answer) as base:
        yield base


def test_who_disagrees_and_trains_sees_the_verdict_change(desk: Desk) -> None:
    before = desk.says(desk.links[5])
    verdict = "equal" if before < 0.5 else "different"
    for pair in json.loads(desk.learn("next", "--limit", "5", "--json")):
        assert verdict in desk.learn("rate", str(pair["old"]), str(pair["new"]), verdict)
    trained = json.loads(desk.learn("train", "--json", code=1))
    assert (trained["in_use"], trained["ratings"]) == (False, 5)
    assert desk.says(desk.links[5]) == before  # five of one kind are not enough to be judged by, unless one says so
    trained = json.loads(desk.learn("train", "--kernel", "radial", "--time-limit", "3", "--force", "--json"))
    assert (trained["in_use"], trained["ratings"]) == (True, 5)
    after = desk.says(desk.links[5])
    assert (after > before) == (verdict == "equal")
    assert [row["in use"] for row in json.loads(desk.learn("models", "--json"))] == [True, False]
    desk.learn("use", "shipped")
    assert desk.says(desk.links[5]) == before
    assert "the model that ships with afresh is in use" in desk.learn("models")
    desk.learn("use", str(trained["model"]))
    assert desk.says(desk.links[5]) == after


@pytest.mark.parametrize("answer", [True, False])
def test_a_model_of_few_ratings_is_used_only_if_one_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked = list[str]()

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        return answer

    kept = SimpleNamespace(id=1, examples=2, figures={})
    few = Trained(model=kept, is_better=True, is_enough=False)  # type: ignore[arg-type]
    used = list[object]()
    monkeypatch.setattr(learn, "train_from_ratings", lambda *_, **__: few)
    monkeypatch.setattr(learn, "use_trained", lambda _, model, **__: used.append(model))
    monkeypatch.setattr(click, "confirm", confirm)
    desk.learn("train")
    assert (asked, used) == ([], [])  # nobody can be asked
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    desk.learn("train")
    assert len(asked) == 1
    assert used == ([kept] if answer else [])


def test_pairs_are_rated_one_key_each(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter("sdukq")
    monkeypatch.setattr(click, "prompt", lambda *_, **__: next(keys))
    shown = desk.learn("rate")
    assert shown.count("same page with 50%") == 5
    assert "\n+ " in shown
    verdicts = [row["verdict"] for row in json.loads(desk.learn("labels", "--json"))]
    assert verdicts == ["equal", "different", "unknown", "skip"]
    assert len(json.loads(desk.learn("next", "--json"))) == 2


def test_two_files_are_an_example_and_can_be_devalued(desk: Desk, tmp_path: Path) -> None:
    for name, seed in (("old.html", 7), ("new.html", 8)):
        (tmp_path / name).write_bytes(page_body(seed))
    desk.learn("example", str(tmp_path / "old.html"), str(tmp_path / "new.html"), "different")
    [label] = json.loads(desk.learn("labels", "--json"))
    assert (label["verdict"], label["origin"], label["weight"]) == ("different", "manual", 1.0)
    assert "counts 0 times" in desk.learn("devalue", str(label["id"]))
    assert "no rating to learn from" in desk.learn("train", code=2)


def test_addresses_versions_and_files_make_examples_together(desk: Desk, town: str, tmp_path: Path) -> None:
    made = json.loads(desk.learn("example", f"{town}/1", f"{town}/2", "equal", "--note", "by hand", "--json", web=True))
    assert made["verdict"] == "equal"
    file = tmp_path / "new.html"
    file.write_bytes(page_body(8))
    again = json.loads(desk.learn("example", str(made["new"]), str(file), "different", "--rater", "ada", "--json"))
    assert again["old"] == made["new"]
    first, second = json.loads(desk.learn("labels", "--json"))
    assert (first["origin"], first["url"], first["rater"]) == ("manual", f"{town}/2", "operator")
    assert (second["rater"], second["url"]) == ("ada", "https://example.invalid/")


def test_an_example_of_nothing_is_refused(desk: Desk, town: str) -> None:
    assert "brought no page: HTTP 404" in desk.learn("example", f"{town}/1", f"{town}/99", "equal", code=2, web=True)
    assert "must start with http" in desk.learn("example", "nowhere.html", "1", "equal", code=2)
    assert "no version 98" in desk.learn("example", f"{town}/1", "98", "equal", code=2)
    refused = desk.learn("example", f"{town}/1", "1", "equal", code=2)  # the guard holds unless it is told otherwise
    assert "brought no page: address" in refused
    assert json.loads(desk.learn("labels", "--json")) == []


def test_a_person_goes_back_without_the_others(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(GOOD)
    for number, owner in ((1, ""), (2, "ada")):
        desk.learn("import", str(file), "--owner", owner)
        desk.learn("use", str(number))
    assert desk.learn("rollback", "--owner", "ada") == "model 1 (everybody's) is in use\n"
    assert [row["in use"] for row in json.loads(desk.learn("models", "--json"))] == [False, True]
    assert json.loads(desk.learn("rollback", "--json")) == {"owner": "", "model": None}
    assert desk.learn("rollback") == "the shipped model is in use\n"


def test_a_link_learns_from_its_own_ratings(desk: Desk) -> None:
    before = [desk.says(link) for link in desk.links[:2]]
    verdict = "equal" if before[0] < 0.5 else "different"
    for pair in json.loads(desk.learn("next", "--json")):
        desk.learn("rate", str(pair["old"]), str(pair["new"]), verdict)
    link = str(desk.links[0])
    wish = ("train", "--link", link, "--kernel", "linear", "--time-limit", "1", "--force", "--json")
    trained = json.loads(desk.learn(*wish))
    assert (trained["in_use"], trained["ratings"]) == (True, 1)
    [row] = json.loads(desk.learn("models", "--json"))
    assert (row["link"], row["in use"]) == (desk.links[0], False)  # for nobody else
    assert json.loads(desk.link("show", link, "--json"))["model"] == str(trained["model"])
    assert desk.says(desk.links[0]) != before[0]
    assert desk.says(desk.links[1]) == before[1]
    assert "no rating to learn from yet of eve" in desk.learn("train", "--rater", "eve", code=2)


def test_a_link_is_given_a_model(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(GOOD)
    desk.learn("import", str(file))
    link = str(desk.links[0])
    assert "judged by model 1 from its next check on" in desk.link("set", link, "--model", "1")
    assert json.loads(desk.link("show", link, "--json"))["model"] == "1"
    assert "judged   by the model of ada" in desk.link("set", link, "--model", "owner:ada") + desk.link("show", link)
    both = desk.link("set", link, "--model", "everybody", "--profile", "attributive")
    assert "means attributive, judged by everybody's model" in both
    assert "there is no model 9" in desk.link("set", link, "--model", "9", code=2)
    assert "names no model" in desk.link("set", link, "--model", "mine", code=2)
    assert "say what to change" in desk.link("set", link, code=2)


def test_a_model_of_ones_own_is_nobody_elses(desk: Desk) -> None:
    before = desk.says(desk.links[5])
    verdict = "equal" if before < 0.5 else "different"
    for pair in json.loads(desk.learn("next", "--limit", "5", "--json")):
        desk.learn("rate", str(pair["old"]), str(pair["new"]), verdict)
    assert json.loads(desk.learn("train", "--owner", "ada", "--force", "--json"))["in_use"]
    assert desk.says(desk.links[5]) == before
    assert desk.says(desk.links[5], owner="ada") != before


def test_mistakes_are_told(desk: Desk) -> None:
    assert "no version 98" in desk.learn("rate", "98", "99", "equal", code=2)
    assert "say which versions" in desk.learn("rate", "1", code=2)
    assert "99" in desk.learn("devalue", "99", code=2)
    assert "99" in desk.learn("use", "99", code=2)
    assert "`shipped`" in desk.learn("use", "newest", code=2)
    assert "99" in desk.learn("export", "99", code=2)


def test_a_model_travels_as_a_file(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    file.write_text(GOOD)
    assert "model 1 kept, not in use" in desk.learn("import", str(file), "--note", "from a friend")
    assert desk.learn("export", "1") == GOOD
    desk.learn("use", "1")
    assert [row["in use"] for row in json.loads(desk.learn("models", "--json"))] == [True]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (GOOD.replace('"degree": ', '"degree": 1', 1), "checksum"),
        (GOOD.replace('"version": 1', '"version": 2', 1), "version 2"),
        (GOOD.replace('"slope": ', '"slope": NaN, "was": ', 1), "not JSON"),
        (GOOD[: len(GOOD) // 2], "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("\x80\x04cos\nsystem\n", "not JSON"),
        ("", "not JSON"),
    ],
)
def test_a_bad_model_file_is_refused(desk: Desk, tmp_path: Path, body: str, word: str) -> None:
    file = tmp_path / "model.json"
    file.write_bytes(body.encode("latin-1"))
    assert word in desk.learn("import", str(file), code=2)
    assert json.loads(desk.learn("models", "--json")) == []


def test_a_huge_model_file_is_not_read(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    with file.open("wb") as sparse:
        sparse.truncate(2**40)
    assert "larger than a model may be" in desk.learn("import", str(file), code=2)
