"""Disagree, train, and see the verdict change; and never be worse off for a damaged model."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from afresh.app.links import compare_versions
from afresh.app.models import ActiveModel
from afresh.core.links.learning import NewLabel, NewModel, Rating
from afresh.core.protocols import Store
from afresh.core.verdicts import Kernel, default_model
from afresh.errors import UsageError
from afresh.lab.verdicts.learning import Wish, _rated, train_from_ratings
from afresh.store import open_store
from tests.fakes.saved_links import NOW, page_body, watched


def says(store: Store, link: int) -> float:
    return compare_versions(store, link, model=ActiveModel(store)()).verdict.probability


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
    for pair in store.pairs_to_rate(limit=count):
        store.add_label(NewLabel(old=pair.old, new=pair.new, verdict=verdict, check=pair.check), now=NOW)


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
    store.activate_model(trained.model.id, now=NOW)
    after = says(store, pairs[5])
    assert (after > before) == (verdict is Rating.EQUAL)
    assert trained.is_better
    store.activate_model(None, now=NOW)
    assert says(store, pairs[5]) == before


def test_what_was_known_is_not_forgotten(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.DIFFERENT, 5)
    body = page_body(50, site=50)
    same = watched(store, 50, body, body.replace(b"</body>", b"<p>One more line.</p></body>"))
    trained = train_from_ratings(store, Wish(time_limit=5.0), now=NOW)
    store.activate_model(trained.model.id, now=NOW)
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
    assert json.loads(store.model_body(trained.model.id))["measures"] == list(wanted)


def test_a_rating_counts_as_much_as_its_weight(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 3)
    store.change_label(1, weight=0.5)
    store.change_label(3, weight=0.0)
    rated, counts = _rated(store, ("title",))
    assert len(rated) == 2
    assert counts[0] == 0.5 * counts[1] > 0.0


def test_a_damaged_model_is_not_used(store: Store) -> None:
    kept = store.add_model(NewModel(kernel="linear", measures=("title",), examples=1, body='{"format": "x"}'), now=NOW)
    store.activate_model(kept.id, now=NOW)
    assert ActiveModel(store)() is default_model()


def test_who_has_no_model_uses_everybodys(store: Store, pairs: list[int]) -> None:
    rate_all(store, Rating.EQUAL, 5)
    trained = train_from_ratings(store, Wish(time_limit=5.0), now=NOW)
    store.activate_model(trained.model.id, now=NOW)
    assert ActiveModel(store, "her")() is not default_model()
