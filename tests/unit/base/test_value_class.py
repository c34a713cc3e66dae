"""Classes made quickly do what those of the standard library do, in every way that is used."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, InitVar, field, fields, replace
from typing import Any, ClassVar

import pytest

from afresh.base import value_class


def _point(make: Callable[..., Any], **options: Any) -> Any:
    class Point:
        """Where."""

        zero: ClassVar[int] = 0
        x: float
        y: float = 2.0
        names: list[str] = field(default_factory=list, hash=False)
        secret: str = field(default="s", repr=False)
        seen: int = field(default=0, compare=False)
        total: float = field(init=False, default=0.0)
        parts: dict[str, int] = field(init=False, default_factory=dict, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.x + self.y)

    return make(frozen=True, slots=True, **options)(Point)


_POINTS = {
    (kind, way): _point(make, **options)
    for kind, make in (("library", dataclasses.dataclass), ("ours", value_class.dataclass))
    for way, options in (("", {}), ("kw_only", {"kw_only": True}))
}
Point = _POINTS["ours", ""]
Point.__qualname__ = "Point"  # so that it can be pickled


@value_class.dataclass(frozen=True, slots=True)
class Alone:
    value: float


@value_class.dataclass(frozen=True, slots=True)
class Nothing:
    """Without fields."""


@pytest.fixture(params=[*_POINTS], ids=lambda key: " ".join(key).strip())
def made(request: pytest.FixtureRequest) -> Any:
    return _POINTS[request.param]


def test_is_made_quickly() -> None:
    """Else this file would compare the library with itself."""
    assert "__dataclass_names__" in Point.__dict__
    assert "__dataclass_names__" not in _POINTS["library", ""].__dict__


def test_holds_what_it_was_given(made: Any) -> None:
    one = made(x=1.0, names=["a"])
    assert (one.x, one.y, one.names, one.secret, one.seen, one.total, one.parts) == (1.0, 2.0, ["a"], "s", 0, 3.0, {})
    assert made(x=1.0).names is not made(x=1.0).names
    assert [entry.name for entry in fields(one)] == ["x", "y", "names", "secret", "seen", "total", "parts"]
    assert made.__match_args__ == _POINTS["library", "" if made.__match_args__ else "kw_only"].__match_args__


def test_is_called_as_the_library_would_have_it(made: Any) -> None:
    """Whether or not a value of it was made before."""
    way = "kw_only" if made in (_POINTS["ours", "kw_only"], _POINTS["library", "kw_only"]) else ""
    like = _POINTS["library", way]
    assert [*inspect.signature(made).parameters] == [*inspect.signature(like).parameters]
    assert made.__init__.__qualname__.endswith("Point.__init__")

    @value_class.dataclass(frozen=True, slots=True)
    class Fresh:
        value: float

    class Below(Fresh):
        pass

    assert Below(2.0).value == 2.0
    assert Fresh(1.0).value == 1.0


def test_refuses_what_it_does_not_know(made: Any) -> None:
    for given in ({}, {"x": 1.0, "z": 1}, {"x": 1.0, "total": 1.0}):
        with pytest.raises(TypeError, match="__init__"):
            made(**given)


def test_takes_values_in_order_unless_told_otherwise() -> None:
    assert Point(1.0, 3.0).y == 3.0
    with pytest.raises(TypeError, match="positional"):
        _POINTS["ours", "kw_only"](1.0, 3.0)


def test_is_shown_alike() -> None:
    assert len({repr(point(x=1.0)).rpartition("Point")[2] for point in _POINTS.values()}) == 1
    assert repr(Alone(1.0)) == "Alone(value=1.0)"
    assert repr(Nothing()) == "Nothing()"


def test_equal_values_are_equal(made: Any) -> None:
    one = made(x=1.0, names=["a"], seen=1)
    assert one == made(x=1.0, names=["a"], seen=2)
    assert hash(one) == hash(made(x=1.0, names=["b"], seen=3))
    assert one != made(x=1.0, names=["b"])
    assert one != made(x=2.0, names=["a"])
    assert one.__eq__((1.0, 2.0)) is NotImplemented
    not_a_number = float("nan")
    assert Alone(not_a_number) == Alone(not_a_number)  # the same one, as in a tuple
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert Alone(1.0) != Nothing()


def test_nothing_of_it_is_changed(made: Any) -> None:
    one = made(x=1.0)
    for name in ("x", "total"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 5)
        with pytest.raises(FrozenInstanceError):
            delattr(one, name)
    assert replace(one, x=5.0).total == 7.0
    assert dataclasses.asdict(one)["names"] == []
    assert not hasattr(one, "__dict__")


def test_is_copied_and_pickled() -> None:
    one = Point(x=1.0, names=["a"], seen=4)
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (other, other.seen) == (one, 4)


@pytest.mark.parametrize("make", [dataclasses.dataclass, value_class.dataclass], ids=["library", "ours"])
def test_is_inherited_from(make: Callable[..., Any]) -> None:
    @make(frozen=True, slots=True)
    class Further(Alone):
        more: int = 1

    assert repr(Further(2.0)).endswith("Further(value=2.0, more=1)")
    assert Further(2.0) == Further(2.0, 1)
    with pytest.raises(FrozenInstanceError):
        Further(2.0).more = 3  # type: ignore[misc]


def test_what_is_not_plain_is_made_by_the_library() -> None:
    @value_class.dataclass(frozen=True, slots=True)
    class Told:
        value: int
        start: InitVar[int]

        def __post_init__(self, start: int) -> None:
            object.__setattr__(self, "value", self.value + start)

    @value_class.dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        value: int

    @value_class.dataclass
    class Open:
        value: int

    @value_class.dataclass(frozen=True, slots=True)
    class Own:
        value: int

        def __repr__(self) -> str:
            return "own"

    assert Told(1, 2).value == 3
    assert Ordered(1) < Ordered(2)
    assert repr(Own(1)) == "own"
    Open(1).value = 2
    for one in (Told, Ordered, Open, Own):
        assert "__dataclass_names__" not in one.__dict__


@value_class.dataclass(frozen=True, slots=True)
class Place:
    x: float
    y: float = field(default=2.0, kw_only=True)
    names: list[str] = field(default_factory=list)
    seen: int = field(init=False, default=0)


def test_a_maker_makes_what_calling_the_class_does() -> None:
    make = value_class.maker(Place)
    assert make(1.0, ["a"], y=3.0) == Place(1.0, ["a"], y=3.0)
    one = make(x=1.0)
    assert type(one) is Place
    assert repr(one) == "Place(x=1.0, y=2.0, names=[], seen=0)"
    assert one.names is not make(1.0).names
    with pytest.raises(FrozenInstanceError):
        one.x = 2.0  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required"):
        make()  # type: ignore[call-arg]


def test_a_class_with_more_to_do_makes_its_own() -> None:
    @value_class.dataclass(frozen=True, slots=True)
    class Further(Alone):
        more: int = 1

    assert value_class.maker(Further) is Further
    assert value_class.maker(Point)(1.0).total == 3.0


def test_a_record_is_made_of_what_others_have() -> None:
    """The first that has a field gives it, what is told wins, and what nobody says is as usual."""

    @value_class.dataclass(frozen=True, slots=True, kw_only=True)
    class Wanted:
        name: str
        x: float
        y: float = 7.0
        note: str = "usual"

    @value_class.dataclass(frozen=True, slots=True)
    class Place:
        x: float
        y: float

    @value_class.dataclass(frozen=True, slots=True)
    class Named:
        name: str
        y: float

    for _ in range(2):  # planned, and by the plan
        made = value_class.alike(Wanted, Place(1.0, 2.0), Named("a", 3.0))
        assert made == Wanted(name="a", x=1.0, y=2.0, note="usual")
        assert value_class.alike(Wanted, Named("b", 3.0), x=5.0, y=6.0) == Wanted(name="b", x=5.0, y=6.0)
    assert value_class.same_fields(Wanted, Place(1.0, 2.0)) == {"x": 1.0, "y": 2.0}
    with pytest.raises(TypeError, match="'name'"):
        value_class.alike(Wanted, Place(1.0, 2.0))
