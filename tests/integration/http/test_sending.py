"""Notices on a real wire: signed, guarded, honest about what the other side said."""

import asyncio
import base64
import hmac
import json
import socket
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from afresh.base.errors import UsageError
from afresh.base.records.notices import Delivery, Event, EventKind, Notice, Sender, Topic
from afresh.base.settings.sections import LOOPBACK, FetchSettings
from afresh.notices.messages import MessageSender, TargetSender, subject_of, text_of
from afresh.notices.outbox import new_secret, trial_delivery
from afresh.notices.webhook import WebhookSender, signature
from tests.fakes.clocks import RealClock
from tests.fakes.receiver import Receiver

NOW = 1_700_000_000.5

# apprise loads all its services when the first is asked for; one of them uses a module the standard library gives up
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


def sender(*, guarded: bool = False) -> TargetSender:
    settings = FetchSettings() if guarded else FetchSettings(allowed_networks=LOOPBACK)
    return TargetSender(WebhookSender(settings, clock=RealClock()), MessageSender(settings))


def delivery(target: str, *, secret: str = "", titles: tuple[str, ...] = ("T",)) -> Delivery:
    notice = Notice(id=7, topic=Topic.TAG, subject="x", target=target, secret=secret, created=NOW, cursor=0.0)
    events = tuple(Event(key=t, kind=EventKind.ENTRY, at=NOW, title=t, link="https://l/", source="S") for t in titles)
    return Delivery(id=1, mark="msg_1", notice=notice, attempts=0, created=NOW, events=events)


def run(scenario: Callable[[Receiver, Sender], Awaitable[None]], *, guarded: bool = False) -> None:
    async def go() -> None:
        async with Receiver() as receiver:
            made = sender(guarded=guarded)
            try:
                await scenario(receiver, made)
            finally:
                await made.close()

    asyncio.run(go())


