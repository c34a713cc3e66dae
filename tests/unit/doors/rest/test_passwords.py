"""People with passwords."""

import asyncio
import base64

import pytest
from click.testing import CliRunner

from afresh.base.errors import ConfigError, UsageError
from afresh.doors.cli.main import cli
from afresh.doors.listening import require_safe_bind
from afresh.doors.rest import AuthSettings, create_app
from afresh.doors.rest.params import User
from afresh.doors.rest.passwords import check, make_entry, read_entries
from afresh.doors.rest.who_asks import FREE_GUESSES, LONGEST_WAIT, Caller, Doorkeeper, TooMany
from tests.fakes.asgi_client import AsgiClient
from tests.fakes.service_context import FakeContext

CHEAP = (2**14, 1, 1)
WORDS = "correct horse battery"
ANNA = make_entry("anna", WORDS, cost=CHEAP)
TOKEN = "a-token-of-some-length"


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def test_entry_tells_nothing_of_the_password_and_lets_it_in() -> None:
    assert WORDS not in ANNA
    assert make_entry("anna", WORDS, cost=CHEAP) != ANNA  # salted
    known = read_entries([ANNA, make_entry("ben", "another password", cost=CHEAP)])
    assert check(known, "anna", WORDS)
    assert not check(known, "ben", WORDS)
    assert not check(known, "anna", WORDS + "x")
    assert not check(known, "carl", WORDS)
    assert not check((), "anna", WORDS)
    assert not check(known, "anna", "x" * 2000)


