"""The way notices leave: webhooks and messages behind one sender."""

from afresh.base.protocols import Clock
from afresh.base.records.notices import Sender
from afresh.base.settings import Settings
from afresh.notices.messages import MessageSender, TargetSender
from afresh.notices.webhook import WebhookSender


def make_sender(settings: Settings, *, clock: Clock) -> Sender:
    """Held to the same address guard as every fetch."""
    return TargetSender(WebhookSender(settings.fetch, clock=clock), MessageSender(settings.fetch))
