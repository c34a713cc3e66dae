"""The laws of ratings and models: a session counts when it is saved, one model an owner is in use."""

from afresh.base.errors import ResourceNotFound, UsageError
from afresh.base.protocols import Store
from afresh.base.records.labels import LabelNotFound, LabelOrigin, ModelNotFound, NewLabel, NewModel, Rating
from afresh.base.records.links import (
    EVERYBODYS,
    SHIPPED,
    Check,
    CheckRecord,
    CheckStatus,
    LinkState,
    ModelChoice,
    NewVersion,
    Usage,
    VersionNotFound,
)
from tests.laws.store_material import NOW, Open, feeds, laws_of, opened, raises


def compared(store: Store, probabilities: list[float]) -> list[tuple[int, int]]:
    """Links with a reference and a newer version each, compared with these results; the pairs of versions."""
    numbers = [added.id for added in store.add(feeds(len(probabilities)), now=NOW)]
    for number, probability in zip(numbers, probabilities, strict=True):
        for step in (0, 1):
            version = NewVersion(at=NOW + step, url=f"https://e.org/{number}", mark=bytes([number, step]), body=b"<p>x")
            check = Check(url="", at=NOW + step, status=CheckStatus.EQUAL, probability=probability if step else None)
            record = CheckRecord(
                resource=number, check=check, state=LinkState(), version=version, becomes_reference=step == 0
            )
            store.links.record_checks([record])
    return [(versions[1].id, versions[0].id) for versions in (store.links.versions(number) for number in numbers)]


def model_of(owner: str = "", parent: int | None = None) -> NewModel:
    return NewModel(
        owner=owner, parent=parent, kernel="linear", measures=("a", "b"), examples=3, figures={"f": 0.5}, body="{}"
    )


def the_most_doubtful_pair_is_offered_first_and_once(open_store: Open) -> None:
    with opened(open_store) as store:
        pairs = compared(store, [0.99, 0.52, 0.2])
        offered = store.learning.pairs_to_rate()
        assert [(pair.old, pair.new) for pair in offered] == [pairs[1], pairs[2], pairs[0]]
        first = offered[0]
        label = store.learning.add_label(
            NewLabel(old=first.old, new=first.new, verdict=Rating.EQUAL, check=first.check), now=NOW
        )
        assert (label.verdict, label.origin, label.weight, label.is_example) == (
            Rating.EQUAL,
            LabelOrigin.RATING,
            1.0,
            True,
        )
        assert [(pair.old, pair.new) for pair in store.learning.pairs_to_rate()] == [pairs[2], pairs[0]]
        assert len(store.learning.pairs_to_rate(rater="another")) == 3
        assert raises(
            VersionNotFound, store.learning.add_label, NewLabel(old=first.old, new=999, verdict=Rating.SKIP), now=NOW
        )


def a_session_counts_when_it_is_saved(open_store: Open) -> None:
    with opened(open_store) as store:
        pairs = compared(store, [0.4, 0.6])
        for (old, new), session in zip(pairs, ("mine", "other"), strict=True):
            store.learning.add_label(NewLabel(old=old, new=new, verdict=Rating.DIFFERENT, session=session), now=NOW)
        assert store.learning.label_counts()["examples"] == 0
        assert not any(label.is_example for label in store.learning.labels())
        assert store.learning.end_session("mine", saves=True) == 1
        assert store.learning.end_session("other", saves=False) == 1
        assert store.learning.end_session("nobody", saves=True) == 0
        assert [label.is_example for label in store.learning.labels()] == [True]
        assert store.learning.label_counts() == {"equal": 0, "different": 1, "unknown": 0, "skip": 0, "examples": 1}


def a_devalued_rating_is_no_example(open_store: Open) -> None:
    with opened(open_store) as store:
        [(old, new)] = compared(store, [0.4])
        label = store.learning.add_label(NewLabel(old=old, new=new, verdict=Rating.EQUAL), now=NOW)
        assert not store.learning.change_label(label.id, weight=0.0).is_example
        assert store.learning.change_label(label.id, weight=2.0, verdict=Rating.DIFFERENT).verdict is Rating.DIFFERENT
        assert raises(UsageError, store.learning.change_label, label.id, weight=-1.0)
        assert raises(LabelNotFound, store.learning.change_label, 999, weight=1.0)
        store.learning.remove_label(label.id)
        assert raises(LabelNotFound, store.learning.label, label.id)
        assert raises(LabelNotFound, store.learning.remove_label, label.id)


