"""``afresh learn`` as a person types it: disagree, train, and see the verdict change."""

import json
from pathlib import Path

import click
import pytest

from afresh.app.links import compare_versions
from afresh.app.models import ActiveModel
from afresh.cli.main import run
from afresh.core.verdicts import default_model, dump_model
from afresh.store import open_store
from tests.fakes.saved_links import page_body, watched

GOOD = dump_model(default_model())


class Desk:
    """Commands on one store of six links whose page became another one of the same site."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self._capsys = folder / "desk.db", capsys
        store = open_store(str(self.path))
        self.links = [watched(store, n, page_body(n, site=n), page_body(100 + n, site=n, path="/b")) for n in range(6)]
        store.close()

    def learn(self, *words: str, code: int = 0) -> str:
        got = run(["--store", str(self.path), "learn", *words])
        printed = self._capsys.readouterr()
        assert got == code, printed
        return printed.out if code in (0, 1) else printed.err

    def says(self, link: int, owner: str = "") -> float:
        """That it is the same page, by the model in use."""
        store = open_store(str(self.path))
        try:
            return compare_versions(store, link, model=ActiveModel(store, owner)()).verdict.probability
        finally:
            store.close()


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_who_disagrees_and_trains_sees_the_verdict_change(desk: Desk) -> None:
    before = desk.says(desk.links[5])
    verdict = "equal" if before < 0.5 else "different"
    for pair in json.loads(desk.learn("next", "--limit", "5", "--json")):
        assert verdict in desk.learn("rate", str(pair["old"]), str(pair["new"]), verdict)
    trained = json.loads(desk.learn("train", "--kernel", "radial", "--time-limit", "3", "--json"))
    assert (trained["in_use"], trained["ratings"]) == (True, 5)
    after = desk.says(desk.links[5])
    assert (after > before) == (verdict == "equal")
    assert [row["in use"] for row in json.loads(desk.learn("models", "--json"))] == [True]
    desk.learn("use", "shipped")
    assert desk.says(desk.links[5]) == before
    assert "the model that ships with afresh is in use" in desk.learn("models")
    desk.learn("use", str(trained["model"]))
    assert desk.says(desk.links[5]) == after


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


def test_a_model_of_ones_own_is_nobody_elses(desk: Desk) -> None:
    before = desk.says(desk.links[5])
    verdict = "equal" if before < 0.5 else "different"
    for pair in json.loads(desk.learn("next", "--limit", "5", "--json")):
        desk.learn("rate", str(pair["old"]), str(pair["new"]), verdict)
    assert json.loads(desk.learn("train", "--owner", "ada", "--time-limit", "1", "--json"))["in_use"]
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
