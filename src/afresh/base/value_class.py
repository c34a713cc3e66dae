"""``dataclass`` as the standard library has it, made in a quarter of the time where it is frozen and slotted.

The library writes and compiles six functions a class, up to a millisecond altogether; a check of one link loads 117
classes and spent a third of its start with them. Here one is compiled, ``__init__``, and that for the first value of
its class, which most never have; the other five are shared by all classes, and say the same. Whatever is not plain (a
base with fields, methods of its own in their place, ``InitVar``) is made by the library.

    from afresh.base.value_class import dataclass

Of some classes a file makes hundreds of thousands: ``maker`` gives a function that makes them in a third of the time.
What is mostly a part of something else is made by ``alike``, which takes the fields of the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["alike", "dataclass", "maker", "same_fields"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")

    def maker(cls: Callable[P, T], /) -> Callable[P, T]:
        """A function that makes instances of a frozen class as calling it does, in a third of the time."""

    def alike(kind: Callable[..., T], /, *sources: object, **told: object) -> T:
        """A record of what others have: each field as told here, else from the first of them that has it."""

    def same_fields(kind: Any, /, *sources: object) -> dict[str, Any]:
        """The fields of a class by name, each from the first of these that has it; not those that none has."""
else:
    import dataclasses
    from dataclasses import MISSING, FrozenInstanceError
    from functools import partial
    from inspect import get_annotations
    from operator import attrgetter
    from reprlib import recursive_repr

    _OWN = frozenset(
        ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__", "__setstate__")
    )

    def dataclass(cls=None, /, **options):
        """As ``dataclasses.dataclass``, which takes the same options."""
        return partial(_made, **options) if cls is None else _made(cls, **options)

    def _made(cls, *, frozen=False, slots=False, kw_only=False, **others):
        ordinary = {"frozen": frozen, "slots": slots, "kw_only": kw_only, **others}
        is_plain = frozen and slots and not others and _OWN.isdisjoint(cls.__dict__)
        if not is_plain or any("__dataclass_fields__" in base.__dict__ for base in cls.__mro__[1:]):
            return dataclasses.dataclass(cls, **ordinary)
        if any("InitVar" in str(hint) for hint in get_annotations(cls).values()):
            return dataclasses.dataclass(cls, **ordinary)
        cls = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
        cls.__dataclass_params__ = _Frozen.__dataclass_params__  # for whoever makes a class that inherits from it
        known = dataclasses.fields(cls)
        cls.__dataclass_names__ = tuple(field.name for field in known)
        cls.__dataclass_shown__ = tuple(field.name for field in known if field.repr)
        cls.__dataclass_compared__ = _values([field.name for field in known if field.compare])
        hashed = [field.name for field in known if (field.compare if field.hash is None else field.hash)]
        cls.__dataclass_hashed__ = _values(hashed)
        cls.__init__ = _InitToCome(cls)
        for method in _SHARED:
            setattr(cls, method.__name__, method)
        return cls

    class _InitToCome:
        """The ``__init__`` of a class until somebody asks for it: then it is made, and takes this place."""

        __slots__ = ("_of",)

        def __init__(self, of):
            self._of = of

        def __get__(self, one, cls=None):
            made = self._of.__init__ = _init_of(self._of)
            return made.__get__(one, cls)

    def _init_of(cls):
        """Writes to the slots directly, which nobody else does."""
        known = dataclasses.fields(cls)
        setters = {f"_set_{field.name}": getattr(cls, field.name).__set__ for field in known}
        ends = [" self.__post_init__()"] if hasattr(cls, "__post_init__") else []
        made = _compiled(cls, known, "__init__", ["self"], " _set_{0}(self, {1})", setters, ends)
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        made.__annotations__ = {field.name: field.type for field in known if field.init} | {"return": None}
        return made

    def maker(cls):
        """A function that makes instances of a frozen class as calling it does, in a third of the time.

        Until it is whole an instance is of another class with the same slots, which Python fills quickly because they
        can be changed.
        """
        if cls.__bases__ != (object,) or hasattr(cls, "__post_init__"):
            return cls  # there are slots of others, or there is more to do
        known = dataclasses.fields(cls)
        changeable = type(cls.__name__, (), {"__slots__": tuple(field.name for field in known)})
        names = {"_new": object.__new__, "_changeable": changeable, "_whole": cls}
        ends = [" self.__class__ = _whole", " return self"]
        return _compiled(cls, known, "make", [], " self.{0} = {1}", names, ends, begin=[" self = _new(_changeable)"])

    def alike(kind, /, *sources, **told):
        """A record of what others have: each field as told here, else from the first of them that has it."""
        return kind(**{**same_fields(kind, *sources), **told})

    def same_fields(kind, /, *sources):
        """The fields of a class by name, each from the first of these that has it; not those that none has."""
        key = (kind, *map(type, sources))
        plan = _same.get(key)
        if plan is None:
            plan = _same[key] = _shared_names(kind, sources)
        found = {}
        for source, (names, read) in zip(sources, plan, strict=True):
            found.update(zip(names, read(source), strict=False))  # one name is read twice
        return found

    _same = {}

    def _shared_names(kind, sources):
        """Of each source the names that it gives, and what reads them."""
        # msgspec's and a named tuple's, else a dataclass
        named = getattr(kind, "__struct_fields__", None) or getattr(kind, "_fields", None)
        left = named or [field.name for field in dataclasses.fields(kind)]
        plan = []
        for source in sources:
            names = [name for name in left if hasattr(source, name)]
            left = [name for name in left if name not in names]
            plan.append((names, _values(names)))
        return plan

    def _compiled(cls, known, title, first, step, names, ends, begin=()):
        """A function that takes the fields of a class as arguments and does a step with each."""
        names, given, given_by_name, steps = {"__name__": cls.__module__, **names}, [], [], list(begin)
        for field in known:
            name, value = field.name, field.name
            if field.default_factory is not MISSING:
                names[f"_make_{name}"] = field.default_factory
                names[f"_none_{name}"] = MISSING
                value = f"_make_{name}() if {name} is _none_{name} else {name}" if field.init else f"_make_{name}()"
                written = f"{name}=_none_{name}"
            elif field.default is not MISSING:
                names[f"_default_{name}"] = field.default
                value = name if field.init else f"_default_{name}"
                written = f"{name}=_default_{name}"
            elif field.init:
                written = name
            else:
                continue
            steps.append(step.format(name, value))
            if field.init:
                (given_by_name if field.kw_only else given).append(written)
        heading = ", ".join([*first, *given, *(["*", *given_by_name] if given_by_name else [])])
        exec(f"def {title}({heading}):\n" + ("\n".join([*steps, *ends]) or " pass"), names)  # noqa: S102 (as the library)
        return names[title]

    def _values(names):
        """Tells the values of these fields, as a tuple: of one field its value twice."""
        return attrgetter(*names, *names[:1]) if names else attrgetter("__class__")

    # --- what all classes share ---------------------------------------------------------------------------------------

    @recursive_repr()
    def _repr(self):
        told = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__dataclass_shown__])
        return f"{self.__class__.__qualname__}({told})"

    def _eq(self, other):
        if other.__class__ is self.__class__:
            compared = self.__dataclass_compared__
            return compared(self) == compared(other)
        return NotImplemented

    def _hash(self):
        return hash(self.__dataclass_hashed__(self))

    def _setattr(self, name, value):  # noqa: ARG001 (nobody may)
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _delattr(self, name):  # noqa: ARG001
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _getstate(self):
        return [getattr(self, name) for name in self.__dataclass_names__]

    def _setstate(self, state):
        for name, value in zip(self.__dataclass_names__, state, strict=True):
            object.__setattr__(self, name, value)

    _SHARED = (_repr, _eq, _hash, _setattr, _delattr, _getstate, _setstate)
    for _method in _SHARED:
        _method.__name__ = f"__{_method.__name__.strip('_')}__"

    @dataclasses.dataclass(frozen=True, slots=True)
    class _Frozen:
        """Made by the library."""
