"""What a measurement of the frontier is asked to be."""

from dataclasses import dataclass

from afresh.base.errors import UsageError
from afresh.base.records.frontier import PageOrder, Partitioning, SiteOrder
from afresh.base.settings.frontier import NEED_LINKS, NEED_RANKS


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """Sizes and lengths; a delay is virtual: fetchers report at once, the site rests for urls x delay."""

    store: str = "sqlite"  # "sqlite", "postgresql" (one of our own), a file or postgresql://…
    sites: int = 20_000
    urls: int = 1_000_000
    fetchers: int = 56
    sites_per_list: int = 50
    urls_per_site: int = 10
    delay: float = 0.1
    links: int = 0  # of every result; one in five is new
    seconds: float = 30.0
    plain_seconds: float = 5.0  # of the same work in plain SQLite, for comparison
    kill_every: float | None = None
    revisit_after: float = 1.0
    site_order: str = "due"
    page_order: str = "due"
    partitioning: str = "none"
    workers: int = 0  # scheduler processes; 0: one for SQLite, two for PostgreSQL
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("sites", "urls", "fetchers", "sites_per_list", "urls_per_site"):
            if getattr(self, name) < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be at least 1")
        if self.urls < self.sites:
            raise UsageError("--urls must not be smaller than --sites: every site has a page")
        if self.delay < 0 or self.links < 0 or self.seconds <= 0:
            raise UsageError("--delay and --links cannot be negative, --for must be positive")
        for name, kind in (("site_order", SiteOrder), ("page_order", PageOrder), ("partitioning", Partitioning)):
            if getattr(self, name) not in {"all", *kind}:
                raise UsageError(f"--{name.replace('_', '-')} is one of: all, {', '.join(kind)}")
        if self.kill_every is not None and self.kill_every <= 0:
            raise UsageError("--kill-every must be positive")

    @property
    def modes(self) -> tuple[tuple[str, ...], ...]:
        """Site orders, page orders and partitionings to ask for; "all" is every one there is, in turn."""
        given = ((self.site_order, SiteOrder), (self.page_order, PageOrder), (self.partitioning, Partitioning))
        return tuple(tuple(map(str, kind)) if name == "all" else (str(kind(name)),) for name, kind in given)

    @property
    def needs_links(self) -> bool:
        """Whether some of these strategies say nothing without the link graph or a table of places."""
        return bool(
            (NEED_LINKS | NEED_RANKS | {Partitioning.GEOGRAPHIC}) & {name for names in self.modes for name in names}
        )

    @property
    def set_order(self) -> str:
        """The order that the frontier is told to keep ready."""
        return "due" if self.site_order == "all" else self.site_order

    @property
    def is_postgres(self) -> bool:
        return self.store.startswith("postgres")

    @property
    def processes(self) -> int:
        return self.workers or (2 if self.is_postgres else 1)

    @property
    def reservation(self) -> float:
        """Long enough for any answer; short where killed processes leave reservations that nobody knows of."""
        return 600.0 if self.kill_every is None else max(10.0, 2 * self.kill_every)
