"""Signed webhooks: a delivery as JSON, posted to an address the guard approves.

The signature is that of Standard Webhooks (v1): HMAC-SHA256 over "id.timestamp.body", so a receiver can check it with a
library of its own language, refuse what is old, and recognise by the id what it has seen. Redirects are not followed.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from afresh.base.errors import Disallowed, FetchError, UsageError
from afresh.base.settings.sections import FetchSettings
from afresh.http.posting import Poster

if TYPE_CHECKING:
    from afresh.base.protocols import Clock
    from afresh.base.records.notices import Delivery

_PREFIX = "whsec_"


def signature(secret: str, mark: str, timestamp: int, body: bytes) -> str:
    """The value of the header ``webhook-signature``.

    >>> signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
    ...     b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    signed = f"{mark}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(_key(secret), signed, sha256).digest()).decode()


def _key(secret: str) -> bytes:
    """The bytes of a secret: what stands behind ``whsec_`` is base64, anything else is taken as it is."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    text = secret[len(_PREFIX) :].replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return secret.encode()


def body_of(delivery: Delivery) -> bytes:
    """What a receiver reads; the same bytes at every try."""
    notice = delivery.notice
    return json.dumps(
        {
            "type": "afresh.notice",
            "id": delivery.mark,
            "notice": notice.id,
            "topic": notice.topic.value,
            "subject": notice.subject,
            "created": _iso(delivery.created),
            "events": [
                {
                    "key": event.key,
                    "kind": event.kind.value,
                    "at": _iso(event.at),
                    "title": event.title,
                    "link": event.link,
                    "detail": event.detail,
                    "source": event.source,
                    "resource": event.resource,
                    "feed_url": event.feed_url,
                    "summary": event.summary,
                }
                for event in delivery.events
            ],
        },
        ensure_ascii=False,
    ).encode("utf-8", "replace")


def _iso(moment: float) -> str | None:
    try:
        return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None


class WebhookSender:
    """Posts deliveries; implements ``base.records.notices.Sender`` for addresses of the web."""

    def __init__(self, settings: FetchSettings, *, clock: Clock) -> None:
        self._poster = Poster(settings, clock=clock)

    def check(self, target: str) -> None:
        """Raises UsageError for an address that would never be posted to."""
        try:
            self._poster.place(target)
        except Disallowed as error:  # it says itself what lets it through
            raise UsageError(f"not an address for a webhook: {error}") from error
        except FetchError as error:
            raise UsageError(
                f"not an address for a webhook: {error}; write it like https://example.org/hook"
            ) from error

    async def send(self, delivery: Delivery, *, now: float) -> str:
        body, timestamp = body_of(delivery), int(now)
        headers = {
            "Content-Type": "application/json",
            "webhook-id": delivery.mark,
            "webhook-timestamp": str(timestamp),
        }
        if delivery.notice.secret:
            headers["webhook-signature"] = signature(delivery.notice.secret, delivery.mark, timestamp, body)
        return await self._poster.tell("the webhook", delivery.notice.target, body, headers)

    async def close(self) -> None:
        await self._poster.close()
