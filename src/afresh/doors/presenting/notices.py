"""Notices: who is told of what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from afresh.base.records.notices import Notice, Topic
from afresh.doors.presenting.fields import About, NextNumber, Time
from afresh.doors.presenting.showing import following, shown
from afresh.notices.outbox import shown_target


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """One notice, without its secrets."""

    id: int
    topic: Topic
    subject: str
    target: Annotated[str, About("Without what may be a password.")]
    is_signed: bool
    digest: Annotated[float, About("Seconds that events are gathered.")]
    quiet: str
    created: Time | None
    sent: Annotated[int, About("Events told, as far as they are remembered.")]
    waiting: Annotated[int, About("Events not sent yet.")]
    open: Annotated[int, About("Messages that the target has not taken yet.")]
    last_sent: Annotated[str | None, About("ISO 8601, UTC; null: nothing was told yet.")]
    error: Annotated[str, About("Of the newest message that was not taken; empty: none.")]
    secret: Annotated[str | None, About("Only in the answer to its making, where a new one was made.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """Notices, ascending by number."""

    items: tuple[NoticeView, ...]
    next: NextNumber


def view_notice(notice: Notice, *, secret: str | None = None) -> NoticeView:
    return shown(NoticeView, notice, target=shown_target(notice.target), is_signed=bool(notice.secret), secret=secret)


def notice_page(found: Sequence[Notice], limit: int) -> NoticePage:
    return NoticePage(items=tuple(view_notice(notice) for notice in found), next=following(found, limit))
