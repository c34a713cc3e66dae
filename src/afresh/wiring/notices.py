"""The way notices leave: webhooks and messages behind one sender."""

from afresh.config import Settings
from afresh.core.notices.stored import Sender
from afresh.core.protocols import Clock
from afresh.fetch.messages import MessageSender, TargetSender
from afresh.fetch.webhook import WebhookSender


def make_sender(settings: Settings, *, clock: Clock) -> Sender:
    """Held to the same address guard as every fetch."""
    return TargetSender(WebhookSender(settings.fetch, clock=clock), MessageSender(settings.fetch))
