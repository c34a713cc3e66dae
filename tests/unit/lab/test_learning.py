"""Disagree, train, and see the verdict change; and never be worse off for a damaged model."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from afresh.base.errors import UsageError
from afresh.base.protocols import Store
from afresh.base.records.labels import NewLabel, NewModel, Rating
from afresh.base.records.links import ModelChoice
from afresh.lab.verdicts import learning
from afresh.lab.verdicts.learning import _rated, train_from_ratings
from afresh.lab.verdicts.sites import OPERATORS, make_page, make_site, render
from afresh.lab.verdicts.train import Setting
from afresh.lab.verdicts.trainings import Wish
from afresh.links.comparing import compare_versions
from afresh.links.models import ActiveModel, use_trained
from afresh.links.verdicts.kernels import Kernel
from afresh.links.verdicts.model import default_model, dump_model
from afresh.store import open_store
from tests.fakes.saved_links import NOW, page_body, watched


def says(store: Store, link: int) -> float:
    return compare_versions(store.links, link, model=ActiveModel(store.learning)).verdict.probability


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(str(tmp_path / "afresh.db"))
    yield opened
    opened.close()


@pytest.fixture
def pairs(store: Store) -> list[int]:
    """Six links whose page became another one of the same site: the shipped model need not see that."""
    return [watched(store, n, page_body(n, site=n), page_body(100 + n, site=n, path="/b")) for n in range(6)]


def rate_all(store: Store, verdict: Rating, count: int) -> None:
    for pair in store.learning.pairs_to_rate(limit=count):
        store.learning.add_label(NewLabel(old=pair.old, new=pair.new, verdict=verdict, check=pair.check), now=NOW)


@pytest.mark.parametrize("kernel", list(Kernel))
def test_ratings_change_the_verdict_of_what_was_not_rated(store: Store, pairs: list[int], kernel: Kernel) -> None:
    """The opposite of what the model says, five times over: the sixth pair of the kind follows."""
    before = says(store, pairs[5])
    verdict = Rating.EQUAL if before < 0.5 else Rating.DIFFERENT
    rate_all(store, verdict, 5)
    lines: list[str] = []
    trained = train_from_ratings(store, Wish(kernel=kernel, time_limit=5.0), now=NOW, progress=lines.append)
    assert trained.model.examples == 5
    assert any("held out" in line for line in lines)
    store.learning.activate_model(trained.model.id, now=NOW)
    after = says(store, pairs[5])
    assert (after > before) == (verdict is Rating.EQUAL)
    assert not trained.may_judge  # five of one kind, none of the other: somebody has to say so
    store.learning.activate_model(None, now=NOW)
    assert says(store, pairs[5]) == before


def test_two_ratings_do_not_turn_what_the_model_is_sure_of(store: Store) -> None:
    """Grown by a line, and said to be another page: such a verdict was turned by two clicks once."""
    body = page_body(50, site=50)
    links = [watched(store, n, body, body + f"<p>Line {n} is new.</p>".encode()) for n in range(3)]
    before = says(store, links[2])
    rate_all(store, Rating.DIFFERENT, 2)
    trained = train_from_ratings(store, Wish(), now=NOW)
    store.learning.activate_model(trained.model.id, now=NOW)
    assert before > 0.99
    assert 0.9 < says(store, links[2]) < before
    assert not trained.may_judge


def test_a_model_that_is_no_better_is_not_put_to_use(store: Store) -> None:
    """Twelve ratings of each kind, and all as the shipped model says."""
    for n in range(12):
        body = page_body(n, site=n)
        watched(store, n, body, body + b"<p>One more line.</p>")
    rate_all(store, Rating.EQUAL, 12)
    for n in range(12, 24):
        watched(store, n, page_body(n, site=n), page_body(100 + n, site=100 + n))
    rate_all(store, Rating.DIFFERENT, 12)
    trained = train_from_ratings(store, Wish(), now=NOW)
    assert trained.is_enough
    assert trained.model.figures["accuracy_before"] == trained.model.figures["held_out_accuracy"] == 1.0
    assert not trained.is_better


def test_a_model_that_is_clearly_better_is_put_to_use(store: Store) -> None:
    """To this reader a page with a new look and mostly new text is still the page."""
    for n in range(20):
        rng = random.Random(n)
        rewritten = make_page(rng, make_site(random.Random(n), n), "/a", "plain", 6)
        before = render(rewritten)
        OPERATORS["rewrite"](rewritten, rng)
        watched(store, n, before, render(rewritten))
    rate_all(store, Rating.EQUAL, 20)
    for n in range(20, 32):
        watched(store, n, page_body(n, site=n), page_body(100 + n, site=100 + n))
    rate_all(store, Rating.DIFFERENT, 12)
    trained = train_from_ratings(store, Wish(), now=NOW)
    figures = trained.model.figures
    assert figures["held_out_accuracy"] > figures["accuracy_before"] + 0.2
    assert trained.may_judge
    use_trained(store.learning, trained.model, now=NOW)
    again = train_from_ratings(store, Wish(), now=NOW)  # the same ratings do not count twice
    assert store.learning.model_body(again.model.id).count(",") == pytest.approx(
        store.learning.model_body(trained.model.id).count(","), abs=20
    )
    assert not again.is_better


def test_what_was_known_is_not_forgotten(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.DIFFERENT, 5)
    body = page_body(50, site=50)
    same = watched(store, 50, body, body + b"<p>One more line.</p>")
    trained = train_from_ratings(store, Wish(time_limit=5.0), now=NOW)
    store.learning.activate_model(trained.model.id, now=NOW)
    assert says(store, same) > 0.5


def test_transduction_learns_from_pairs_nobody_rated(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.DIFFERENT, 3)
    lines: list[str] = []
    trained = train_from_ratings(store, Wish(transduction=True, time_limit=5.0), now=NOW, progress=lines.append)
    assert any(line.startswith("transduction") for line in lines)
    assert trained.model.settings["transduction"] is True


def test_nothing_is_learnt_from_nothing(store: Store, pairs: list[int]) -> None:
    with pytest.raises(UsageError, match="no rating to learn from"):
        train_from_ratings(store, Wish(), now=NOW)
    rate_all(store, Rating.UNKNOWN, 2)
    with pytest.raises(UsageError, match="no rating to learn from"):
        train_from_ratings(store, Wish(), now=NOW)
    rate_all(store, Rating.EQUAL, 2)
    with pytest.raises(UsageError, match="unknown measure 'nonsense'"):
        train_from_ratings(store, Wish(measures=("nonsense",)), now=NOW)
    with pytest.raises(UsageError, match="need 10 ratings of each kind"):
        train_from_ratings(store, Wish(measures=("canonical",)), now=NOW)


def test_a_subset_of_the_measures_can_be_trained_with(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 3)
    wanted = ("word_bag", "title", "main_cosine")
    trained = train_from_ratings(store, Wish(measures=wanted, kernel=Kernel.LINEAR, time_limit=5.0), now=NOW)
    assert json.loads(store.learning.model_body(trained.model.id))["measures"] == list(wanted)


def test_a_rating_counts_as_much_as_its_weight(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 3)
    store.learning.change_label(1, weight=0.5)
    store.learning.change_label(3, weight=0.0)
    rated, counts = _rated(store, ("title",))
    assert len(rated) == 2
    assert counts[0] == 0.5 * counts[1] > 0.0


def test_a_link_learns_from_its_own_ratings(store: Store, pairs: list[int]) -> None:
    """Its model judges it and nothing else; those of other links are not learnt from."""
    rate_all(store, Rating.EQUAL, 5)
    before = [says(store, link) for link in pairs]
    wish = Wish(link=pairs[0], kernel=Kernel.LINEAR, time_limit=1.0)
    trained = train_from_ratings(store, wish, now=NOW)
    assert (trained.model.examples, trained.model.settings["link"]) == (1, pairs[0])
    use_trained(store.learning, trained.model, link=pairs[0], now=NOW)
    after = [says(store, link) for link in pairs]
    assert after[0] > before[0]
    assert after[1:] == before[1:]
    assert store.learning.active_model() is None
    again = train_from_ratings(store, wish, now=NOW)
    assert again.model.parent == trained.model.id
    with pytest.raises(UsageError, match=f"no rating to learn from yet about link {pairs[5]}"):
        train_from_ratings(store, Wish(link=pairs[5]), now=NOW)


def test_a_person_learns_from_their_own_ratings(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 2)
    pair = store.learning.pairs_to_rate(rater="ada")[0]
    store.learning.add_label(NewLabel(old=pair.old, new=pair.new, verdict=Rating.DIFFERENT, rater="ada"), now=NOW)
    trained = [train_from_ratings(store, Wish(rater=who, time_limit=1.0), now=NOW) for who in (None, "", "ada")]
    assert [item.model.examples for item in trained] == [2, 2, 1]  # of two words on one pair the newest counts
    with pytest.raises(UsageError, match="no rating to learn from yet of eve"):
        train_from_ratings(store, Wish(rater="eve"), now=NOW)


def test_a_link_keeps_its_model_when_another_is_put_to_use(store: Store) -> None:
    models = ActiveModel(store.learning)
    bodies = [dump_model(replace(default_model(), slope=slope)) for slope in (2.0, 3.0)]
    first, second = (
        store.learning.add_model(
            NewModel(owner=owner, kernel="linear", measures=("title",), examples=1, body=body), now=NOW
        )
        for owner, body in zip(("", "ada"), bodies, strict=True)
    )
    store.learning.activate_model(first.id, now=NOW)
    store.learning.activate_model(second.id, owner="ada", now=NOW)
    judged_by = {text: models(ModelChoice.parse(text)).slope for text in ("everybody", "owner:ada", "owner:eve", "2")}
    assert judged_by == {"everybody": 2.0, "owner:ada": 3.0, "owner:eve": 2.0, "2": 3.0}
    assert models(ModelChoice.parse("shipped")) is models(ModelChoice(number=99)) is default_model()
    store.learning.activate_model(None, owner="ada", now=NOW)
    assert models(ModelChoice.parse("owner:ada")).slope == 2.0
    assert models(ModelChoice.parse("2")).slope == 3.0
    asked = ActiveModel(store.learning, "eve")  # who asks says how to judge, whatever was chosen for the link
    assert asked(ModelChoice(number=second.id)).slope == 2.0


def test_tuning_ends_with_the_round_in_which_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round takes 40 of 60 seconds: the second one is finished, no third is begun."""
    clock, lines = [0.0], list[str]()

    def tune(*_: object, **__: object) -> Setting:
        clock[0] += 40.0
        return Setting(kernel=Kernel.LINEAR)

    monkeypatch.setattr(learning, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(learning, "tune", tune)
    examples = learning._examples(("title",), np.zeros((2, 1)), np.array([True, False]), "rated", (frozenset(),) * 2)
    learning._tuned(examples, Kernel.LINEAR, random.Random(0), 60.0, lines.append)
    assert lines == ["tuning, round 1", "tuning, round 2"]


def test_measures_are_named_by_class_too(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 2)
    wanted = Wish(measures=("STRUCTURE", "title", "heading"), time_limit=1.0)
    trained = train_from_ratings(store, wanted, now=NOW)
    assert trained.model.measures == ("levenshtein_structure", "heading", "title")


def test_a_damaged_model_is_not_used(store: Store) -> None:
    kept = store.learning.add_model(
        NewModel(kernel="linear", measures=("title",), examples=1, body='{"format": "x"}'), now=NOW
    )
    store.learning.activate_model(kept.id, now=NOW)
    assert ActiveModel(store.learning)() is default_model()


def test_who_has_no_model_uses_everybodys(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 5)
    trained = train_from_ratings(store, Wish(time_limit=5.0), now=NOW)
    store.learning.activate_model(trained.model.id, now=NOW)
    assert ActiveModel(store.learning, "her")() is not default_model()
