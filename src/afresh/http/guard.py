"""The address guard: which addresses and ports a request may go to.

A crawler follows what strangers write, so a stranger could make it ask the router, the cloud's metadata service or a
database next door. The guard decides about *addresses*, never about names: it is asked after name resolution with the
very addresses that will be connected to, again when the socket is made, and at every redirect.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from afresh.base.errors import Disallowed
from afresh.base.settings.sections import FetchSettings

# IANA's special-purpose registry without the blocks that are ordinary internet, and what clouds hide in public space.
_REFUSED_V4 = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; holds one cloud's metadata service
        "127.0.0.0/8",
        "168.63.129.16/32",  # another cloud's metadata service, on a public address
        "169.254.0.0/16",  # link-local; most metadata services
        "172.16.0.0/12",
        "192.0.0.0/24",  # IETF protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays, withdrawn
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks between routers
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")  # everything the registries have ever handed out
_REFUSED_V6 = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # IETF protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TRANSLATED = IPv6Network("::ffff:0:0:0/96")
_COMPATIBLE = IPv6Network("::/96")

_OTHER_PROTOCOLS = """
    1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
    135 137 138 139 143 161 162 179 389 427 445 465 500 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601
    636 873 989 990 993 995 1433 1521 1719 1720 1723 2049 2181 2375 2376 2379 2380 3306 3389 3659 4045 4190 5060
    5061 5432 5672 5900 6000 6379 6514 6566 6665 6666 6667 6668 6669 6697 9042 9092 10080 10250 11211 27017
"""
#: Ports where something other than a web server listens: a request there could be read as a command by it.
REFUSED_PORTS = frozenset(int(port) for port in _OTHER_PROTOCOLS.split())

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def allowing(*addresses: str) -> str:
    """How an operator lets such addresses through, as narrow as it makes sense.

    >>> allowing("127.0.0.1", "192.168.1.7")
    'fetch.allowed_networks = ["127.0.0.0/8", "192.168.1.7"] lets it through'
    """
    named = dict.fromkeys("127.0.0.0/8" if address.startswith("127.") else address for address in addresses)
    networks = ", ".join(f'"{one}"' for one in named)
    return f"fetch.allowed_networks = [{networks}] lets it through"


class Guard:
    """Approves or refuses addresses; immutable, so that an approval stays valid.

    >>> Guard().approves("192.168.1.1"), Guard(allowed=("192.168.1.0/24",)).approves("192.168.1.1")
    (False, True)
    """

    def __init__(self, *, allowed: tuple[str, ...] = (), allow_private: bool = False) -> None:
        self._allowed: tuple[Network, ...] = tuple(ip_network(network) for network in allowed)
        self._allow_private = allow_private
        # The same few thousand addresses come again and again; an address costs 10 µs to judge.
        self.approves = lru_cache(maxsize=8192)(self._approves)
        self._lets_in = lru_cache(maxsize=8192)(self._judge_host)

    @classmethod
    def of(cls, settings: FetchSettings) -> "Guard":
        """The guard of the settings."""
        return cls(allowed=settings.allowed_networks, allow_private=settings.allow_private)

    def _approves(self, address: str) -> bool:
        """Whether a request may go to this address, given in any form the system's resolver returns."""
        parsed = _parse(address)
        if parsed is None:
            return False
        if self._allow_private:
            return True
        plain = embedded(parsed)
        return _is_public(plain) or any(plain in network for network in self._allowed)

    def check_host(self, host: str) -> None:
        """Refuses a literal address in a URL; names pass, their addresses are judged when they are known."""
        if ":" not in host and not host.rstrip(".")[-1:].isdigit():
            return  # names end in a letter (WHATWG "ends in a number"); saves 10 µs a request
        if not self._lets_in(host):
            raise Disallowed(f"not a public address: {host}; {allowing(host.strip('[]').rstrip('.'))}")

    def _judge_host(self, host: str) -> bool:
        parsed = _parse(host.strip("[]").rstrip("."))
        return parsed is None or self.approves(str(parsed))

    def check_port(self, port: int) -> None:
        """Refuses ports of other protocols (and 0)."""
        if port <= 0 or (port in REFUSED_PORTS and not self._allow_private):
            raise Disallowed(f"port {port} belongs to another protocol; only fetch.allow_private = true would ask it")

    def would_pass(self, refusal: str) -> bool:
        """Whether what was once refused with these words is let through now.

        >>> Guard(allowed=("10.0.0.0/8",)).would_pass("a.example is at 10.0.0.1, fd00::1: not a public address; …")
        True
        """
        words = refusal.partition(";")[0].replace(",", " ").split()
        named = (word.removesuffix(":").strip("'[]") for word in words)
        return self._allow_private or any(map(self.approves, named))


def embedded(address: Address) -> Address:
    """The IPv4 address a packet to this IPv6 address would really end at, or the address itself.

    >>> embedded(IPv6Address("64:ff9b::127.0.0.1"))
    IPv4Address('127.0.0.1')
    """
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _NAT64 or address in _TRANSLATED:
        return low
    if address in _COMPATIBLE and int(address) > 0xFFFF:  # leaves :: and ::1 as they are
        return low
    if address in _SIX_TO_FOUR:
        return IPv4Address((int(address) >> 80) & 0xFFFFFFFF)
    if (int(address) >> 32) & 0xFDFFFFFF == 0x5EFE:  # ISATAP, with or without the "universal" bit
        return low
    return address


def is_address(text: str) -> bool:
    """Whether this is an address already, and not a name that has some."""
    return _parse(text) is not None


def _parse(text: str) -> Address | None:
    """The address written here, without its zone; None for anything that is not an address."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _REFUSED_V4)
    return address in _GLOBAL_V6 and not any(address in block for block in _REFUSED_V6)
