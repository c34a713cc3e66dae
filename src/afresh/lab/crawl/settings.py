"""The settings of a simulated fetcher and of a test project.  [G20] App. C, Tables 13 to 15."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from afresh.base.errors import UsageError
from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder
from afresh.base.settings.frontier import NEED_LINKS
from afresh.lab.crawl.database import ExampleSettings

#: names App. E uses instead of App. C's
_ALIASES = {
    "parallel_processes": "parallel_process",
    "internal_vs_external_threshold": "int_vs_ext_threshold",
    "new_vs_existing_threshold": "new_vs_exist_threshold",
}
DISTRIBUTIONS = ("discrete", "linear_smaller", "power_law")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatorSettings:
    """How simulated fetchers behave; names and defaults of [G20] Table 14, with four of our own at the end."""

    crawling_speed_factor: float = 10.0  # crawl delays are divided by it
    default_crawl_delay: float = 10.0  # for sites that state none
    parallel_process: int = 4  # lists worked on at once
    parallel_fetcher: int = 1
    iterations: int = 1
    fqdn_amount: int = 30  # lists per iteration; 0: all
    url_amount: int = 0  # URLs per list; 0: all
    long_term_prio_mode: SiteOrder = SiteOrder.LARGE
    long_term_part_mode: Partitioning = Partitioning.NONE
    short_term_prio_mode: PageOrder = PageOrder.NEW
    min_links_per_page: int = 1
    max_links_per_page: int = 1
    lpp_distribution_type: str = "discrete"
    int_vs_ext_threshold: float = 1.0  # share of links within the site
    new_vs_exist_threshold: float = 1.0  # share of links that were unknown
    release_on_submit: bool = False  # [G20] §7.1.6: switched off in all tests
    pause: float = 0.0  # seconds between two iterations
    time_limit: float | None = None  # seconds; None: by iterations
    revisit_after: float | None = 1e12  # a visited page is due again so much later; None: by its estimated change rate

    def __post_init__(self) -> None:
        if self.lpp_distribution_type not in DISTRIBUTIONS:
            raise UsageError(f"lpp_distribution_type is one of {', '.join(DISTRIBUTIONS)}")
        if self.crawling_speed_factor <= 0.0 or self.parallel_process < 1 or self.parallel_fetcher < 0:
            raise UsageError("speed factor and processes must be positive, the number of fetchers not negative")
        if not 0 <= self.min_links_per_page <= self.max_links_per_page:
            raise UsageError("links per page: 0 <= min <= max")
        for name in ("int_vs_ext_threshold", "new_vs_exist_threshold"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise UsageError(f"{name} is a share between 0 and 1")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "SimulatorSettings":
        """From names and plain values, App. E's spellings too; a name nobody knows is refused."""
        named = {_ALIASES.get(name, name): value for name, value in values.items()}
        known = {item.name for item in fields(cls)}
        if unknown := sorted(set(named) - known):
            raise UsageError(
                f"no setting of a simulated fetcher is called {unknown[0]}; there are {', '.join(sorted(known))}"
            )
        enums: dict[str, Any] = {
            "long_term_prio_mode": SiteOrder,
            "long_term_part_mode": Partitioning,
            "short_term_prio_mode": PageOrder,
        }
        try:
            return cls(**{name: enums[name](value) if name in enums else value for name, value in named.items()})
        except ValueError as error:
            raise UsageError(str(error)) from error

    def plain(self) -> dict[str, Any]:
        """Names and plain values."""
        return {name: str(value) if isinstance(value, str) else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A test project: an example database, and settings of which some are lists; every permutation is a case."""

    name: str
    example: ExampleSettings = field(default_factory=ExampleSettings)
    base: SimulatorSettings = field(default_factory=SimulatorSettings)
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    repetition: int = 1
    change_interval: float | None = None  # seconds between changes of a middling page; None: pages do not change
    join_every: float | None = None  # seconds after which one more fetcher registers, which asks for nothing

    def cases(self) -> Iterator[tuple[int, SimulatorSettings]]:
        """Repetition and settings of each run: all permutations of the lists, each as often as asked."""
        names = [_ALIASES.get(name, name) for name in self.vary]
        for values in itertools.product(*self.vary.values()):
            settings = SimulatorSettings.of({**self.base.plain(), **dict(zip(names, values, strict=True))})
            for repetition in range(self.repetition):
                yield repetition, settings

    def varying(self) -> tuple[str, ...]:
        """The settings that take several values."""
        return tuple(_ALIASES.get(name, name) for name in self.vary)

    def needs_links(self) -> bool:
        """Whether some case says nothing without the link graph, which costs a third of a run."""
        modes = {
            mode.value
            for _, case in self.cases()
            for mode in (case.long_term_prio_mode, case.short_term_prio_mode, case.long_term_part_mode)
        }
        return bool(modes & NEED_LINKS)

    def scaled(self, scale: float) -> "Project":
        """The same with so many times the sites, and lists so many times as long; fetchers stay."""
        shrink = replace(self.example, fqdn_amount=max(1, round(self.example.fqdn_amount * scale)))
        lists = replace(self.base, fqdn_amount=max(1, round(self.base.fqdn_amount * scale)))
        return replace(self, example=shrink, base=lists)
