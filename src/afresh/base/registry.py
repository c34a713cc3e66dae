"""Catalogues of algorithms by name: ours, and those that other installed packages add by entry points.

    RULES = Registry("rule", {"fix": "fix:Fix"}, package="afresh.feeds.rules", group="afresh.rules")
    RULES.find("fix")                                   the class, its module imported now
    POLICIES.make("optimal:objective=age,floor=1e-7")   an object of the class, parameters behind a colon

Another package names its own in its pyproject.toml, and every command that knows the catalogue knows them:

    [project.entry-points."afresh.rules"]
    last_gap = "afresh_last_gap:LastGap"

Entry points are looked for when a name is not one of ours, or when all names are listed: a start waits for neither.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from afresh.base.errors import ModelError
from afresh.base.lazy import attribute

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def read_spec(spec: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters of "name:key=value,key=value".

    >>> read_spec("mavsync: kappa=5s, ttl=lower")
    ('mavsync', {'kappa': '5s', 'ttl': 'lower'})
    """
    name, _, text = (part.strip() for part in spec.partition(":"))
    given = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = (p.strip() for p in part.partition("="))
        if not equals or not value:
            raise ModelError(f"{name}: {part!r} is not a parameter; write it like {name}:key=value,key=value")
        given[key] = value
    return name, given


class Registry(Generic[T]):
    """Names of one kind of thing, each with the place where it stands; loaded when it is first asked for."""

    def __init__(
        self,
        noun: str,
        places: Mapping[str, str | T],
        *,
        package: str = "",
        group: str = "",
        base: type = object,
        listing: str = "",
    ) -> None:
        """``places``: name -> "module:attribute", the modules below ``package``; or the thing itself.

        ``group``: of entry points; ``base``: what a class of another package must be derived from; ``listing``: the
        command that shows all names, where they are too many to be told with a mistake.
        """
        self._noun, self._places, self._group, self._base, self._listing = noun, places, group, base, listing
        self._below = f"{package}." if package else ""

    def __contains__(self, name: str) -> bool:
        return name in self._places or name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> tuple[str, ...]:
        """All names: ours in their order, then those of other packages."""
        return (*self._places, *sorted(self._plugins))

    def find(self, name: str) -> T:
        """What is registered under a name; ModelError names the nearest, and those there are or who lists them."""
        self.check(name)
        if name not in self._places:
            return self._load(self._plugins[name])
        place = self._places[name]
        return cast("T", attribute(self._below + place) if isinstance(place, str) else place)

    def check(self, name: str) -> None:
        """ModelError unless there is such a name; nothing is loaded."""
        if name in self:
            return
        import difflib  # noqa: PLC0415 (where a name is wrong)

        near = difflib.get_close_matches(name, self.names(), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        rest = f"`{self._listing}` names all" if self._listing else f"there are {', '.join(self.names())}"
        raise ModelError(f"unknown {self._noun} {name!r}; {hint}{rest}")

    def make(self, spec: str, **given: Any) -> Any:
        """What the class or function of that name makes of the parameters: numbers where they look like numbers."""
        name, texts = read_spec(spec)
        made = cast("Any", self.find(name))
        try:
            return made(**given, **{key: _number_or_text(text) for key, text in texts.items()})
        except TypeError as error:
            raise ModelError(f"{spec!r}: {error}") from error

    @cached_property
    def _plugins(self) -> "Mapping[str, EntryPoint]":
        found = attribute("importlib.metadata:entry_points")(group=self._group) if self._group else ()
        return {entry.name: entry for entry in found if entry.name not in self._places}

    def _load(self, entry: "EntryPoint") -> T:
        what = f"{self._noun} {entry.name!r} of {entry.dist.name if entry.dist else entry.value}"
        try:
            found = entry.load()
        except Exception as error:  # somebody else's package: whatever it raises is named with its origin
            raise ModelError(f"{what} cannot be loaded: {error!r}") from error
        if self._base is not object and not (isinstance(found, type) and issubclass(found, self._base)):
            raise ModelError(f"{what} must be a class derived from {self._base.__module__}.{self._base.__name__}")
        return cast("T", found)


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
