"""Which addresses and ports may be asked."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.base.errors import Disallowed
from afresh.http.guard import REFUSED_PORTS, Guard, embedded
from afresh.http.location import locate

REFUSED = """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16
    169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
    198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe
    64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1::1 2001:db8::1 2002:7f00:1::1 2002:c0a8:1::1 3fff::1 5f00::1 fc00::1
    fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2a00::5efe:10.0.0.1 2a00::200:5efe:192.168.0.1
"""

PUBLIC = """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 93.184.216.34 100.63.255.255 100.128.0.1 126.0.0.1 128.0.0.1 172.15.255.255
    172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255 2001:4860:4860::8888
    2606:4700:4700::1111 2a00:1450:4001::1 64:ff9b::8.8.8.8 2002:808:808::1 ::ffff:8.8.8.8
"""

LOOPBACK = """
    127.0.0.1 127.1 0x7f000001 0x7F.1 017700000001 2130706433 0177.0.0.01 127.0.0.1. １２７.０.０.１ [::1]
    [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] 127。0。0。1 %31%32%37.0.0.1 0 [::]
"""


@pytest.mark.parametrize("address", REFUSED.split())
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not Guard().approves(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public_addresses_are_approved(address: str) -> None:
    assert Guard().approves(address)


@pytest.mark.parametrize("text", ["", "example.org", "127.1", "0177.0.0.1", "2130706433", "1.2.3.4.5", "::g"])
def test_what_is_not_an_address_is_refused(text: str) -> None:
    assert not Guard().approves(text)
    assert not Guard(allow_private=True).approves(text)


def test_allowed_networks_are_exceptions_in_every_spelling() -> None:
    guard = Guard(allowed=("127.0.0.0/8", "fd12::/16"))
    assert guard.approves("127.0.0.1")
    assert guard.approves("::ffff:127.0.0.1")
    assert guard.approves("fd12::5")
    assert not guard.approves("10.0.0.1")
    assert not guard.approves("::1")


def test_the_off_switch_approves_everything_that_is_an_address() -> None:
    assert all(Guard(allow_private=True).approves(address) for address in REFUSED.split())


@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_an_embedded_address_is_judged_like_the_plain_one(address: IPv4Address) -> None:
    guard, number = Guard(), int(address)
    expected = guard.approves(str(address))
    disguises = [
        IPv6Address((0xFFFF << 32) | number),  # mapped
        IPv6Address((0x64FF9B << 96) | number),  # NAT64
        IPv6Address((0x2002 << 112) | (number << 80) | 1),  # 6to4
    ]
    assert [embedded(disguise) for disguise in disguises] == [address] * 3
    assert [guard.approves(str(disguise)) for disguise in disguises] == [expected] * 3


@pytest.mark.parametrize(
    "host",
    LOOPBACK.split(),
)
def test_every_spelling_of_loopback_in_a_url_is_refused(host: str) -> None:
    place = locate(f"http://{host}/")
    with pytest.raises(Disallowed):
        Guard().check_host(place.host)


@pytest.mark.parametrize(
    "host", ["example.org", "a.b.c", "xn--mnchen-3ya.de", "8.8.8.8", "[2606:4700:4700::1111]", "1e3.de"]
)
def test_names_and_public_literals_pass(host: str) -> None:
    Guard().check_host(host)


@pytest.mark.parametrize("port", [0, -1, 22, 25, 6379, 11211])
def test_ports_of_other_protocols_are_refused(port: int) -> None:
    with pytest.raises(Disallowed):
        Guard().check_port(port)


@pytest.mark.parametrize("port", [80, 443, 8000, 8080, 8443, 3000, 5000, 49_152, 65_535])
def test_ports_of_web_servers_pass(port: int) -> None:
    assert port not in REFUSED_PORTS
    Guard().check_port(port)


@pytest.mark.parametrize(
    ("refusal", "allowed", "passes"),
    [
        ("address: not a public address: 127.0.0.1; fetch.allowed_networks = …", "127.0.0.1/32", True),
        ("address: not a public address: [::1]; fetch.allowed_networks = …", "::1/128", True),
        ("address: a.example is at 10.0.0.1, 10.0.0.2: not a public address; …", "10.0.0.2/32", True),
        ("address: a.example is at 10.0.0.1, fd00::1: not a public address; …", "10.9.0.0/16", False),
        ("address: port 22 belongs to another protocol; …", "10.0.0.0/8", False),
    ],
)
def test_a_refusal_of_before_is_judged_by_the_settings_of_now(refusal: str, allowed: str, *, passes: bool) -> None:
    assert Guard(allowed=(allowed,)).would_pass(refusal) is passes
    assert not Guard().would_pass(refusal)
    assert Guard(allow_private=True).would_pass(refusal)