@pytest.mark.parametrize(
    ("name", "password"), [("", WORDS), ("an na", WORDS), ("a:b", WORDS), ("anna", "short"), ("anna", "x" * 2000)]
)
def test_entries_that_cannot_be_made(name: str, password: str) -> None:
    with pytest.raises(UsageError):
        make_entry(name, password)


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "anna",
        "anna:secret-in-the-clear",
        "anna:md5$16384$1$1$AAAA$AAAA",
        ANNA.replace("$16384$", "$1024$"),  # too cheap
        ANNA.replace("$16384$", "$16385$"),  # no power of two
        ANNA.replace("$16384$1$1$", "$16384$1$1000000$"),  # would stop the service
        ANNA.replace("$16384$1$1$", "$8388608$8$1$"),
        ANNA.replace("$16384$1$1$", "$16384$0$1$"),
        ANNA.replace("$16384$", "$²$"),
        ANNA[:-4],
        ANNA.rpartition("$")[0] + "$ÿ",
    ],
    ids=range(12),  # a salt is another one in every process, and the names of tests must not be
)
def test_entries_that_are_no_protection_are_refused_without_being_repeated(entry: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_entries([entry])
    assert caught.value.option == "service.passwords"
    assert "secret" not in str(caught.value)
    assert "config password" in str(caught.value)


def test_one_name_one_password() -> None:
    with pytest.raises(ConfigError, match="anna has two"):
        read_entries([ANNA, ANNA])


def test_passwords_protect_an_open_address() -> None:
    require_safe_bind("0.0.0.0", (), (ANNA,))
    with pytest.raises(ConfigError):
        require_safe_bind("0.0.0.0", (), ())


def test_pages_know_who_asks(context: FakeContext) -> None:
    auth = AuthSettings(host="0.0.0.0", passwords=(ANNA,), tokens=(TOKEN,))
    client = AsgiClient(create_app(context, auth=auth))
    assert client.get("/").status == 401
    assert client.get("/", authorization=basic("anna", "wrong")).status == 401
    assert client.get("/", authorization=basic("anna", WORDS)).status == 200
    assert client.get("/", authorization=f"Bearer {TOKEN}").status == 200
    assert client.get("/", authorization=f"Bearer {WORDS}").status == 401  # a password is no token


def test_routes_learn_the_name(context: FakeContext) -> None:
    app = create_app(context, auth=AuthSettings(passwords=(ANNA,), tokens=(TOKEN,)))

    async def whoami(user: User) -> str:
        return user

    app.add_api_route("/whoami", whoami)
    client = AsgiClient(app)
    assert client.get("/whoami", authorization=basic("anna", WORDS)).json() == "anna"
    assert client.get("/whoami", authorization=basic("anna", TOKEN)).json() == ""  # a token names nobody


class Doors:
    """A doorkeeper whose clock is ours."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.keeper = Doorkeeper(AuthSettings(passwords=(ANNA,), tokens=(TOKEN,)), clock=lambda: self.time)

    def ask(self, header: str, address: str = "192.0.2.1") -> Caller | TooMany | None:
        return asyncio.run(self.keeper.caller(header, address))


def test_all_addresses_of_a_subscriber_of_ipv6_are_one_guesser() -> None:
    doors = Doors()
    wrong = basic("anna", "wrong")
    for number in range(FREE_GUESSES):
        assert doors.ask(wrong, f"2001:db8:1:2::{number}") is None
    assert doors.ask(wrong, "2001:db8:1:2:ffff::9%eth0") == TooMany(1.0)
    assert doors.ask(wrong, "2001:db8:1:3::1") is None, "somebody else"
    for _ in range(FREE_GUESSES):
        assert doors.ask(wrong, "192.0.2.9") is None
    assert doors.ask(wrong, "::ffff:192.0.2.9") == TooMany(1.0), "the same address, written another way"
    assert doors.ask(wrong, "not an address:") is None


def test_guesses_become_slow_for_their_address_only() -> None:
    doors = Doors()
    right, wrong = basic("anna", WORDS), basic("anna", "wrong")
    assert doors.ask(right, "192.0.2.7") == Caller("anna", is_admin=True)
    assert doors.ask(f"Bearer {TOKEN}", "192.0.2.7") == Caller(is_admin=True)
    assert [doors.ask(wrong) for _ in range(FREE_GUESSES)] == [None] * FREE_GUESSES
    assert doors.ask(wrong) == TooMany(1.0)
    assert doors.ask(basic("anna", WORDS + " ")) == TooMany(1.0)
    assert doors.ask(right) == Caller(
        "anna", is_admin=True
    )  # let in before: not made to wait for the guesses of others
    assert doors.ask(f"Bearer {TOKEN}") == Caller(is_admin=True)
    assert doors.ask(wrong, "192.0.2.2") is None
    doors.time += 1.0
    assert doors.ask(wrong) is None
    assert doors.ask(wrong) == TooMany(2.0)
    for _ in range(10):
        doors.time += LONGEST_WAIT
        doors.ask(wrong)
    assert doors.ask(wrong) == TooMany(LONGEST_WAIT)
    doors.time += 1000.0
    assert doors.ask(wrong) is None


def test_tokens_are_guessed_as_slowly_as_passwords() -> None:
    doors = Doors()
    right, wrong = f"Bearer {TOKEN}", "Bearer " + "x" * 16
    assert [doors.ask(wrong) for _ in range(FREE_GUESSES)] == [None] * FREE_GUESSES
    assert doors.ask(wrong) == TooMany(1.0)
    assert doors.ask(right) == TooMany(1.0), "or guessing would go on unhindered"
    assert doors.ask(basic("anna", WORDS)) == TooMany(1.0), "one limit for both"
    assert doors.ask("", "192.0.2.1") is None, "whoever shows nothing has not guessed"
    assert doors.ask(right, "192.0.2.2") == Caller(is_admin=True)
    assert doors.ask(right) == Caller(is_admin=True), "let in before"
    doors.time += 1.0
    assert doors.ask(wrong) is None
    assert doors.ask(wrong) == TooMany(2.0)


def test_where_nobody_needs_a_token_nobody_guesses() -> None:
    keeper = Doorkeeper(AuthSettings())
    answers = [asyncio.run(keeper.caller("Bearer wrong", "192.0.2.1")) for _ in range(3 * FREE_GUESSES)]
    assert answers == [Caller(is_admin=True)] * len(answers)


def test_many_guesses_at_one_moment_are_many_guesses() -> None:
    doors = Doors()

    async def at_once() -> list[Caller | TooMany | None]:
        wrong = basic("anna", "wrong")
        return list(await asyncio.gather(*(doors.keeper.caller(wrong, "192.0.2.1") for _ in range(20))))

    assert sum(isinstance(answer, TooMany) for answer in asyncio.run(at_once())) == 20 - FREE_GUESSES


def test_who_was_let_in_does_not_pay_again(monkeypatch: pytest.MonkeyPatch) -> None:
    doors = Doors()
    header = basic("anna", WORDS)
    doors.ask(header)
    monkeypatch.setattr("afresh.doors.rest.passwords.check", lambda *_: pytest.fail("scrypt was asked again"))
    assert all(doors.ask(header) == Caller("anna", is_admin=True) for _ in range(5))


def test_refusal_says_how_long_to_wait(context: FakeContext) -> None:
    client = AsgiClient(create_app(context, auth=AuthSettings(passwords=(ANNA,))))
    answers = [client.get("/", authorization=basic("anna", f"guess {n}")) for n in range(FREE_GUESSES + 1)]
    assert [answer.status for answer in answers] == [401] * FREE_GUESSES + [429]
    assert answers[-1].headers["retry-after"] == "1"


def test_command_prints_an_entry_that_works() -> None:
    ran = CliRunner().invoke(cli, ["config", "password", "anna"], input=f"{WORDS}\n{WORDS}\n")
    assert ran.exception is None, ran.output
    [known] = read_entries([ran.stdout.strip()])
    assert check([known], "anna", WORDS)
    assert WORDS not in ran.output
