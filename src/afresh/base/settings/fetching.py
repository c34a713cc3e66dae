"""How the fetcher behaves: limits, identity, and which addresses it may reach."""

from ipaddress import ip_network

from afresh import __version__
from afresh.base.errors import ConfigError
from afresh.base.value_class import dataclass

#: Who we are and where a webmaster reads what we do and how to stop us.
USER_AGENT = f"afresh/{__version__} (+https://afresh.readthedocs.io/bot)"

#: What the demo and the tests pass as ``allowed_networks`` to reach their own servers.
LOOPBACK = ("127.0.0.0/8", "::1/128")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSettings:
    """Limits of one request and of the client as a whole; seconds and bytes.

    The size and the total time are those of Reichert §3.5.6 (1 MB, 3 minutes).
    """

    user_agent: str = USER_AGENT
    max_bytes: int = 1_000_000  # of a body on the wire
    max_decoded_bytes: int = 8_000_000  # of a body after decompression: feeds shrink to a fifth, bombs to a thousandth
    max_header_bytes: int = 32_768  # of one header line; content security policies outgrow the usual 8 kB
    max_headers: int = 128
    connect_timeout: float = 20.0  # name resolution, connection and TLS handshake together
    read_timeout: float = 60.0  # silence between two pieces of an answer
    total_timeout: float = 180.0  # all hops of a request together
    max_redirects: int = 10
    allow_private: bool = False  # True: the address guard is off
    allowed_networks: tuple[str, ...] = ()  # exceptions from the guard, in CIDR notation
    no_cache: bool = False  # ask caches on the way for a fresh copy with every request (Reichert §2.5.8)
    concurrency: int = 64  # requests in flight; one at a time to a site is the business of the gate
    # Idle connections are kept that long: less than the 5 s after which common servers close theirs, for a request on a
    # connection just closed fails, and repeating it unasked would press the server.
    keep_alive: float = 4.0
    dns_ttl: float = 60.0  # answers of the resolver are remembered that long
    respect_robots: bool = True  # for pages and links
    respect_robots_for_feeds: bool = False  # a subscribed feed is fetched on behalf of a person who asked for it
    proxy: str = ""  # "http://host:port"; empty: none, whatever the environment says

    def __post_init__(self) -> None:
        for network in self.allowed_networks:
            try:
                ip_network(network)
            except ValueError as error:
                raise ConfigError(
                    f"fetch.allowed_networks: {network!r} is not a network; write several like "
                    '["10.0.0.0/8", "::1/128"], or with blanks in between: 10.0.0.0/8 ::1/128',
                    option="fetch.allowed_networks",
                ) from error
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise ConfigError(f"must be positive: {name} = {getattr(self, name)!r}", option=f"fetch.{name}")
        if self.max_redirects < 0:
            raise ConfigError("must not be negative: max_redirects", option="fetch.max_redirects")
        if not self.user_agent.isascii() or not self.user_agent.isprintable() or not self.user_agent.strip():
            raise ConfigError("must be printable ASCII: user_agent", option="fetch.user_agent")
        if self.proxy and not self.proxy.startswith(("http://", "https://")):
            raise ConfigError(f"not a proxy: {self.proxy!r}; write it like http://host:3128", option="fetch.proxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSettings:
    """Limits of a browser that renders one page; seconds and bytes."""

    program: str = ""  # path of a Chromium; empty: the one that is installed
    time: float = 30.0  # from the moment it has started until the page must be ready
    settle: float = 10.0  # of these: how long a page that does not come to rest is waited for
    requests: int = 60  # that a page may make besides its own
    max_bytes: int = 10_000_000  # that they may bring together
    memory: int = 1_000_000_000  # of all its processes
    at_once: int = 1  # browsers


_POSITIVE = (
    "max_bytes",
    "max_decoded_bytes",
    "max_header_bytes",
    "max_headers",
    "connect_timeout",
    "read_timeout",
    "total_timeout",
    "concurrency",
    "keep_alive",
)