def test_a_webhook_carries_a_signature_its_receiver_can_check() -> None:
    secret = "whsec_" + base64.b64encode(b"k" * 24).decode()

    async def scenario(receiver: Receiver, made: Sender) -> None:
        assert await made.send(delivery(receiver.url, secret=secret, titles=("Ünï\u2028code",)), now=NOW) == ""
        [(headers, body)] = receiver.requests
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = base64.b64encode(hmac.new(b"k" * 24, signed, sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{expected}"
        assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("msg_1", str(int(NOW)))
        told = json.loads(body)
        assert (told["notice"], told["topic"], told["subject"]) == (7, "tag", "x")
        assert told["events"][0]["title"] == "Ünï\u2028code"
        assert told["events"][0]["at"] == "2023-11-14T22:13:20.500Z"

    run(scenario)


def test_a_library_of_the_standard_takes_secret_and_signature() -> None:
    """With the secret that ``afresh notice add`` prints, and with one changed byte not."""
    secret = new_secret()

    async def scenario(receiver: Receiver, made: Sender) -> None:
        now = time.time()
        assert await made.send(delivery(receiver.url, secret=secret, titles=("Ünï",)), now=now) == ""
        [(headers, body)] = receiver.requests
        plain = {name: headers[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
        told = Webhook(secret).verify(body, plain)
        assert told["events"][0]["title"] == "Ünï"
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body.replace(b"x", b"y"), plain)
        with pytest.raises(WebhookVerificationError):
            Webhook(new_secret()).verify(body, plain)

    run(scenario)


def test_the_same_delivery_is_the_same_bytes_at_every_try() -> None:
    async def scenario(receiver: Receiver, made: Sender) -> None:
        receiver.answers = [500]
        assert "answered 500" in await made.send(delivery(receiver.url), now=NOW)
        assert await made.send(delivery(receiver.url), now=NOW + 60) == ""
        assert receiver.requests[0][1] == receiver.requests[1][1]

    run(scenario)


@pytest.mark.parametrize("status", [301, 307, 400, 404, 410, 429, 503])
def test_only_a_success_is_a_success_and_redirects_are_not_followed(status: int) -> None:
    async def scenario(receiver: Receiver, made: Sender) -> None:
        receiver.answers = [status]
        assert f"answered {status}" in await made.send(delivery(receiver.url), now=NOW)
        assert len(receiver.requests) == 1

    run(scenario)


def test_credentials_of_an_address_go_into_a_header() -> None:
    async def scenario(receiver: Receiver, made: Sender) -> None:
        assert await made.send(delivery(receiver.url.replace("http://", "http://me:pw@")), now=NOW) == ""
        assert receiver.requests[0][0]["Authorization"] == "Basic " + base64.b64encode(b"me:pw").decode()

    run(scenario)


def test_the_guard_holds_for_webhooks_and_messages() -> None:
    async def scenario(receiver: Receiver, made: Sender) -> None:
        local = receiver.url.replace("127.0.0.1", "localhost")
        for target in (receiver.url, local, receiver.url.replace("http://", "json://"), local.replace("http", "json")):
            assert "public address" in await made.send(delivery(target), now=NOW), target
        assert receiver.requests == []
        for target in (receiver.url, local, "http://169.254.169.254/latest", "http://example.org:22/"):
            with pytest.raises(UsageError, match="webhook"):
                made.check(target)
        made.check("https://example.org/hook")

    run(scenario, guarded=True)


@pytest.mark.parametrize("host", ["[::1]", "2130706433", "0x7f000001", "me:pw@example.org?smtp=127.0.0.1"])
def test_the_guard_knows_every_way_to_write_an_address(host: str) -> None:
    async def scenario(_: Receiver, made: Sender) -> None:
        target = f"mailto://{host}" if "smtp" in host else f"json://{host}:9/x"
        assert "not at a public address" in await made.send(delivery(target), now=NOW)

    run(scenario, guarded=True)


def test_a_topic_is_no_host() -> None:
    made = MessageSender(FetchSettings())
    made._judge(made._service("ntfy://12345"))  # would be 0.0.48.57
    made._judge(made._service("tgram://123456789:abcdefghijklmnopqrstuvwxyz123456789/"))


def test_nobody_there_is_an_answer_too() -> None:
    async def scenario(receiver: Receiver, made: Sender) -> None:
        target = receiver.url
        await receiver.__aexit__()
        assert await made.send(delivery(target), now=NOW)
        assert await made.send(delivery(target.replace("http://", "json://")), now=NOW)

    run(scenario)


def test_messages_go_out_by_apprise() -> None:
    async def scenario(receiver: Receiver, made: Sender) -> None:
        target = receiver.url.replace("http://", "json://")
        made.check(target)
        assert await made.send(delivery(target, titles=("one", "two <b>")), now=NOW) == ""
        [told] = receiver.bodies
        assert told["title"] == "afresh: 2 new entries in x"
        assert "one" in told["message"]
        assert "https://l/" in told["message"]
        receiver.answers = [500]
        assert "did not take" in await made.send(delivery(target), now=NOW)
        assert await made.send(trial_delivery(delivery(target).notice, now=NOW), now=NOW) == ""
        assert receiver.bodies[-1]["title"] == "afresh: 1 test"

    run(scenario)


@pytest.mark.parametrize("target", ["nonsense", "nosuch://x", "://", "mailto://", "ftp://example.org"])
def test_a_target_nobody_understands_is_refused_without_repeating_its_secrets(target: str) -> None:
    with pytest.raises(UsageError) as refused:
        sender().check(target)
    assert "pw" not in str(refused.value)


def test_a_command_is_no_target_whatever_is_installed() -> None:
    with pytest.raises(UsageError, match="A command cannot be one"):
        sender().check("cmd:/bin/echo pw")


def test_what_came_from_the_web_cannot_forge_lines() -> None:
    made = delivery("json://x", titles=("a\r\nBcc: x@example.org\x1b[2J",))
    assert "\r" not in text_of(made)
    assert "\nBcc" not in text_of(made)
    assert "\x1b" not in text_of(made)
    assert subject_of(made) == "afresh: 1 new entry in x"


def test_a_signature_depends_on_everything() -> None:
    base = signature("s", "m", 1, b"b")
    assert base.startswith("v1,")
    others = [signature("t", "m", 1, b"b"), signature("s", "n", 1, b"b"), signature("s", "m", 2, b"b")]
    assert len({base, signature("s", "m", 1, b"c"), *others}) == 5


def test_a_name_that_changes_its_address_between_two_lookups_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine, lookups = socket.getaddrinfo, []

    def rebound(host: object, *args: Any, **kwargs: Any) -> Any:
        if host != "rebound.example.org":
            return genuine(host, *args, **kwargs)  # type: ignore[arg-type]
        lookups.append(host)
        return genuine("93.184.215.14" if len(lookups) == 1 else "127.0.0.1", *args, **kwargs)

    async def scenario(receiver: Receiver, made: Sender) -> None:
        monkeypatch.setattr(socket, "getaddrinfo", rebound)
        target = receiver.url.replace("http://127.0.0.1", "json://rebound.example.org")
        assert "led to 127.0.0.1, which is no public address" in await made.send(delivery(target), now=NOW)
        assert len(lookups) >= 2, "judged once beforehand, and looked up again by the library"
        assert receiver.requests == []

    run(scenario, guarded=True)


def test_a_redirect_leads_a_message_nowhere_else() -> None:
    async def scenario(receiver: Receiver, _: Sender) -> None:
        made = MessageSender(FetchSettings(allowed_networks=("127.0.0.1/32",)))
        receiver.answers, receiver.location = [307], receiver.url.replace("127.0.0.1", "127.0.0.2")
        target = receiver.url.replace("http://", "json://") + "?redirect=yes"
        assert "led to 127.0.0.2" in await made.send(delivery(target), now=NOW)
        assert len(receiver.requests) == 1

    run(scenario)
