"""All settings in one frozen value: a section for each concern, with names, types and defaults."""

from dataclasses import field

from afresh.base.passwords import hide_password
from afresh.base.records.hygiene import Hygiene
from afresh.base.settings.fetching import BrowserSettings, FetchSettings
from afresh.base.settings.watching import (
    BudgetSettings,
    ErrorSettings,
    KeepSettings,
    LinkSettings,
    LoopSettings,
    NoticeSettings,
    PageSettings,
    PolitenessSettings,
    PredictSettings,
    PushSettings,
    RefreshSettings,
    RevisitSettings,
    SinkSettings,
    WatchSettings,
)
from afresh.base.value_class import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """Where everything is kept."""

    url: str = "afresh.db"

    @property
    def shown(self) -> str:
        """The URL as anybody may see it."""
        return hide_password(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """The door for browsers and programs."""

    host: str = "127.0.0.1"
    port: int = 8080
    tokens: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    passwords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """What the daemon says while it runs."""

    level: str = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierOptions:
    """How a frontier is run; read at start."""

    url: str = "frontier.db"
    workers: int = 1
    join_tokens: tuple[str, ...] = ()
    public_url: str = ""
    allow_private: bool = False
    keep_keys: float = 86_400.0
    links: bool = False
    rank_every: float = 3_600.0
    places: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSettings:
    """How the frontier is offered to crawlers that speak URLFrontier's gRPC."""

    listen: str = ""  # empty: not at all
    certificate: str = ""
    private_key: str = ""
    open: bool = False
    schedule_known: str = "client"
    content_key: str = "signature"

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0].strip("[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All sections; frozen, so whoever holds it knows it will not change."""

    store: StoreSettings = field(default_factory=StoreSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    browser: BrowserSettings = field(default_factory=BrowserSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    predict: PredictSettings = field(default_factory=PredictSettings)
    revisit: RevisitSettings = field(default_factory=RevisitSettings)
    pages: PageSettings = field(default_factory=PageSettings)
    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    keep: KeepSettings = field(default_factory=KeepSettings)
    links: LinkSettings = field(default_factory=LinkSettings)
    loop: LoopSettings = field(default_factory=LoopSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    notices: NoticeSettings = field(default_factory=NoticeSettings)
    push: PushSettings = field(default_factory=PushSettings)
    sinks: SinkSettings = field(default_factory=SinkSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    frontier: FrontierOptions = field(default_factory=FrontierOptions)
    grpc: GrpcSettings = field(default_factory=GrpcSettings)
    hygiene: Hygiene = field(default_factory=Hygiene)
    log: LogSettings = field(default_factory=LogSettings)

    @property
    def watch(self) -> WatchSettings:
        return WatchSettings(
            predict=self.predict,
            revisit=self.revisit,
            pages=self.pages,
            refresh=self.refresh,
            politeness=self.politeness,
            errors=self.errors,
            keep=self.keep,
            loop=self.loop,
            budget=self.budget,
        )