def the_pages_of_an_example_stay_as_long_as_it(open_store: Open) -> None:
    with opened(open_store) as store:
        pages = [NewVersion(at=NOW, url=f"https://e.org/{n}", mark=bytes([n]), body=b"<p>x") for n in range(3)]
        shared, first, second = (store.links.add_version(None, page) for page in pages)
        [(old, _)] = compared(store, [0.4])
        one = store.learning.add_label(NewLabel(old=shared, new=first, verdict=Rating.EQUAL), now=NOW)
        store.learning.add_label(NewLabel(old=shared, new=second, verdict=Rating.EQUAL, session="mine"), now=NOW)
        other = store.learning.add_label(NewLabel(old=old, new=shared, verdict=Rating.EQUAL), now=NOW)
        store.learning.remove_label(one.id)
        assert raises(VersionNotFound, store.links.version, first)
        assert store.learning.end_session("mine", saves=False) == 1
        assert raises(VersionNotFound, store.links.version, second)
        assert store.links.version(shared).id == shared
        store.learning.remove_label(other.id)
        assert raises(VersionNotFound, store.links.version, shared)
        assert store.links.version(old).id == old  # a link's own


def at_most_one_model_of_an_owner_is_in_use(open_store: Open) -> None:
    with opened(open_store) as store:
        assert store.learning.active_model() is None
        first = store.learning.add_model(model_of(), now=NOW)
        second = store.learning.add_model(model_of(parent=first.id), now=NOW)
        hers = store.learning.add_model(model_of("her"), now=NOW)
        assert (first.version, second.version, hers.version, second.parent) == (1, 2, 1, first.id)
        store.learning.activate_model(first.id, now=NOW + 1)
        store.learning.activate_model(hers.id, owner="her", now=NOW + 1)
        store.learning.activate_model(second.id, now=NOW + 2)
        assert [(model.id, model.is_active) for model in store.learning.models()] == [
            (hers.id, True),
            (second.id, True),
            (first.id, False),
        ]
        assert raises(ModelNotFound, store.learning.activate_model, hers.id, now=NOW)  # not everybody's
        active = store.learning.active_model()
        assert active is not None
        assert (active.id, active.activated, active.measures, active.figures) == (
            second.id,
            NOW + 2,
            ("a", "b"),
            {"f": 0.5},
        )
        store.learning.activate_model(None, now=NOW + 3)
        assert store.learning.active_model() is None
        assert store.learning.model_body(first.id) == "{}"
        assert raises(ModelNotFound, store.learning.model, 999)


def a_link_keeps_the_model_that_was_chosen_for_it(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = (added.id for added in store.add(feeds(2), now=NOW))
        kept = store.learning.add_model(model_of("her"), now=NOW)
        assert store.links.link(first).model == EVERYBODYS
        for choice in (ModelChoice(owner="Ada: ü"), ModelChoice(number=kept.id), ModelChoice(number=SHIPPED)):
            store.learning.choose_model(first, choice)
            assert [link.model for link in (store.links.link(first), store.links.link(second))] == [choice, EVERYBODYS]
        store.links.set_usage(first, Usage.ATTRIBUTIVE)  # what is said of a link otherwise changes nothing about it
        assert [link.model for link in store.links.list_links()] == [ModelChoice(number=SHIPPED)]
        assert raises(ModelNotFound, store.learning.choose_model, first, ModelChoice(number=kept.id + 1))
        assert raises(ResourceNotFound, store.learning.choose_model, 999, EVERYBODYS)
        assert store.links.link(first).model == ModelChoice(number=SHIPPED)
        store.learning.choose_model(first, EVERYBODYS)
        assert store.links.link(first).model == EVERYBODYS


def a_choice_goes_with_its_link(open_store: Open) -> None:
    with opened(open_store) as store:
        first, second = (added.id for added in store.add(feeds(2), now=NOW))
        store.put_setting("link_models", "another's")
        for number in (first, second):
            store.learning.choose_model(number, ModelChoice(owner="ada"))
        store.remove([first])
        store.learning.choose_model(second, ModelChoice(owner="eve"))
        assert store.get_setting(f"link_model/{first}") is None
        assert store.get_setting("link_models") == "another's"
        assert store.links.link(second).model == ModelChoice(owner="eve")


LAWS = laws_of(globals())
