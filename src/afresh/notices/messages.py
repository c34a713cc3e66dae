"""Deliveries as messages for people, sent by apprise: mail, chat, push, a hundred services by one kind of URL.

Apprise speaks to its services itself. Where a URL names a host of its own (a mail server, a chat server), the address
guard judges the addresses of that name before each message, which gives the clearer words. What holds is the judgement
of each connection at the moment it is made (``http.library_connections``): neither a name that changes in between nor
a redirect leads to an address that is not public.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

from afresh.base.errors import Disallowed, ModelError, UsageError
from afresh.base.extras import need
from afresh.base.records.notices import Delivery, Event, EventKind, Sender
from afresh.base.registry import Registry
from afresh.base.settings.sections import FetchSettings
from afresh.http.guard import Guard, allowing
from afresh.http.library_connections import judged_by

_TIMEOUT = 60.0
_WORDS = {
    EventKind.ENTRY: ("new entry", "new entries"),
    EventKind.FAILING_FEED: ("failing feed", "failing feeds"),
    EventKind.FAILING_PAGE: ("failing page", "failing pages"),
    EventKind.GONE: ("feed or page is gone", "feeds and pages are gone"),
    EventKind.WORKS_AGAIN: ("feed, page or link works again", "feeds, pages and links work again"),
    EventKind.BROKEN_LINK: ("broken link", "broken links"),
    EventKind.PAGE_CHANGE: ("changed page", "changed pages"),
    EventKind.TEST: ("test", "tests"),
}


def subject_of(delivery: Delivery) -> str:
    """The title of a message: how much of what."""
    counts = Counter(event.kind for event in delivery.events)
    about = f" in {delivery.notice.subject}" if delivery.notice.subject and EventKind.ENTRY in counts else ""
    return f"afresh: {', '.join(f'{count} {_WORDS[kind][count != 1]}' for kind, count in counts.items())}{about}"


def text_of(delivery: Delivery) -> str:
    """The message itself, plain text: what came from the web stays text."""
    return "\n\n".join(_paragraph(event) for event in delivery.events)


def _paragraph(event: Event) -> str:
    lines = [event.title, event.link if event.link != event.title else "", *event.detail.splitlines()]
    if event.source not in ("", event.link):
        lines.append(f"from {event.source}")
    return "\n".join("".join(char if char.isprintable() else " " for char in line) for line in lines if line)


class MessageSender:
    """Sends deliveries by apprise; implements ``base.records.notices.Sender``."""

    def __init__(self, settings: FetchSettings) -> None:
        self._guard = Guard.of(settings)

    def check(self, target: str) -> None:
        """Raises UsageError for a target that apprise does not understand; says nothing of what is in it."""
        self._service(target)

    async def send(self, delivery: Delivery, *, now: float) -> str:  # noqa: ARG002 - a message has no clock
        try:
            async with asyncio.timeout(_TIMEOUT):
                return await asyncio.to_thread(self._send, delivery)
        except TimeoutError:
            return f"the service did not answer within {_TIMEOUT:g} s"

    def _send(self, delivery: Delivery) -> str:
        try:
            service = self._service(delivery.notice.target)
            self._judge(service)
        except (UsageError, Disallowed, OSError) as error:
            return str(error)
        with judged_by(self._guard) as refused:
            try:
                is_taken = service.notify(body=text_of(delivery), title=subject_of(delivery), body_format="text")
                failed = ""
            except (
                Exception
            ) as error:  # a plugin of a library that talks to a stranger: whatever it raises is an answer
                is_taken, failed = False, f"the service could not be told: {type(error).__name__}"
        if is_taken:
            return ""
        if refused:
            return f"the service led to {refused[0]}, which is no public address; {allowing(refused[0])}"
        return failed or "the service did not take the message; check the target's address and its key"

    def _service(self, target: str) -> Any:
        if "://" not in target:
            raise UsageError(
                f"{target.partition(':')[0][:20]}… is no target; write it like https://example.org/hook (a webhook), "
                "mailto://user:password@example.org or ntfy://topic. A command cannot be one: let it take a webhook"
            )
        need("notices", "a target that is no webhook")
        # A second to import, hence only for those who have such a target.
        service = import_module("apprise").Apprise.instantiate(target, suppress_exceptions=True)
        if service is None:
            scheme = target.partition("://")[0][:20]
            raise UsageError(
                f"apprise does not understand this target ({scheme}://…); write it like mailto://user:password@example.org,"
                " ntfy://topic or https://example.org/hook for a webhook"
            )
        return service

    def _judge(self, service: Any) -> None:
        """Refuses a service on a host of its own that is at no public address."""
        if "host" not in service.template_tokens or getattr(service, "mode", "") == "cloud":
            return  # tokens and topics stand where others have a host
        for host in {getattr(service, name, None) for name in ("host", "smtp_host")}:
            if isinstance(host, str) and host:
                self._judge_host(host)

    def _judge_host(self, host: str) -> None:
        try:
            entries = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return  # not a name: apprise will say so itself
        refused = [address for entry in entries if not self._guard.approves(address := str(entry[4][0]))]
        if refused:
            raise Disallowed(f"{host} is not at a public address; {allowing(*refused)}")

    async def close(self) -> None:
        return None


#: senders that other packages add, by the scheme of the target: a class or function that makes a ``Sender``
SENDERS: Registry[Callable[[], Sender]] = Registry("notice target", {}, group="afresh.notices")


class TargetSender:
    """Webhooks for addresses of the web, the senders of other packages for their schemes, messages for all else."""

    def __init__(self, webhooks: Sender, messages: Sender) -> None:
        self._webhooks, self._messages = webhooks, messages
        self._others: dict[str, Sender] = {}

    def check(self, target: str) -> None:
        self._of(target).check(target)

    async def send(self, delivery: Delivery, *, now: float) -> str:
        try:
            sender = self._of(delivery.notice.target)
        except ModelError as error:  # another package's, which cannot be loaded
            return str(error)
        return await sender.send(delivery, now=now)

    def _of(self, target: str) -> Sender:
        if target.startswith(("http://", "https://")):
            return self._webhooks
        scheme = target.partition("://")[0]
        if scheme not in self._others and scheme in SENDERS:
            self._others[scheme] = SENDERS.find(scheme)()
        return self._others.get(scheme, self._messages)

    async def close(self) -> None:
        for sender in (self._webhooks, self._messages, *self._others.values()):
            await sender.close()
