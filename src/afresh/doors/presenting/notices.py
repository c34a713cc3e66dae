"""Notices: who is told of what."""

from dataclasses import dataclass
from typing import Annotated

from afresh.base.durations import format_duration
from afresh.base.protocols import Store
from afresh.base.records.notices import Notice, Topic
from afresh.doors.presenting.fields import About, Time
from afresh.doors.presenting.lists import NumberedPage, numbered_page_of
from afresh.doors.presenting.showing import following, shown
from afresh.notices.outbox import remark_on, shown_target


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """One notice, without its secrets."""

    id: int
    topic: Topic
    subject: str
    about: Annotated[str, About("What is told, in words.", "new entries of query feed solar")]
    remark: Annotated[str, About("What may surprise: nothing has the tag yet. Empty: nothing does.")]
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


NoticePage = numbered_page_of(NoticeView, "NoticePage", "Notices, ascending by number.")


def view_notice(store: Store, notice: Notice, *, secret: str | None = None) -> NoticeView:
    return shown(
        NoticeView,
        notice,
        about=about_words(notice),
        remark=remark_on(store, notice),
        target=shown_target(notice.target),
        is_signed=bool(notice.secret),
        secret=secret,
    )


def notice_page(store: Store, *, after: int = 0, limit: int) -> NumberedPage[NoticeView]:
    found = store.notices.list_notices(after=after, limit=limit)
    return NoticePage(items=tuple(view_notice(store, notice) for notice in found), next=following(found, limit))


def about_words(notice: Notice) -> str:
    """What a notice tells of, and when."""
    gathered = f", gathered for {format_duration(notice.digest)}" if notice.digest else ""
    return f"{_topic_words(notice)}{gathered}" + (f", quiet {notice.quiet}" if notice.quiet else "")


def _topic_words(notice: Notice) -> str:
    match notice.topic:
        case Topic.ENTRIES:
            return "new entries of all feeds"
        case Topic.QUERY:
            return f"new entries of query feed {notice.subject}"
        case Topic.TAG:
            return f"new entries tagged {notice.subject}"
        case Topic.FOLDER:
            return f"new entries in folder {notice.subject}"
        case Topic.FAILING:
            return "failing feeds and pages"
        case Topic.BROKEN:
            return "broken links"
        case Topic.PAGES:
            return f"changed pages tagged {notice.subject}" if notice.subject else "changed pages"
